import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { examine } from "../../examine.ts";
import { EXAMPLES, type Example } from "../../examples.ts";
import type { Finding, Guard } from "../../guard.ts";
import { GUARDS } from "../../guards.ts";
import { judge, STANDARD_SETTINGS } from "../../judge.ts";
import { PLACE } from "./examples-of.ts";
import { KNOWN } from "./known.ts";

const ALL = Object.values(GUARDS);

/** The findings of some guards in a command, with all that a guard can know. */
function findingsOf(guards: readonly Guard[], { command, folder = "." }: Example): readonly Finding[] {
  const place = { ...PLACE, folder: posix.join(PLACE.project, folder) };
  const examined = examine({ commands: [command], folder: null, files: [] }, place);
  const settings = { ...STANDARD_SETTINGS, paths: KNOWN.paths, rules: KNOWN.rules };
  return guards.flatMap((rules) =>
    judge(examined, { rules, settings }, KNOWN.ownFiles).judged.map(({ finding }) => finding),
  );
}

/** What a reason advises: the texts in backquotes or double quotes, without names of single options. */
const advised = (instead: string): readonly string[] =>
  [...instead.matchAll(/`([^`]+)`|"([^"]+)"/g)]
    .map(([, code, quoted]) => code ?? quoted ?? "")
    .filter((text) => !text.startsWith("-"));

const onOneLine = (text: string): string => text.replace(/\\\n/g, "").replace(/\s+/g, " ").trim();

const STOPPED = ALL.flatMap((guard) => {
  const { blocked, asked } = EXAMPLES[guard.name];
  return [...blocked, ...asked].map((example) => ({ guard, example, found: findingsOf([guard], example) }));
});

const REASONS = [...new Set(STOPPED.flatMap(({ found }) => found.map(({ instead }) => instead)))];

test("enough reasons advise a command", () => {
  expect(REASONS.length).toBeGreaterThan(40);
  expect(REASONS.flatMap(advised).length).toBeGreaterThan(20);
});

describe("the safe way of each reason", () => {
  test.each(REASONS)("is allowed by every guard: %s", (instead) => {
    const stopped = advised(instead).flatMap((command) => findingsOf(ALL, { command }));
    expect(stopped).toEqual([]);
  });

  /** The stopped command stays stopped after another one, so only a person can go on with it. */
  test.each(REASONS)("takes the place of the stopped command, and is not a step before it: %s", (instead) => {
    expect(/\b(?:first|before|beforehand)\b/.test(instead) && !/\bperson\b/.test(instead)).toBe(false);
  });
});

describe("the part that a reason names", () => {
  test.each(STOPPED.map(({ guard, example }) => [guard.name, example.command, guard, example] as const))(
    "%s is in the stopped command, and not beside it: %s",
    (_, command, guard, example) => {
      const [found] = findingsOf([guard], { ...example, command: `echo started; ${command}\nls -la src` });
      const part = onOneLine(found?.part ?? "");
      expect(part).not.toBe("");
      expect(onOneLine(command)).toContain(part);
    },
  );
});
