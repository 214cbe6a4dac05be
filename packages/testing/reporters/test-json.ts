import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import type { CaseProblem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { type MutationCounts, mutationCounts, mutationScore, survivorGroups } from "../mutate/survivors.ts";
import {
  type CheckedHook,
  type CheckResult,
  countChecks,
  type Evidence,
  type HookCoverage,
  type HookMutation,
  hasPassed,
  type MutationTotals,
  type NotRun,
  type TestReport,
} from "../test-report.ts";

/** The test report as JSON: `hookctl.test/1`. The three numbers count checks and test cases. */
export function testJson(examination: TestReport): string {
  return printableJson({
    schema: "hookctl.test/1",
    hooks: examination.hooks.map(hookJson),
    ...countChecks(examination),
    skipped_hooks: examination.skipped.map(({ name, path, reason, hint }) => ({ name, path, reason, hint })),
    case_faults: examination.caseFaults.map(faultJson),
    warnings: examination.warnings.map(warningText),
    not_run: examination.notRun === null ? undefined : notRunJson(examination.notRun),
    duration_ms: rounded(examination.durationMs),
    mutation: examination.mutation === undefined ? undefined : totalsJson(examination.mutation),
  });
}

function hookJson(hook: CheckedHook): JsonRecord {
  return {
    name: hook.name,
    path: hook.path,
    passed: hasPassed(hook),
    checks: hook.checks.map(checkJson),
    notes: hook.notes,
    ...hook.portability?.json,
    coverage: hook.coverage === null ? undefined : coverageJson(hook.coverage),
    left_out: hook.skippedChecks.map(({ name, reason }) => ({ name, reason })),
    mutation: hook.mutation === undefined ? undefined : mutationJson(hook.mutation),
  };
}

const notRunJson = ({ why, hooks, checks }: NotRun): JsonRecord => ({ why, hooks, checks });

/** `stop`: each respelling should be blocked or asked about; `allow`: none should. */
function mutationJson(mutation: HookMutation): JsonRecord {
  const { cases } = mutation;
  return {
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
    survivors: survivorGroups(mutation).map(({ expects, kind, count, examples }) => ({
      expects,
      kind,
      count,
      examples: examples.map(({ caseName, command }) => ({ case: caseName, command })),
    })),
  };
}

const totalsJson = ({ failUnder, ...counts }: MutationTotals): JsonRecord => ({
  ...countsJson(counts),
  fail_under: failUnder ?? undefined,
});

const countsJson = (counts: MutationCounts): JsonRecord => ({ ...counts, score: mutationScore(counts) });

function faultJson(problem: CaseProblem): JsonRecord {
  const { summary, hint } = explain(problem);
  return { file: problem.file, line: problem.line ?? undefined, code: problem.code, message: summary, hint };
}

const checkJson = ({ name, passed, message, hint, durationMs, caseFile, ...check }: CheckResult): JsonRecord => ({
  name,
  case_file: caseFile ?? undefined,
  case_line: check.caseLine ?? undefined,
  passed,
  message,
  duration_ms: rounded(durationMs),
  hint: hint ?? undefined,
  same_as: check.sameAs ?? undefined,
  evidence: check.evidence === null ? undefined : evidenceJson(check.evidence),
  as: check.replays?.map(({ agent, tool, skipped, fault }) => ({
    agent,
    tool,
    passed: fault === null,
    skipped: skipped ?? undefined,
    message: fault ?? undefined,
  })),
});

const evidenceJson = ({ payload, response, expected, found, crash }: Evidence): JsonRecord => ({
  payload: payload ?? undefined,
  response: response ?? undefined,
  expected: expected ?? undefined,
  found: found ?? undefined,
  crash: crash === null ? undefined : { ...crash },
});

const rounded = (ms: number): number => Math.round(ms * 10) / 10;

const coverageJson = ({ unit, reached, total, missing, unknownBecause }: HookCoverage): JsonRecord => ({
  unit,
  reached,
  total,
  missing,
  unknown_because: unknownBecause ?? undefined,
});
