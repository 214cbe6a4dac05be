import fc from "fast-check";
import { Parser, type Result } from "tap-parser";
import { expect, test } from "vitest";
import { oneLine, wellFormed } from "../../../packages/testing/reporters/report-items.ts";
import { countChecks } from "../../../packages/testing/test-report.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { anyReport, anyText, failuresIn, reportOf, reportText } from "./reports.ts";

interface Tap {
  readonly points: readonly Result[];
  readonly comments: readonly string[];
  readonly strays: readonly string[];
  readonly planEnd: number;
  readonly isBailedOut: boolean;
}

/** Read by tap-parser, in strict mode: what is no TAP is a fault. */
function parsed(text: string): Tap {
  const comments: string[] = [];
  const strays: string[] = [];
  const points: Result[] = [];
  const parser = new Parser({ strict: true });
  parser.on("comment", (comment) => comments.push(comment));
  parser.on("extra", (line) => strays.push(line));
  parser.on("assert", (point) => points.push(point));
  parser.on("child", () => strays.push("a subtest"));
  parser.end(text);
  const { results } = parser;
  expect(results?.failures.filter(({ tapError }) => tapError)).toEqual([]);
  return { points, comments, strays, planEnd: results?.plan.end ?? -1, isBailedOut: results?.bailout !== false };
}

test("every report is TAP 14: one test point for each result, nothing else", { tags: "slow" }, () => {
  fc.assert(
    fc.property(anyReport, (report) => {
      const text = reportText("tap", report);
      expect(text.startsWith("TAP version 14\n")).toBe(true);
      const tap = parsed(text);
      const { passed } = countChecks(report);
      const failed = failuresIn(report);
      const isScored = report.mutation !== undefined && report.mutation.failUnder !== null;
      const scores = isScored && failed === countChecks(report).failed ? 1 : 0;
      expect(tap).toMatchObject({ strays: [], isBailedOut: report.notRun !== undefined });
      expect(tap.points.filter(({ ok, skip }) => ok && !skip)).toHaveLength(passed + scores);
      expect(tap.points.filter(({ ok }) => !ok)).toHaveLength(failed);
      expect(tap.points.map(({ id }) => id)).toEqual(tap.points.map((_, index) => index + 1));
      expect(tap.planEnd).toBe(report.notRun === undefined ? tap.points.length : -1);
    }),
    propertyRuns(500),
  );
});

test("any name, reason and text of a failure comes back from a TAP parser", () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (name, message, payload) => {
      const evidence = { payload, response: message, expected: payload, found: message };
      const report = reportOf([{ name, message, evidence, hint: message, printed: [payload] }], {
        name,
        skippedChecks: [{ name, reason: message }],
      });
      const [failure, skipped] = parsed(reportText("tap", report)).points;
      const title = `${oneLine(name)} [${oneLine(name)}]`.trim();
      expect(failure).toMatchObject({ ok: false, name: title, skip: false, todo: false });
      const [said, sent] = [wellFormed(message), wellFormed(payload)];
      expect(failure?.diag).toMatchObject({
        ...{ message: said, payload: sent, response: said, expected: sent, found: said, hint: said, printed: sent },
        at: { file: ".kodelet/tests/guard.yaml", line: 4 },
      });
      const reason = `${oneLine(message)}.`.trim();
      expect(skipped).toMatchObject({ ok: true, name: title, skip: reason });
    }),
    propertyRuns(1000),
  );
});

test("a failure as it is read", () => {
  const report = reportOf([{ name: "allows ls", passed: true, message: null }, {}], { notes: ["never-blocks"] });
  expect(reportText("tap", report)).toMatchInlineSnapshot(`
    "TAP version 14
    ok 1 - allows ls [guard]
    not ok 2 - blocks rm -rf [guard]
      ---
      message: "expected the decision block, got allow"
      rule: "test-case"
      at: {"file":".kodelet/tests/guard.yaml","line":4}
      duration_ms: 9
      hint: "Correct the hook, or the case."
      rerun: "hookctl test -v guard --only 'blocks rm -rf'"
      ...
    # note: guard: no case makes it block
    1..2
    "
  `);
});

test("nothing to test is a plan of nothing", () => {
  expect(reportText("tap", { ...reportOf([]), hooks: [] })).toBe("TAP version 14\n1..0 # SKIP nothing to test\n");
});
