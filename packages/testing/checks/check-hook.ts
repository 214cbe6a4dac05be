import { searchContext } from "../../../src/engine/hook-environment.ts";
import { missingCommands } from "../../../src/engine/hooks/missing-command.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { searchPath } from "../../../src/process/filter-environment.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import type { KnownTools } from "../../agents/match-coverage.ts";
import { portabilityOf } from "../../agents/portability.ts";
import { hookNotes } from "../cases/judge-case.ts";
import { withReplays } from "../cases/replay-case.ts";
import { runCaseOf } from "../cases/run-case.ts";
import type { CaseResult, TestCase } from "../cases/test-case.ts";
import { caseCoverage } from "../coverage/hook-coverage.ts";
import { mutateCases, type OnMutants, type PassedCase, passedCase, type StartTask } from "../mutate/mutate-cases.ts";
import { scratchInvoker } from "../scratch/invoke-in-scratch.ts";
import { NOT_PROBED, type ProbedStart, type TestWorker } from "../scratch/worker.ts";
import type { TestSubject } from "../select/test-subject.ts";
import { type CheckedHook, type CheckResult, problemCheck, resultOf } from "../test-report.ts";
import { FILE_CHECKS } from "./file-checks.ts";
import { hookTexts } from "./hook-texts.ts";
import { checkIdentity, IDENTITY_CHECK, runPayloadChecks, timeoutReason } from "./invoke-checks.ts";
import { PAYLOAD_CHECKS } from "./payload-checks.ts";
import { RESPONSE_CHECKS } from "./response-checks.ts";

interface Named {
  readonly name: string;
}

const INVOKE_CHECKS: readonly Named[] = Object.keys({ ...PAYLOAD_CHECKS, ...RESPONSE_CHECKS }).map((name) => ({
  name,
}));
/** Every check, in the order in which they are made; docs/testing.md explains them. */
const CHECKS: readonly Named[] = [...FILE_CHECKS, IDENTITY_CHECK, ...INVOKE_CHECKS];

const [ENTRY_CHECK = IDENTITY_CHECK] = FILE_CHECKS;

/** How the steps of one hook are run. */
export interface HookSteps {
  /** Starts one step of a hook on a free worker. Returns null if the call ended before. */
  readonly start: <T>(step: number, task: (worker: TestWorker) => Promise<T>) => Promise<T | null>;
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
  const { name, path, again, hook } = subject;
  const coverage = part.coverageFolder === null ? null : caseCoverage(subject, part.coverageFolder);
  const runner = { subject, steps, probed: coverage ?? NOT_PROBED };
  const shown = contract.end === null ? await caseChecks(cases, runner) : NO_CASES;
  if (coverage !== null && shown.isReported && shown.results.length > 0) await declareCovered(runner);
  const mutation =
    contract.end === null && part.isMutated
      ? await mutateCases(shown.passed, startMutants(runner), steps.onMutants)
      : null;
  const checks = [...contract.checks, ...shown.results];
  const noResponse = hook?.kind === "rule" ? "a rule starts no process" : "there is no response to check";
  const isWhole = shown.isReported && shown.results.length === part.caseCount;
  return {
    name,
    path,
    again,
    checks: withRepeated(checks),
    skippedChecks: [
      ...missingOf(contractChecks(part), checks, contract.end ?? noResponse),
      ...missingOf(cases, checks, contract.end ?? shown.end ?? noResponse),
    ],
    notes: hook !== null && isWhole ? hookNotes(hook, cases, shown.results) : [],
    ...(hook === null ? {} : { portability: portabilityOf(hook, part.agents, hookTexts) }),
    coverage: coverage?.read(shown.isReported ? shown.results : []),
    ...(mutation === null ? {} : { mutation }),
  };
}

function missingOf(wanted: readonly Named[], made: readonly Named[], reason: string): CheckedHook["skippedChecks"] {
  const names = new Set(made.map(({ name }) => name));
  return wanted.filter(({ name }) => !names.has(name)).map(({ name }) => ({ name, reason }));
}

interface ChecksMade {
  readonly checks: readonly CheckResult[];
  /** Why the remaining checks were skipped; null if all were run. */
  readonly end: string | null;
}

/** The checks of the contract. Checks that start the hook are skipped once it cannot start or hangs. */
async function checkContract({ subject, hasContract }: HookPart, worker: TestWorker): Promise<ChecksMade> {
  if (subject.kind === "faulty")
    return { checks: [resultOf(ENTRY_CHECK.name, subject.fault)], end: "it is not started" };
  if (subject.kind !== "hook") return { checks: [], end: null };
  const { hook, recheckTrust } = subject;
  const { context } = worker;
  const fileChecks = fileResults(hook, subject.namesakes, context);
  const stopper = fileChecks.find(({ passed }) => !passed);
  if (stopper !== undefined) return { checks: fileChecks, end: `it is not started: “${stopper.name}” failed` };
  if (hook.kind === "shell_exec")
    return { checks: fileChecks, end: "it runs only for its side effect, so there is nothing to check" };
  if (!hasContract) return { checks: [], end: null };
  const placed = worker.inScratch(hook);
  const invoker = scratchInvoker(context, placed.projectDir, recheckTrust);
  const identity = hook.entry === null ? [await checkIdentity(hook, invoker)] : [];
  const before = [...fileChecks, ...identity];
  if (identity.some(({ passed }) => !passed)) return { checks: before, end: "it did not declare its event" };
  const { checks, invocations, end } = await runPayloadChecks(placed.hook, invoker);
  const judged = Object.entries(RESPONSE_CHECKS).flatMap(([name, check]) => {
    const finding = check(invocations);
    return finding === null ? [] : [resultOf(name, finding)];
  });
  return { checks: [...before, ...checks, ...judged], end };
}

function fileResults(hook: Hook, namesakes: readonly string[], context: RunContext): readonly CheckResult[] {
  const input = { hook, namesakes, searchPath: searchPath(context.env.PATH ?? "", searchContext(context)) };
  const applicable = FILE_CHECKS.filter(({ isForDeclared }) => hook.entry === null || isForDeclared);
  const missing = missingCommands(context)(hook);
  return [
    ...applicable.map(({ name, check }) => resultOf(name, check(input))),
    ...(missing === null ? [] : [resultOf(ENTRY_CHECK.name, problemCheck(missing))]),
  ];
}

/** The checks and cases of a hook in this call. */
export const wantedChecks = (part: HookPart): readonly Named[] => [...contractChecks(part), ...part.cases];

/** A built-in guard, or all hooks together, has no file and no declaration to check. */
function contractChecks({ subject: { kind, hook }, hasContract }: HookPart): readonly Named[] {
  if (!hasContract || kind === "guard" || kind === "chain") return [];
  return checksFor({ isDeclared: hook !== null && hook.entry !== null });
}

/** A declared hook declares its event in the settings file. */
export const checksFor = ({ isDeclared }: { readonly isDeclared: boolean }): readonly Named[] =>
  isDeclared ? [...FILE_CHECKS.filter(({ isForDeclared }) => isForDeclared), ...INVOKE_CHECKS] : CHECKS;

/** Runs cases of one hook. */
interface CaseRunner {
  readonly subject: TestSubject;
  readonly steps: HookSteps;
  readonly probed: ProbedStart;
}

interface CasesMade {
  readonly results: readonly CaseResult[];
  readonly passed: readonly PassedCase[];
  /** Why the remaining cases were skipped; null if all were run. */
  readonly end: string | null;
  /** False if a case hung, so that the results do not show what the cases reach. */
  readonly isReported: boolean;
}

const NO_CASES: CasesMade = { results: [], passed: [], end: null, isReported: true };

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
        const run = (again: TestCase) =>
          runCaseOf(subject, again, { ...worker, context: { ...worker.context, probed } });
        const shown = await withReplays(one, await run(one), subject.hook, run);
        hasHung ||= shown.wasCutShort;
        onResults([shown]);
        return shown;
      }),
    ),
  );
  const results = made.filter((one) => one !== null);
  const hung = results.findIndex(({ wasCutShort }) => wasCutShort);
  if (hung >= 0) {
    const end = timeoutReason(results[hung]?.name ?? "");
    return { results: results.slice(0, hung + 1), passed: [], end, isReported: false };
  }
  const passed = cases.flatMap((one, index) => passedCase(one, made[index] ?? null) ?? []);
  return { results, passed, end: results.length === made.length ? null : stopReason(), isReported: true };
}

/** After the cases themselves. */
const startMutants =
  ({ subject, steps }: CaseRunner): StartTask =>
  (task) =>
    steps.start(Number.POSITIVE_INFINITY, (worker) =>
      task(async (one) => {
        const { run, wasCutShort } = await runCaseOf(subject, one, worker);
        return { decision: run?.verdict.decision ?? null, wasCutShort };
      }),
    );

/** Lines that only the declaration of a hook runs cannot be reached by a case. */
async function declareCovered({ subject, steps, probed }: CaseRunner): Promise<void> {
  if (subject.kind !== "hook" || subject.hook.entry !== null) return;
  const { hook, recheckTrust } = subject;
  await steps.start(Number.POSITIVE_INFINITY, ({ context, inScratch }) =>
    scratchInvoker({ ...context, probed }, inScratch(hook).projectDir, recheckTrust).identify(hook),
  );
}

/** A fault that makes a hook fail under every payload is reported once. An unmet expectation concerns its case alone. */
function withRepeated(checks: readonly CheckResult[]): readonly CheckResult[] {
  const first = new Map<string, string>();
  return checks.map((check) => {
    const { name, message, passed, evidence } = check;
    if (passed || message === null || evidence?.expected !== undefined) return check;
    const sameAs = first.get(message);
    if (sameAs === undefined) first.set(message, name);
    return { ...check, sameAs };
  });
}
