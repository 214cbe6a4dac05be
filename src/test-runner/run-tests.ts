import { availableParallelism } from "node:os";
import type { RunContext } from "../engine/run-context.ts";
import type { CaseProblem, UsageProblem } from "../protocol/problem.ts";
import { ok, type Result } from "../protocol/result.ts";
import { nearest } from "../protocol/text/nearest.ts";
import type { Warning } from "../protocol/warning.ts";
import { casesFor, readCaseFiles } from "./cases/case-files.ts";
import type { TestCase } from "./cases/test-case.ts";
import { checksFor, type HookPart } from "./checks/check-hook.ts";
import { mutatedCases, mutationCounts } from "./mutate/survivors.ts";
import type { ScratchRoot } from "./scratch/scratch.ts";
import { testWorker } from "./scratch/worker.ts";
import { selectTestHooks, type TestCaller, type TestSelection } from "./select/select-hooks.ts";
import { isInShard, type Shard } from "./select/shard.ts";
import { testParts } from "./test-parts.ts";
import type { CheckedHook, MutationTotals, TestReport } from "./test-report.ts";

export interface TestOptions {
  /** How many hooks and cases run at a time; null: one for each processor. */
  readonly jobs: number | null;
  /** True: nothing is started after the first failure. */
  readonly isBailing: boolean;
  readonly shard: Shard | null;
  /** How the commands of cases are respelled; null: not at all. */
  readonly mutate: Pick<MutationTotals, "failUnder"> | null;
}

/** Is told what there is as soon as it is there, in the order of the report. */
export interface TestListener {
  readonly onSelected: (hooks: number, notices: readonly Warning[]) => void;
  /** False: the result cannot be shown, so no further ones are needed. */
  readonly onHook: (hook: CheckedHook) => boolean;
}

/** A report, and the hooks that were looked at for it. */
export interface TestRun {
  readonly report: TestReport;
  readonly found: TestSelection["found"];
}

export interface TestCall {
  readonly root: ScratchRoot;
  readonly caller: TestCaller;
  readonly options: TestOptions;
  readonly listener: TestListener;
}

/** Finds the hooks that the arguments select and runs every check and case of each, several at a time. */
export async function runTests(
  words: readonly string[],
  real: RunContext,
  { root, caller, options, listener }: TestCall,
): Promise<Result<TestRun, UsageProblem>> {
  const startedMs = real.elapsedMs();
  const selecting = testWorker(root.folder("select"), real);
  const lined = await selectTestHooks(words, selecting.context, caller);
  if (!lined.ok) return lined;
  const { skipped, warnings, notices, found, subjects } = lined.value;
  const { cases, faults } = readCaseFiles(lined.value.folders);
  const parts = subjects.flatMap((subject) =>
    partOf(
      { subject, hasContract: true, cases: casesFor(cases, subject.name), isMutated: options.mutate !== null },
      options.shard,
    ),
  );
  listener.onSelected(parts.length, notices);
  const length = options.jobs ?? availableParallelism();
  const workers = Array.from({ length }, (_, index) => testWorker(root.folder(String(index)), real));
  const { interrupt } = real;
  const tested = await testParts(parts, { workers, interrupt, isBailing: options.isBailing, onHook: listener.onHook });
  const report: TestReport = {
    ...tested,
    skipped: skipped.map((one) => ({ ...one, checks: checksFor(one).length + casesFor(cases, one.name).length })),
    caseFaults: [...faults, ...casesWithoutHook(cases, lined.value)],
    warnings: [...warnings, ...onlyOnce(workers.flatMap(({ places }) => places.warnings()))],
    notices,
    otherShards: subjects.length - parts.length,
    durationMs: real.elapsedMs() - startedMs,
    ...(options.mutate === null
      ? {}
      : { mutation: { ...mutationCounts(mutatedCases(tested.hooks)), ...options.mutate } }),
  };
  return ok({ report, found });
}

/** What of a hook belongs to this shard; empty: nothing. */
function partOf(whole: HookPart, shard: Shard | null): readonly HookPart[] {
  if (shard === null) return [whole];
  const { name } = whole.subject;
  const hasContract = isInShard([name], shard);
  const cases = whole.cases.filter((one) => isInShard([name, one.name], shard));
  return hasContract || cases.length > 0 ? [{ ...whole, hasContract, cases }] : [];
}

/** A hook that was renamed must not lose its cases unseen. */
function casesWithoutHook(cases: readonly TestCase[], { names }: TestSelection): readonly CaseProblem[] {
  const lost = cases.filter(({ subject }) => !names.includes(subject.name));
  const firstOfFile = new Map(lost.toReversed().map((one) => [JSON.stringify([one.file, one.subject]), one]));
  return [...firstOfFile.values()].toReversed().map(({ file, line, subject: { kind, name } }) => ({
    code: "CASE_UNKNOWN_HOOK",
    ...{ file, line, kind, hook: name, nearest: nearest(name, names) },
  }));
}

/** Every worker that copies a project finds the same faults. */
const onlyOnce = (warnings: readonly Warning[]): readonly Warning[] => [
  ...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values(),
];
