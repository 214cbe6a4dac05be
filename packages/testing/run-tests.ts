import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fullHookName } from "../../src/discover/candidate-names.ts";
import type { RunContext } from "../../src/engine/run-context.ts";
import type { ScratchRoot } from "../../src/process/scratch.ts";
import { GUARD_NAMES } from "../../src/protocol/guard-settings.ts";
import { globMatches } from "../../src/protocol/match.ts";
import type { CaseProblem, UsageProblem } from "../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { nearest } from "../../src/protocol/text/nearest.ts";
import type { Warning } from "../../src/protocol/warning.ts";
import { type KnownTools, knownTools } from "../agents/match-coverage.ts";
import { casesFor, readCaseFiles } from "./cases/case-files.ts";
import { stopsCall } from "./cases/replay-case.ts";
import { writeSnapshots } from "./cases/snapshots.ts";
import type { TestCase } from "./cases/test-case.ts";
import { checksFor, type HookPart } from "./checks/check-hook.ts";
import type { OnMutants } from "./mutate/mutate-cases.ts";
import { mutatedCases, mutationCounts } from "./mutate/survivors.ts";
import { testWorker } from "./scratch/worker.ts";
import { caseSubjects } from "./select/case-subjects.ts";
import { planSelection, type TestCaller, type TestPlan } from "./select/plan-selection.ts";
import { selectTestHooks, type TestSelection } from "./select/select-hooks.ts";
import { isInShard, type Shard } from "./select/shard.ts";
import type { TestSubject } from "./select/test-subject.ts";
import { startParts } from "./test-parts.ts";
import type { CheckedHook, MutationTotals, NotTestedHook, SkippedHook, TestReport } from "./test-report.ts";

export interface TestOptions {
  /** The number of hooks and cases that run at a time; null for one per processor. */
  readonly jobs: number | null;
  /** True: nothing is started after the first failure. */
  readonly isBailing: boolean;
  readonly shard: Shard | null;
  /** Only hooks or cases whose name matches this glob; null for all. */
  readonly only: string | null;
  /** Records what of each hook its cases reach. */
  readonly isCovered: boolean;
  /** Writes the snapshots of cases that expect nothing else. */
  readonly isUpdating: boolean;
  /** True: of each hook only a case that stops a tool call. */
  readonly isStopOnly?: boolean;
  /** Options of respelling; null if commands are not respelled. */
  readonly mutate: Pick<MutationTotals, "failUnder"> | null;
}

/** Receives results as soon as they are available, in the order of the report. */
export interface TestListener {
  /** Called with an estimate of the number of hooks, then with the number. */
  readonly onSelected: (hooks: number) => void;
  readonly onNotices: (notices: readonly Warning[]) => void;
  /** Returns false if the result cannot be shown, so that no further ones are needed. */
  readonly onHook: (hook: CheckedHook) => boolean;
  readonly onMutants: OnMutants;
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
  readonly listener: TestListener;
}

/** Finds the hooks that the arguments select and runs every check and case of each, several at a time. */
export async function runTests(
  words: readonly string[],
  real: RunContext,
  { root, caller, options, listener }: TestCall,
): Promise<Result<TestRun, UsageProblem>> {
  const startedMs = real.elapsedMs();
  const { context } = testWorker(root.folder("select"), real);
  const planned = planSelection(words, context, caller);
  if (!planned.ok) return planned;
  const plan = planned.value;
  const { cases: written, faults } = readCaseFiles(plan.folders, options.isUpdating ? real.userId : null);
  const named = written.map((one) => withFullName(one, plan.names));
  const cases = caller.isIncluded === undefined ? named : named.filter(isOfOneHook);
  const agents = await knownTools(caller.agents);
  const call: PlanCall = { plan, cases, context, real, agents, root, caller, options, listener };
  const { tested, selection, counts, skipped, copyWarnings } = await testPlan(call);
  const caseFaults = [...faults, ...casesWithoutHook(cases, plan)];
  // An unusable hook may have the name.
  if (options.only !== null && counts.selected + skipped.length + caseFaults.length === 0)
    return fail(nothingSelected(options.only, [...plan.names, ...cases.map(({ name }) => name)]));
  const results = tested.hooks.flatMap(({ checks }) => checks);
  const unwritten = options.isUpdating ? writeSnapshots(results, named) : [];
  const report: TestReport = {
    ...tested,
    skipped: skipped.map(withCount),
    caseFaults: [...caseFaults, ...unwritten],
    warnings: [...selection.warnings, ...copyWarnings],
    notices: selection.notices,
    otherShards: counts.selected - counts.tested,
    durationMs: real.elapsedMs() - startedMs,
    ...(options.mutate === null
      ? {}
      : { mutation: { ...mutationCounts(mutatedCases(tested.hooks)), ...options.mutate } }),
  };
  return ok({ report, found: selection.found });
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
  const { plan, cases, context, real, root, caller, options, listener } = call;
  const length = options.jobs ?? availableParallelism();
  const workers = Array.from({ length }, (_, index) => testWorker(root.folder(String(index)), real));
  const testing = startParts({ workers, interrupt: real.interrupt, isBailing: options.isBailing, ...listener });
  const counts = { selected: 0, tested: 0 };
  const add = (subject: TestSubject, own: readonly TestCase[]): void => {
    for (const selected of selectOnly(
      wholePart(subject, own, { call, place: counts.selected }),
      subject.name,
      options.only,
    )) {
      counts.selected++;
      for (const part of partOf(selected, options.shard)) {
        counts.tested++;
        testing.add(part);
      }
    }
  };
  listener.onSelected(plan.searches.reduce((sum, { found }) => sum + found.candidates.length, 0));
  const selection = await selectTestHooks(plan, caller.settingsWarnings, {
    inTurn: testing.inTurn,
    onSubject: (subject) => add(subject, casesFor(cases, subject)),
  });
  const extra = caseSubjects({ ...selection, guards: plan.guards }, cases, { context, again: caller.again });
  for (const { subject, cases: own } of extra.subjects) add(subject, own);
  listener.onSelected(counts.tested);
  listener.onNotices(selection.notices);
  const left = [...selection.skipped.map((one) => ({ one, cases: skippedCases(one, cases) })), ...extra.skipped];
  return {
    tested: await testing.end(),
    selection,
    counts,
    skipped: left.flatMap((part) => selectOnly({ ...part, hasContract: true }, part.one.name, options.only)),
    copyWarnings: onlyOnce(workers.flatMap(({ projects }) => projects.warnings())),
  };
}

function wholePart(
  subject: TestSubject,
  cases: readonly TestCase[],
  { call: { root, options, agents }, place }: { readonly call: PlanCall; readonly place: number },
): HookPart {
  const { isStopOnly } = options;
  const stops = isStopOnly === true ? cases.filter(stopsCall).slice(0, 1) : cases;
  const coverageFolder = options.isCovered ? join(root.dir, `coverage-${place}`) : null;
  return {
    subject,
    hasContract: isStopOnly !== true,
    cases: stops,
    caseCount: cases.length,
    coverageFolder,
    isMutated: options.mutate !== null,
    agents,
  };
}

interface SkippedPart extends Pick<HookPart, "hasContract" | "cases"> {
  readonly one: NotTestedHook;
}

const withCount = ({ one, hasContract, cases }: SkippedPart): SkippedHook => ({
  ...one,
  checks: cases.length + (hasContract ? checksFor(one).length : 0),
});

const skippedCases = ({ name }: NotTestedHook, cases: readonly TestCase[]): readonly TestCase[] =>
  casesFor(cases, { kind: "hook", name });

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

/** The cases of a renamed hook must not be skipped silently. */
function casesWithoutHook(cases: readonly TestCase[], { names }: TestPlan): readonly CaseProblem[] {
  const lost = cases.flatMap(({ file, line, subject }) =>
    subject.kind === "chain" || subject.kind === "guard" || names.includes(subject.name)
      ? []
      : [{ file, line, subject, key: JSON.stringify([file, subject]) }],
  );
  const first = new Map<string, (typeof lost)[number]>();
  for (const one of lost) if (!first.has(one.key)) first.set(one.key, one);
  return Array.from(first.values(), ({ file, line, subject: { kind, name } }) => ({
    code: "CASE_UNKNOWN_HOOK",
    file,
    line,
    kind,
    hook: name,
    nearest: nearest(name, names) ?? guardNamed(name),
  }));
}

const guardNamed = (name: string): string | null =>
  GUARD_NAMES.some((guard) => guard === name) ? `guard: ${name}` : null;

/** Every worker that copies a project finds the same faults. */
const onlyOnce = (warnings: readonly Warning[]): readonly Warning[] => [
  ...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values(),
];

/** A hook or guard with its cases, of which `--only` may select some. */
interface Part {
  readonly cases: readonly TestCase[];
  readonly hasContract: boolean;
}

/**
 * The whole hook if its name matches the glob, else its cases with matching names; empty if none match. Null selects
 * everything.
 */
function selectOnly<P extends Part>(whole: P, name: string, only: string | null): readonly P[] {
  if (only === null || globMatches(only, name)) return [whole];
  const cases = whole.cases.filter((one) => globMatches(only, one.name));
  return cases.length === 0 ? [] : [{ ...whole, hasContract: false, cases }];
}

function nothingSelected(only: string, names: readonly string[]): UsageProblem {
  const near = nearest(only, names);
  const detail = `no hook and no test case has this name${near === null ? "" : `. Did you mean ${near}?`}`;
  return { code: "USAGE_BAD_VALUE", flag: "--only", value: only, detail };
}
