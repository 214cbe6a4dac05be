import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fullHookName } from "../../src/discover/candidate-names.ts";
import type { RunContext } from "../../src/engine/run-context.ts";
import type { ScratchRoot } from "../../src/process/scratch.ts";
import { GUARD_NAMES } from "../../src/protocol/guard-settings.ts";
import { globMatches } from "../../src/protocol/match.ts";
import type { CaseProblem, UsageProblem } from "../../src/protocol/problem.ts";
import { ProblemError } from "../../src/protocol/result.ts";
import { nearest } from "../../src/protocol/text/nearest.ts";
import { type KnownTools, knownTools } from "../agents/match-coverage.ts";
import { casesFor, readCaseFiles } from "./cases/case-files.ts";
import { stopsCall } from "./cases/replay-case.ts";
import { writeSnapshots } from "./cases/snapshots.ts";
import type { TestCase } from "./cases/test-case.ts";
import { checksFor, type HookPart } from "./checks/check-hook.ts";
import { mutatedCases, mutationCounts } from "./mutate/survivors.ts";
import { testWorker } from "./scratch/worker.ts";
import { caseSubjects } from "./select/case-subjects.ts";
import { planSelection, type TestCaller, type TestPlan } from "./select/plan-selection.ts";
import { selectTestHooks, type TestSelection } from "./select/select-hooks.ts";
import { isInShard, type Shard } from "./select/shard.ts";
import type { TestSubject } from "./select/test-subject.ts";
import { startParts, type TestListener } from "./test-parts.ts";
import type { MutationTotals, TestReport } from "./test-report.ts";

export interface TestOptions {
  /** The number of hooks and cases that run at a time; null for one per processor. */
  readonly jobs?: number | null;
  /** True: nothing is started after the first failure. */
  readonly isBailing?: boolean;
  readonly shard?: Shard | null;
  /** Only hooks or cases whose name matches this glob; null for all. */
  readonly only?: string | null;
  /** Records what of each hook its cases reach. */
  readonly isCovered?: boolean;
  /** Writes the snapshots of cases that expect nothing else. */
  readonly isUpdating?: boolean;
  /** True: of each hook only a case that stops a tool call. */
  readonly isStopOnly?: boolean;
  /** Options of respelling; null if commands are not respelled. */
  readonly mutate?: Pick<MutationTotals, "failUnder"> | null;
}

/** A report, and the hooks that were considered for it. */
export interface TestRun {
  readonly report: TestReport;
  readonly found: TestSelection["found"];
}

interface TestCall {
  readonly root: ScratchRoot;
  readonly caller: TestCaller;
  readonly options: TestOptions;
  readonly listener?: TestListener;
}

/** Finds the hooks that the arguments select and runs every check and case of each, several at a time. */
export async function runTests(words: readonly string[], real: RunContext, call: TestCall): Promise<TestRun> {
  const { root, caller, options } = call;
  const { only = null } = options;
  const startedMs = real.elapsedMs();
  const { context } = testWorker(root.folder("select"), real);
  const plan = planSelection(words, context, caller);
  const folders = plan.searches.flatMap((search) => search.folders);
  const written = readCaseFiles(folders, options.isUpdating ? real.userId : null);
  const named = written.cases.map((one) => withFullName(one, plan.names));
  const cases = caller.isIncluded === undefined ? named : named.filter(isOfOneHook);
  const agents = await knownTools(caller.agents);
  const tested = await testPlan({ ...call, plan, cases, context, real, agents });
  const { selection, skipped } = tested;
  const faults = [...written.faults, ...casesWithoutHook(cases, plan)];
  // An unusable hook may have the name.
  if (only !== null && tested.selectedCount + skipped.length + faults.length === 0)
    throw new ProblemError(nothingSelected(only, [...plan.names, ...cases.map(({ name }) => name)]));
  const results = tested.hooks.flatMap(({ checks }) => checks);
  const report: TestReport = {
    hooks: tested.hooks,
    notRun: tested.notRun,
    skipped,
    caseFaults: [...faults, ...(options.isUpdating ? writeSnapshots(results, named) : [])],
    warnings: [...selection.warnings, ...tested.copyWarnings],
    otherShards: tested.selectedCount - tested.testedCount,
    durationMs: real.elapsedMs() - startedMs,
    ...(options.mutate && { mutation: { ...mutationCounts(mutatedCases(tested.hooks)), ...options.mutate } }),
  };
  return { report, found: selection.found };
}

interface PlanCall extends TestCall {
  readonly plan: TestPlan;
  readonly cases: readonly TestCase[];
  readonly context: RunContext;
  readonly real: RunContext;
  readonly agents: readonly KnownTools[];
}

/** Tests each hook as soon as it has declared its events, then the cases of all hooks together. */
async function testPlan(call: PlanCall) {
  const { plan, cases, context, real, root, caller, listener } = call;
  const { jobs, isBailing = false, only = null, shard = null } = call.options;
  const length = jobs ?? availableParallelism();
  const workers = Array.from({ length }, (_, index) => testWorker(root.folder(String(index)), real));
  const testing = startParts({
    workers,
    interrupt: real.interrupt,
    isBailing,
    onHook: (hook) => listener?.onHook(hook) ?? true,
    onMutants: (more) => listener?.onMutants(more),
  });
  let [selectedCount, testedCount] = [0, 0];
  const add = (subject: TestSubject, own: readonly TestCase[]): void => {
    const whole = wholePart(subject, own, call, join(root.dir, `coverage-${selectedCount}`));
    for (const selected of selectOnly(whole, subject.name, only)) {
      selectedCount++;
      for (const part of partOf(selected, shard)) {
        testedCount++;
        testing.add(part);
      }
    }
  };
  listener?.onSelected(plan.searches.reduce((sum, { found }) => sum + found.candidates.length, 0));
  const selection = await selectTestHooks(plan, caller.settingsWarnings, {
    context,
    inTurn: testing.inTurn,
    onSubject: (subject) => add(subject, casesFor(cases, subject)),
  });
  const extra = caseSubjects(cases, { plan, selection, context, caller });
  for (const { subject, cases: own } of extra.subjects) add(subject, own);
  listener?.onSelected(testedCount);
  listener?.onNotices(selection.notices);
  const untested = selection.skipped.map((one) => {
    return { one, cases: casesFor(cases, { kind: "hook", name: one.name }) };
  });
  const skipped = [...untested, ...extra.skipped].flatMap(({ one, cases: own }) =>
    selectOnly({ hasContract: true, cases: own }, one.name, only).map((part) => {
      return { ...one, checks: part.cases.length + (part.hasContract ? checksFor(one).length : 0) };
    }),
  );
  const tested = await testing.end();
  // Every worker that copies a project finds the same faults.
  const warnings = workers.flatMap((worker) =>
    worker.warnings.map((warning) => [JSON.stringify(warning), warning] as const),
  );
  return { ...tested, selection, selectedCount, testedCount, skipped, copyWarnings: new Map(warnings).values() };
}

function wholePart(
  subject: TestSubject,
  cases: readonly TestCase[],
  { options: { isStopOnly = false, isCovered = false, mutate = null }, agents }: PlanCall,
  coverageFolder: string,
): HookPart {
  return {
    subject,
    hasContract: !isStopOnly,
    cases: isStopOnly ? cases.filter(stopsCall).slice(0, 1) : cases,
    caseCount: cases.length,
    coverageFolder: isCovered ? coverageFolder : null,
    isMutated: mutate !== null,
    agents,
  };
}

/** The part of a hook that belongs to this shard; empty if none. */
function partOf(whole: HookPart, shard: Shard | null): readonly HookPart[] {
  if (shard === null) return [whole];
  const { name } = whole.subject;
  const hasContract = isInShard([name], shard);
  const cases = whole.cases.filter((one) => isInShard([name, one.name], shard));
  return hasContract || cases.length > 0 ? [{ ...whole, hasContract, cases }] : [];
}

const isOfOneHook = ({ subject: { kind } }: TestCase): boolean => kind !== "guard" && kind !== "chain";

/** A case may name a hook as the command line does: without its extension. */
function withFullName(one: TestCase, names: readonly string[]): TestCase {
  const { subject } = one;
  if (subject.kind !== "hook") return one;
  return { ...one, subject: { ...subject, name: fullHookName(subject.name, names) } };
}

/** The cases of a renamed hook must not be skipped silently; each file reports a name once. */
function casesWithoutHook(cases: readonly TestCase[], { names }: TestPlan): readonly CaseProblem[] {
  const lost = new Map<string, CaseProblem>();
  for (const { file, line, subject } of cases) {
    const key = JSON.stringify([file, subject]);
    if (subject.kind === "chain" || subject.kind === "guard" || names.includes(subject.name) || lost.has(key)) continue;
    const { kind, name: hook } = subject;
    const guard = GUARD_NAMES.some((known) => known === hook) ? `guard: ${hook}` : null;
    lost.set(key, { code: "CASE_UNKNOWN_HOOK", file, line, kind, hook, nearest: nearest(hook, names) ?? guard });
  }
  return [...lost.values()];
}

/**
 * The whole hook if its name matches the glob of `--only`, else its cases with matching names; empty if none match. Null
 * selects everything.
 */
function selectOnly<P extends Pick<HookPart, "cases" | "hasContract">>(
  whole: P,
  name: string,
  only: string | null,
): readonly P[] {
  if (only === null || globMatches(only, name)) return [whole];
  const cases = whole.cases.filter((one) => globMatches(only, one.name));
  return cases.length === 0 ? [] : [{ ...whole, hasContract: false, cases }];
}

function nothingSelected(only: string, names: readonly string[]): UsageProblem {
  const near = nearest(only, names);
  const detail = `no hook and no test case has this name${near === null ? "" : `. Did you mean ${near}?`}`;
  return { code: "USAGE_BAD_VALUE", flag: "--only", value: only, detail };
}
