import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { commandGroups, listedOptions } from "../../packages/scripting/help/command-help.ts";
import { allOptions } from "../../src/cli/command-table.ts";
import { allCommands } from "../../src/command-groups.ts";
import { manPage } from "../../tools/docs/man-page.mjs";
import { propertyRuns } from "../support/property-runs.ts";

const COMMANDS = await allCommands();

const page = fileURLToPath(new URL("../../man/hookctl.1", import.meta.url));
const run = (program: string, args: readonly string[], input = "") =>
  spawnSync(program, args, { input, encoding: "utf8", env: { ...process.env, LC_ALL: "C.UTF-8", MANWIDTH: "400" } });
const absent = (program: string, args: readonly string[]): string =>
  run(program, args).error === undefined ? "" : ` (skipped: ${program} is not installed)`;
const noMandoc = absent("mandoc", ["-Tlint"]);
const noMan = absent("man", ["--version"]);

const lint = (text: string): string => run("mandoc", ["-Tlint", "-Wall"], text).stdout;
/** What a reader sees, without the line breaks of the terminal. */
const shown = (text: string): string =>
  run("mandoc", ["-Tutf8", "-Owidth=900"], text)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal makes bold letters by striking twice.
    .stdout.replaceAll(/.\u0008/g, "")
    .replaceAll(/\s+/g, " ");

const EMPTY = {
  ...{ version: "1", date: "2026-01-01", commands: {}, groups: [], common: [], hookOptions: [], exits: [] },
  ...{ helpOf: () => null, listedOptions },
};

test("every command and option has its place", () => {
  const text = readFileSync(page, "utf8");
  const shown = commandGroups(COMMANDS, true).flatMap(([, names]) => names);
  for (const name of shown) expect(text).toContain(`\n.SS ${name}\n`);
  for (const { row } of allOptions(COMMANDS)) expect(text).toContain(row.name.replaceAll("-", "\\-"));
});

test.skipIf(noMandoc !== "")(`mandoc finds no fault in it${noMandoc}`, () => {
  expect(lint(readFileSync(page, "utf8"))).toBe("");
  expect(lint(".SH NAME\n.nonsense\n")).not.toBe("");
});

test.skipIf(noMan !== "")(`man shows it without a warning${noMan}`, () => {
  const { stdout, stderr, status } = run("man", ["--warnings", "-l", page]);
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  expect(stdout).toContain("hookctl run [options] <event>");
});

test.skipIf(noMandoc !== "")(`shows any text as it is${noMandoc}`, () => {
  const special = fc.constantFrom(
    ..."\\.'\"-`^~%&*$[](){}<>|#!",
    "\\fB",
    ".SH X",
    "\n.so /etc/passwd",
    "\\n(.x",
    "é",
    "日",
    " ",
  );
  const text = fc.array(special, { minLength: 1, maxLength: 12 }).map((parts) => `a${parts.join("")}z`);
  fc.assert(
    fc.property(fc.array(text, { minLength: 30, maxLength: 30 }), (texts) => {
      const commands = Object.fromEntries(
        texts.map((one, index) => {
          const options = { one: { name: `--o${index}`, kind: "text", placeholder: one, about: one } } as const;
          return [`c${index}`, { arguments: one, about: one, options }];
        }),
      );
      const groups = [["group", Object.keys(commands)]] as const;
      const helpOf = (name: string) => ({ docs: "", examples: [texts[Number(name.slice(1))] ?? ""] });
      const made = manPage({ ...EMPTY, commands, groups, helpOf, exits: [["0", texts.join(" ")]] });
      expect(lint(made)).toBe("");
      const seen = shown(made);
      const spaced = texts.map((one) => one.replaceAll(/\s+/g, " "));
      expect(spaced.filter((one) => seen.split(one).length < 5)).toEqual([]);
    }),
    propertyRuns(20),
  );
});

test("a control character is its number", () => {
  const exits = [["0", "a\u001b[31mb\u009bc"]] as const;
  const made = manPage({ ...EMPTY, exits });
  expect(made).toContain("a<001b>[31mb<009b>c");
});

test("npm links it with a global installation, which it does for a list alone", () => {
  const { man, files } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect({ man, files }).toMatchObject({ man: ["./man/hookctl.1"], files: expect.arrayContaining(["man"]) });
});
