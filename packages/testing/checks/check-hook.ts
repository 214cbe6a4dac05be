import { searchContext } from "../../../src/engine/hook-environment.ts";
import { hookTexts } from "../../../src/engine/hooks/hook-texts.ts";
import { missingCommands } from "../../../src/engine/hooks/missing-command.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { searchPath } from "../../../src/process/filter-environment.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import type { HookProblem } from "../../../src/protocol/problem.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import type { KnownTools } from "../../agents/match-coverage.ts";
import { portabilityOf } from "../../agents/portability.ts";
import type { CaseResult } from "../cases/case-run.ts";
import { replayCase, replayFinding } from "../cases/replay-case.ts";
import { runCaseOf } from "../cases/run-case.ts";
import type { TestCase } from "../cases/test-case.ts";
import { caseCoverage } from "../coverage/hook-coverage.ts";
import { mutateCases, type OnMutants, type PassedCase, passedCase, type StartTask } from "../mutate/mutate-cases.ts";
import { scratchInvoker } from "../scratch/invoke-in-scratch.ts";
import { NOT_PROBED, type ProbedStart, type TestWorker } from "../scratch/worker.ts";
import type { TestSubject } from "../select/test-subject.ts";
import {
  type CheckedHook,
  type CheckResult,
  type Finding,
  failedCheck,
  resultOf,
  type SkippedCheck,
} from "../test-report.ts";
import { FILE_CHECKS } from "./file-checks.ts";
import { hookNotes } from "./hook-notes.ts";
import { checkIdentity, IDENTITY_CHECK, runPayloadChecks, timeoutReason } from "./invoke-checks.ts";
import { PAYLOAD_CHECKS } from "./payload-checks.ts";
import { RESPONSE_CHECKS } from "./response-checks.ts";

/** Every check by its name, in the order in which they are made. */
export const CHECKS: readonly { readonly name: string; readonly about: string }[] = [
  ...FILE_CHECKS,
  IDENTITY_CHECK,
  ...PAYLOAD_CHECKS,
  ...RESPONSE_CHECKS,
];

/** Starts one step of a hook on a free worker. Returns null if the call ended before. */
export type StartStep = <T>(step: number, task: (worker: TestWorker) => Promise<T>) => Promise<T | null>;

/** How the steps of one hook are run. */
export interface HookSteps {
  readonly start: StartStep;
  /** Called with the results of a step as soon as they are available. */
  readonly onResults: (checks: readonly CheckResult[]) => void;
  readonly onMutants: OnMutants;
  /** Why a step was not started. */
  readonly stopReason: () => string;
}

/** The part of a hook that this call tests. */
export interface HookPart {
  readonly subject: TestSubject;
  readonly hasContract: boolean;
  readonly cases: readonly TestCase[];
  /** Includes the cases of the hook that this call does not run. */
  readonly caseCount: number;
  /** The folder of the coverage data; null if coverage is not measured. */
  readonly coverageFolder: string | null;
  /** True: the commands of its cases are respelled, too. */
  readonly isMutated: boolean;
  readonly agents: readonly KnownTools[];
}

/** Runs all checks of one hook, then its test cases, several at a time. Returns null if none was started. */
export async function checkHook(part: HookPart, steps: HookSteps): Promise<CheckedHook | null> {
  const { subject, cases } = part;
  const contract = await steps.start(0, (worker) => checkContract(part, worker));
  if (contract === null) return null;
  steps.onResults(contract.checks);
  const { hook } = subject;
  const coverage = part.coverageFolder === null ? null : caseCoverage(subject, part.coverageFolder);
  const runner = contract.end === null ? { subject, steps, probed: coverage ?? NOT_PROBED } : null;
  const shown = runner === null ? NO_CASES : await caseChecks(cases, runner);
  if (coverage !== null && runner !== null && shown.results.length > 0) await declareCovered(runner);
  const mutation =
    runner === null || !part.isMutated ? null : await mutateCases(shown.passed, startMutants(runner), steps.onMutants);
  const checks = [...contract.checks, ...shown.checks];
  const nothing = hook?.kind === "rule" ? "a rule starts no process" : "there is no response to check";
  const leftOut = [
    ...missingOf(contractChecks(part), checks, contract.end ?? nothing),
    ...missingOf(cases, checks, contract.end ?? shown.end ?? nothing),
  ];
  const { name, path, again } = subject;
  const isWhole = shown.results.length === part.caseCount;
  return {
    name,
    path,
    again,
    checks: withRepeated(checks),
    skippedChecks: leftOut,
    notes: hook !== null && isWhole ? hookNotes(hook, cases, shown.results) : [],
    ...(hook === null ? {} : { portability: portabilityOf(hook, part.agents, hookTexts) }),
    coverage: coverage?.read(shown.results) ?? null,
    ...(mutation === null ? {} : { mutation }),
  };
}

interface Named {
  readonly name: string;
}

function missingOf(wanted: readonly Named[], made: readonly Named[], reason: string): readonly SkippedCheck[] {
  const names = new Set(made.map(({ name }) => name));
  return wanted.filter(({ name }) => !names.has(name)).map(({ name }) => ({ name, reason }));
}

/** The checks of the contract. Checks that start the hook are skipped once it cannot start or hangs. */
async function checkContract(
  { subject, hasContract }: HookPart,
  { context, projects }: TestWorker,
): Promise<ChecksMade> {
  if (subject.kind !== "hook") return NO_CHECKS;
  const { hook } = subject;
  const [entryCheck] = FILE_CHECKS;
  if (hook === null) return { checks: [resultOf(entryCheck?.name ?? "", subject.fault)], end: "it is not started" };
  const fileChecks = fileResults(hook, subject.namesakes, context);
  const stopper = fileChecks.find(({ passed }) => !passed);
  if (stopper !== undefined) return { checks: fileChecks, end: `it is not started: “${stopper.name}” failed` };
  if (hook.kind === "shell_exec")
    return { checks: fileChecks, end: "it runs only for its side effect, so there is nothing to check" };
  if (!hasContract) return NO_CHECKS;
  const placed = projects.inScratch(hook);
  const invoker = scratchInvoker(context, placed.projectDir, subject.recheckTrust);
  const identity = hook.entry === null ? [await checkIdentity(hook, invoker)] : [];
  if (identity.some(({ passed }) => !passed))
    return { checks: [...fileChecks, ...identity], end: "it did not declare its event" };
  const { checks, invocations, end } = await runPayloadChecks(placed.hook, invoker);
  const judged = RESPONSE_CHECKS.flatMap(({ name, check }) => responseResult(name, check(invocations)));
  return { checks: [...fileChecks, ...identity, ...checks, ...judged], end };
}

function fileResults(hook: Hook, namesakes: readonly string[], context: RunContext): readonly CheckResult[] {
  const scene = { hook, namesakes, searchPath: searchPath(context.env.PATH ?? "", searchContext(context)) };
  const applicable = FILE_CHECKS.filter(({ isForDeclared }) => hook.entry === null || isForDeclared);
  const missing = missingCommands(context)(hook);
  const [entryCheck] = FILE_CHECKS;
  return [
    ...applicable.map(({ name, check }) => resultOf(name, check(scene))),
    ...(missing === null ? [] : [resultOf(entryCheck?.name ?? "", faultOf(missing))]),
  ];
}

/** The checks and cases of a hook in this call. */
export const wantedChecks = (part: HookPart): readonly Named[] => [...contractChecks(part), ...part.cases];

/** A built-in guard, or all hooks together, has no file and no declaration to check. */
const contractChecks = ({ subject: { kind, hook }, hasContract }: HookPart): readonly Named[] =>
  hasContract && kind === "hook" ? checksFor({ isDeclared: hook !== null && hook.entry !== null }) : [];

/** A declared hook declares its event in the settings file. */
export const checksFor = ({ isDeclared }: { readonly isDeclared: boolean }): typeof CHECKS =>
  isDeclared ? CHECKS.filter(({ name }) => !OF_FILES.has(name)) : CHECKS;

const OF_FILES: ReadonlySet<string> = new Set([
  ...FILE_CHECKS.filter(({ isForDeclared }) => !isForDeclared).map(({ name }) => name),
  IDENTITY_CHECK.name,
]);

interface ChecksMade {
  readonly checks: readonly CheckResult[];
  /** Why the remaining checks were skipped; null if all were run. */
  readonly end: string | null;
}

interface CasesMade extends ChecksMade {
  readonly results: readonly CaseResult[];
  readonly passed: readonly PassedCase[];
}

const NO_CHECKS: ChecksMade = { checks: [], end: null };
const NO_CASES: CasesMade = { ...NO_CHECKS, results: [], passed: [] };

/** Runs cases of one hook. */
interface CaseRunner {
  readonly subject: TestSubject;
  readonly steps: HookSteps;
  readonly probed: ProbedStart;
}

/**
 * Runs each case in its own scratch folder. After a case that hangs no other is reported, so that reports are
 * reproducible.
 */
async function caseChecks(cases: readonly TestCase[], { subject, steps, probed }: CaseRunner): Promise<CasesMade> {
  const { start, onResults, stopReason } = steps;
  let hasHung = false;
  const made = await Promise.all(
    cases.map((one, index) =>
      start(index + 1, async (worker) => {
        if (hasHung) return null;
        const shown = await runReplayed(subject, one, { ...worker, context: { ...worker.context, probed } });
        hasHung ||= shown.wasCutShort;
        onResults([shown]);
        return shown;
      }),
    ),
  );
  const shown = made.filter((one) => one !== null);
  const hung = shown.findIndex(({ wasCutShort }) => wasCutShort);
  if (hung >= 0)
    return { checks: shown.slice(0, hung + 1), end: timeoutReason(shown[hung]?.name ?? ""), results: [], passed: [] };
  const passed = cases.flatMap((one, index) => passedCase(one, made[index] ?? null) ?? []);
  return { checks: shown, end: shown.length === made.length ? null : stopReason(), results: shown, passed };
}

/** A case, and if it stops a tool call, the same call as each agent makes it. */
async function runReplayed(subject: TestSubject, one: TestCase, worker: TestWorker): Promise<CaseResult> {
  const result = await runCaseOf(subject, one, worker);
  const replays = await replayCase(one, result, subject.hook, (again) => runCaseOf(subject, again, worker));
  return replays.length === 0 ? result : { ...result, ...replayFinding(replays, result), replays };
}

/** After the cases themselves. */
const startMutants =
  (runner: CaseRunner): StartTask =>
  (task) =>
    runner.steps.start(Number.POSITIVE_INFINITY, (worker) =>
      task(async (one) => {
        const { run, wasCutShort } = await runCaseOf(runner.subject, one, worker);
        return { decision: run?.verdict.decision ?? null, wasCutShort };
      }),
    );

/** Lines that only the declaration of a hook runs cannot be reached by a case. */
async function declareCovered({ subject, steps, probed }: CaseRunner): Promise<void> {
  if (subject.kind !== "hook" || subject.hook === null || subject.hook.entry !== null) return;
  const { hook, recheckTrust } = subject;
  await steps.start(Number.POSITIVE_INFINITY, ({ context, projects }) =>
    scratchInvoker({ ...context, probed }, projects.inScratch(hook).projectDir, recheckTrust).identify(hook),
  );
}

function faultOf(problem: HookProblem): Finding {
  const { summary, hint } = explain(problem);
  return failedCheck(summary, hint);
}

const responseResult = (name: string, finding: Finding | null): readonly CheckResult[] =>
  finding === null ? [] : [resultOf(name, finding)];

/**
 * A fault that makes a hook fail under every payload is reported once. An unmet expectation concerns its case alone.
 */
function withRepeated(checks: readonly CheckResult[]): readonly CheckResult[] {
  const first = new Map<string, string>();
  return checks.map((check) => {
    const isOfCaseAlone = check.evidence !== null && check.evidence.expected !== null;
    if (check.passed || check.message === null || isOfCaseAlone) return check;
    const earlier = first.get(check.message);
    if (earlier === undefined) first.set(check.message, check.name);
    return { ...check, sameAs: earlier ?? null };
  });
}
