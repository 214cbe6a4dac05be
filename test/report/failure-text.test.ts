import { describe, expect, test } from "vitest";
import { failureLines } from "../../packages/testing/reporters/failure-text.ts";
import type { CheckedHook, CheckResult, Evidence } from "../../packages/testing/test-report.ts";
import { PLAIN_STYLE } from "../../src/report/text-style.ts";

const hook: CheckedHook = {
  name: "guard",
  path: "/h/guard",
  again: "guard",
  checks: [],
  notes: [],
  skippedChecks: [],
};
const failed = (evidence: Partial<Evidence>, over: Partial<CheckResult> = {}): CheckResult => ({
  ...{ name: "one", passed: false, message: "it failed", hint: undefined, excerpt: [], durationMs: 1, printed: [] },
  ...{ caseFile: "/t/guard.json", caseLine: 3, evidence },
  ...over,
});
const linesOf = (check: CheckResult): readonly string[] => failureLines(check, hook, PLAIN_STYLE).slice(1, -1);

describe("a failure shows what explains it", () => {
  test("the part of the payload that the case set, and the raw response", () => {
    expect(linesOf(failed({ payload: '{"a":1}', response: "{}\n" }))).toEqual(['payload  {"a":1}', "response {}"]);
  });

  test("an empty response is named", () => {
    expect(linesOf(failed({ response: "" }))).toEqual(["response nothing"]);
  });

  test("short texts need no difference, because the message has both", () => {
    expect(linesOf(failed({ expected: "block", found: "allow" }))).toEqual([]);
  });

  test("JSON differs value by value", () => {
    const [expected, found] = [JSON.stringify({ a: 1, b: [2, 3] }), JSON.stringify({ a: 1, b: [2, 4] })];
    expect(linesOf(failed({ expected, found }))).toEqual([
      ...["- expected  + got", "  {", '    "a": 1,', '    "b": [', "      2,"],
      ...["-     3", "+     4", "    ]", "  }"],
    ]);
  });

  test("the place of a crash, where the message does not have it", () => {
    const crash = { file: "/h/guard.py", line: 12, message: "KeyError: 'x'" };
    expect(linesOf(failed({ crash }))).toEqual(["threw    KeyError: 'x' at guard.py:12"]);
    expect(linesOf(failed({ crash }, { message: "exit 1, KeyError: 'x' at guard.py:12" }))).toEqual([]);
  });

  test("a long difference is cut, and control characters are escaped", () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index} \u001b[2J`).join("\n");
    const lines = linesOf(failed({ expected: "", found: text }));
    expect(lines.at(-1)).toMatch(/^ {2}… \d+ more lines$/);
    expect(lines.join("")).not.toContain("\u001b");
  });
});
