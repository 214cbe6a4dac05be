import fc from "fast-check";
import { expect, test } from "vitest";
import { isCovered } from "../../../packages/testing/reporters/report-texts.ts";
import { TEST_REPORTERS } from "../../../packages/testing/reporters/test-reporters.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { anyReport, CONTEXT, failuresIn, reportOf, reportText } from "./reports.ts";

/** Everything that steers a terminal, but for our line ends. */
const STEERING = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

test("no text steers the terminal, and each failure and each note has its line", () => {
  fc.assert(
    fc.property(anyReport, fc.boolean(), fc.boolean(), (report, isVerbose, isQuiet) => {
      const text = reportText("pretty", report, { ...CONTEXT, isVerbose, isQuiet });
      expect(text).not.toMatch(STEERING);
      const failed = report.hooks.flatMap(({ checks }) => checks.filter(({ passed }) => !passed)).length;
      expect(text.match(/^ {3}✖ /gm)?.length ?? 0).toBe(failed);
      const uncovered = report.hooks.filter(({ coverage }) => !isCovered(coverage)).length;
      const survive = report.hooks.flatMap(({ mutation }) => {
        const cases = mutation?.filter(({ survivors }) => survivors.length > 0) ?? [];
        return [...new Set(cases.map(({ expects }) => expects))];
      });
      const notes = report.hooks.flatMap((hook) => hook.notes).length + survive.length + uncovered;
      expect(text.match(/^ {3}▲ /gm)?.length ?? 0).toBe(notes);
      const isGreen = failuresIn(report) === 0;
      if (report.hooks.length > 0)
        expect(text).toMatch(
          isGreen ? (report.notRun === undefined ? /^✔ \d+ passed/m : /^▲ \d+ passed/m) : /^✖ \d+ (failed|passed)/m,
        );
    }),
    propertyRuns(500),
  );
});

const passed = { passed: true, message: null, hint: undefined };

test("a hook that passed is one line of at most 80 columns, which is written before the others have ended", () => {
  const reporter = TEST_REPORTERS.pretty.create(CONTEXT);
  const checks = Array.from({ length: 100 }, (_, index) => ({
    ...passed,
    caseFile: index < 16 ? undefined : "cases.yaml",
  }));
  const report = reportOf(checks, { name: "a-rather-long-name-of-a-guard" });
  const lines = report.hooks.map((hook) => reporter.hook?.(hook) ?? "");
  expect(lines).toEqual([" ✔ a-rather-long-name-of-a-guard    16 checks, 84 cases               900 ms\n"]);
  expect(reporter.end(report)).toBe(`
✔ 100 passed, 1 hook, 96 ms
`);
});

test("what failed, what nobody blocked, and who failed, by name", () => {
  const good = reportOf([passed], { name: "audit-log" });
  const bad = reportOf([passed, {}], { notes: ["never-blocks"] });
  const report = { ...good, hooks: [...bad.hooks, ...good.hooks] };
  expect(reportText("pretty", report)).toMatchInlineSnapshot(`
    " ✖ guard                            2 cases, 1 failed                  18 ms
       .kodelet/hooks/guard
       test cases in .kodelet/tests/guard.yaml
       ✖ blocks rm -rf                                             9 ms
         expected the decision block, got allow
         Hint: Correct the hook, or the case.
         Run again: hookctl test -v guard --only 'blocks rm -rf'
       ▲ no case makes it block
     ✔ audit-log                        1 case                              9 ms

    ✖ 1 failed, 2 passed, 2 hooks, 96 ms
    failed: guard
    slowest: guard, 9 ms
    "
  `);
});

test("a hook that fails a check of its own and one of its project is named once", () => {
  const { hooks, ...rest } = reportOf([{}], { name: "x-py" });
  const report = { ...rest, hooks: [...hooks, ...hooks.map((hook) => ({ ...hook, isProject: true as const }))] };
  expect(reportText("pretty", report)).toContain("\nfailed: x-py\n");
});

test("a remark on a passed check is shown, and not with -q", () => {
  const report = reportOf([{ ...passed, name: "finishes", message: "it took 4 s" }]);
  expect(reportText("pretty", report)).toContain("   ✔ finishes ");
  expect(reportText("pretty", report)).toContain("     ▲ it took 4 s\n");
  expect(reportText("pretty", report, { ...CONTEXT, isQuiet: true })).not.toContain("it took");
});
