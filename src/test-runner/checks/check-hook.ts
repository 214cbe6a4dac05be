import { searchContext } from "../../engine/hook-environment.ts";
import { missingCommands } from "../../engine/hooks/missing-command.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { searchPath } from "../../process/filter-environment.ts";
import type { Hook } from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { explain } from "../../protocol/problem-message.ts";
import { type CaseResult, runCase } from "../cases/run-case.ts";
import type { TestCase } from "../cases/test-case.ts";
import { type ScratchInvoker, scratchInvoker } from "../scratch/invoke-in-scratch.ts";
import type { ScratchProjects } from "../scratch/scratch-projects.ts";
import type { TestSubject } from "../select/test-subject.ts";
import { type CheckedHook, type CheckResult, type Finding, failedCheck, resultOf } from "../test-report.ts";
import { FILE_CHECKS } from "./file-checks.ts";
import { type CheckRun, checkIdentity, IDENTITY_CHECK, runPayloadChecks, timeoutReason } from "./invoke-checks.ts";
import { PAYLOAD_CHECKS } from "./payload-checks.ts";
import { RESPONSE_CHECKS } from "./response-checks.ts";

/** Every check by its name, in the order in which they are made. */
export const CHECKS: readonly { readonly name: string; readonly about: string }[] = [
  ...FILE_CHECKS,
  IDENTITY_CHECK,
  ...PAYLOAD_CHECKS,
  ...RESPONSE_CHECKS,
];

/** All checks of one hook, then its test cases. What needs a start is left out once it is known that there is none, or that it hangs. */
export async function checkHook(
  subject: TestSubject,
  cases: readonly TestCase[],
  { context, places }: { readonly context: RunContext; readonly places: ScratchProjects },
): Promise<CheckedHook> {
  const { hook } = subject;
  const [entryCheck] = FILE_CHECKS;
  const whole = (checks: readonly CheckResult[], reason: string): CheckedHook =>
    hookResult(subject, {
      checks,
      reason,
      wanted: [...checksFor({ isDeclared: hook !== null && hook.entry !== null }), ...cases],
    });
  if (hook === null) return whole([resultOf(entryCheck?.name ?? "", subject.fault)], "it is not started");
  const scene = {
    hook,
    namesakes: subject.namesakes,
    searchPath: searchPath(context.env.PATH ?? "", searchContext(context)),
  };
  const looks = FILE_CHECKS.filter(({ isForDeclared }) => hook.entry === null || isForDeclared);
  const missing = missingCommands(context)(hook);
  const looked = [
    ...looks.map(({ name, check }) => resultOf(name, check(scene))),
    ...(missing === null ? [] : [resultOf(entryCheck?.name ?? "", faultOf(missing))]),
  ];
  const stopper = looked.find(({ passed }) => !passed);
  if (stopper !== undefined) return whole(looked, `it is not started: “${stopper.name}” failed`);
  if (hook.kind === "shell_exec")
    return whole(looked, "it runs only for its side effect, so there is nothing to check");
  const placed = places.place(hook);
  const invoker = scratchInvoker(context, placed.projectDir, subject.recheckTrust);
  const said = hook.entry === null ? [await checkIdentity(hook, invoker)] : [];
  if (said.some(({ passed }) => !passed)) return whole([...looked, ...said], "it did not declare its event");
  const { checks, end } = await invocationChecks(placed.hook, cases, invoker);
  return whole(
    [...looked, ...said, ...checks],
    end ?? (hook.kind === "rule" ? "a rule starts no process" : "there is no response to check"),
  );
}

/** A declared hook declares its event in the settings file. */
export const checksFor = ({ isDeclared }: { readonly isDeclared: boolean }): typeof CHECKS =>
  isDeclared ? CHECKS.filter(({ name }) => !OF_FILES.has(name)) : CHECKS;

const OF_FILES: ReadonlySet<string> = new Set([
  ...FILE_CHECKS.filter(({ isForDeclared }) => !isForDeclared).map(({ name }) => name),
  IDENTITY_CHECK.name,
]);

async function invocationChecks(
  hook: Hook,
  cases: readonly TestCase[],
  invoker: ScratchInvoker,
): Promise<Pick<CheckRun, "checks" | "end">> {
  const { checks, invocations, end } = await runPayloadChecks(hook, invoker);
  const judged = RESPONSE_CHECKS.flatMap(({ name, check }) => responseResult(name, check(invocations)));
  const shown = end === null ? await caseChecks(hook, cases, invoker) : [];
  const hung = shown.find(({ wasCutShort }) => wasCutShort);
  return { checks: [...checks, ...judged, ...shown], end: hung === undefined ? end : timeoutReason(hung.name) };
}

async function caseChecks(
  hook: Hook,
  cases: readonly TestCase[],
  invoker: ScratchInvoker,
): Promise<readonly CaseResult[]> {
  const shown: CaseResult[] = [];
  for (const one of cases) {
    if (shown.at(-1)?.wasCutShort) break;
    shown.push(await runCase(one, hook, invoker));
  }
  return shown;
}

function faultOf(problem: HookProblem): Finding {
  const { summary, hint } = explain(problem);
  return failedCheck(summary, hint);
}

const responseResult = (name: string, finding: Finding | null): readonly CheckResult[] =>
  finding === null ? [] : [resultOf(name, finding)];

interface ChecksMade {
  readonly checks: readonly CheckResult[];
  /** Why the others of `wanted` were not made. */
  readonly reason: string;
  readonly wanted: readonly { readonly name: string }[];
}

function hookResult({ name, path, again }: TestSubject, { checks, reason, wanted }: ChecksMade): CheckedHook {
  const made = new Set(checks.map((check) => check.name));
  const leftOut = wanted.filter((check) => !made.has(check.name)).map((check) => ({ name: check.name, reason }));
  return { name, path, again, checks: withRepeated(checks), notes: [], skippedChecks: leftOut };
}

/** One fault makes a hook fail under every payload; a report tells it once. An unmet expectation is a fault of its case alone. */
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
