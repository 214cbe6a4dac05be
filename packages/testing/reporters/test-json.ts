import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { roundedMs } from "../../../src/protocol/text/units.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { type MutationCounts, mutationCounts, mutationScore, survivorGroups } from "../mutate/survivors.ts";
import {
  type CheckedHook,
  type CheckResult,
  countChecks,
  type HookCoverage,
  hasPassed,
  type MutatedCase,
  type TestReport,
} from "../test-report.ts";

/** The test report as JSON: `hookctl.test/1`. The three numbers count checks and test cases. */
export function testJson(report: TestReport): string {
  const { mutation, notRun } = report;
  return printableJson({
    schema: "hookctl.test/1",
    hooks: report.hooks.map(hookJson),
    ...countChecks(report),
    skipped_hooks: report.skipped.map(({ name, path, reason, hint }) => ({ name, path, reason, hint })),
    case_faults: report.caseFaults.map((problem) => {
      const { summary, hint } = explain(problem);
      return { file: problem.file, line: problem.line ?? undefined, code: problem.code, message: summary, hint };
    }),
    warnings: report.warnings.map(warningText),
    not_run: notRun && { why: notRun.why, hooks: notRun.hooks, checks: notRun.checks },
    duration_ms: roundedMs(report.durationMs),
    mutation: mutation && { ...countsJson(mutation), fail_under: mutation.failUnder ?? undefined },
  });
}

const hookJson = (hook: CheckedHook): JsonRecord => ({
  name: hook.name,
  path: hook.path,
  passed: hasPassed(hook),
  checks: hook.checks.map(checkJson),
  notes: hook.notes,
  ...hook.portability?.json,
  coverage: hook.coverage && coverageJson(hook.coverage),
  left_out: hook.skippedChecks.map(({ name, reason }) => ({ name, reason })),
  mutation: hook.mutation && mutationJson(hook.mutation),
});

/** `stop`: each respelling should be blocked or asked about; `allow`: none should. */
const mutationJson = (cases: readonly MutatedCase[]): JsonRecord => ({
  ...countsJson(mutationCounts(cases)),
  cases: cases.map(({ name, file, line, expects, respellings, untried, survivors, stopped }) => ({
    name,
    case_file: file,
    case_line: line,
    expects,
    respellings,
    untried,
    survived: survivors.length,
    stopped: stopped ?? undefined,
  })),
  survivors: survivorGroups(cases).map(({ expects, kind, count, examples }) => ({
    expects,
    kind,
    count,
    examples: examples.map(({ caseName, command }) => ({ case: caseName, command })),
  })),
});

const countsJson = ({ respellings, survived }: MutationCounts): JsonRecord => ({
  respellings,
  survived,
  score: mutationScore({ respellings, survived }),
});

const checkJson = ({ name, passed, message, hint, durationMs, caseFile, ...check }: CheckResult): JsonRecord => ({
  name,
  case_file: caseFile,
  case_line: check.caseLine,
  passed,
  message,
  duration_ms: roundedMs(durationMs),
  hint,
  same_as: check.sameAs,
  evidence: check.evidence && { ...check.evidence, crash: check.evidence.crash && { ...check.evidence.crash } },
  as: check.replays?.map(({ agent, tool, skipped, fault }) => ({
    agent,
    tool,
    passed: fault === undefined,
    skipped,
    message: fault,
  })),
});

const coverageJson = ({ unit, reached, total, missing, unknownBecause }: HookCoverage): JsonRecord => ({
  unit,
  reached,
  total,
  missing,
  unknown_because: unknownBecause,
});
