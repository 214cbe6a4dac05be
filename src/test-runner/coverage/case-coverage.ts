import type { CaseResult } from "../cases/run-case.ts";
import { NOT_PROBED, type ProbedStart } from "../scratch/worker.ts";
import type { TestSubject } from "../select/test-subject.ts";
import type { HookCoverage } from "../test-report.ts";
import { guardCoverage } from "./guard-coverage.ts";
import { coverageProbe } from "./hook-coverage.ts";

/** What the cases of a hook or guard reach. Null for cases about all hooks together. */
export interface CaseCoverage extends ProbedStart {
  readonly read: (results: readonly CaseResult[]) => HookCoverage;
}

export function caseCoverage(subject: TestSubject, folder: string): CaseCoverage | null {
  if (subject.hook === null) return null;
  const { hook } = subject;
  if (hook.kind === "guard") return { ...NOT_PROBED, read: (results) => guardCoverage(hook.name, results) };
  return coverageProbe(hook, folder);
}
