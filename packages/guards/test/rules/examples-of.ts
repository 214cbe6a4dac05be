import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { analyzeCommand } from "../../command/analyze.ts";
import type { CommandPlace } from "../../command/call.ts";
import { fileAccessesOf } from "../../command/files/file-access.ts";
import { EXAMPLES, type Example } from "../../examples.ts";
import type { Finding, Guard, GuardContext } from "../../guard.ts";

export const PLACE: CommandPlace = {
  folder: "/home/dev/shop",
  home: "/home/dev",
  project: "/home/dev/shop",
  variables: {},
};

type Known = Partial<Pick<GuardContext, "paths" | "ownFiles">>;

/** The strictest finding of a guard in a command. */
export function findingOf(guard: Guard, { command, folder = "." }: Example, known: Known = {}): Finding | null {
  const place = { ...PLACE, folder: posix.join(PLACE.project, folder) };
  const context: GuardContext = { place, commands: [command], paths: [], ownFiles: [], ...known };
  const analysis = analyzeCommand(command, place);
  const found = [
    ...analysis.calls.map((call) => guard.judgeCall?.(call, context, analysis.calls) ?? null),
    guard.judgeCommand?.(analysis, context) ?? null,
    ...analysis.calls.flatMap(fileAccessesOf).map((file) => guard.judgeFile?.(file, context) ?? null),
  ];
  return found.find((one) => one?.decision === "block") ?? found.find((one) => one !== null) ?? null;
}

export const decisionOf = (guard: Guard, command: string, known: Known = {}): string =>
  findingOf(guard, { command }, known)?.decision ?? "allow";

/** Rules about several calls, which no single command shows. */
const LATER = new Set(["send-after-read"]);

/** The examples of a guard are its tests. */
export function testExamples(guard: Guard, known: Known = {}): void {
  const { blocked, asked, allowed, gaps } = EXAMPLES[guard.name];
  describe(`the examples of ${guard.name}`, () => {
    test.each(blocked)("blocked: $command", (example) => {
      const found = findingOf(guard, example, known);
      expect(found?.decision).toBe("block");
      expect(guard.rules).toHaveProperty([found?.rule ?? ""]);
    });
    test.each(asked)("asked: $command", (example) => expect(findingOf(guard, example, known)?.decision).toBe("ask"));
    test.each([...allowed, ...gaps])("not stopped: $command", (example) =>
      expect(findingOf(guard, example, known)).toBeNull(),
    );
    test("each rule is shown by one", () => {
      const rules = [...blocked, ...asked].map((example) => findingOf(guard, example, known)?.rule);
      expect(Object.keys(guard.rules).filter((rule) => !rules.includes(rule) && !LATER.has(rule))).toEqual([]);
    });
  });
}
