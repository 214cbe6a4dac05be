import { type Hook, hookForEvent } from "../../../src/protocol/hook.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { findCrash } from "../../../src/protocol/text/crash.ts";
import type { Identification, ScratchInvoker } from "../scratch/invoke-in-scratch.ts";
import { type CheckResult, type Evidence, type Finding, failedCheck, passedCheck, resultOf } from "../test-report.ts";
import { PAYLOAD_CHECKS, type PayloadCheck, payloadsFor } from "./payload-checks.ts";
import { type Invocation, isUnreadableBlock } from "./response-checks.ts";

export const IDENTITY_CHECK = {
  name: "declares its event",
  about: "called with `hook`, it prints an event name or a declaration, within 5 s, the same each time",
};

/** Runs the declaration of a hook a second time: it must be the same. Reports its output and duration. */
export async function checkIdentity(hook: Hook, invoker: ScratchInvoker): Promise<CheckResult> {
  const { refusal } = hook;
  const hung = refusal?.code === "HOOK_TIMED_OUT" ? refusal.afterMs : null;
  const declared = hung === null ? await invoker.identify(hook) : null;
  return {
    ...resultOf(IDENTITY_CHECK.name, identityFinding(hook, declared)),
    durationMs: declared?.durationMs ?? hung ?? 0,
    evidence: crashEvidence(declared?.stderr ?? ""),
    printed: declared === null ? [] : printedLines(declared.stdout, declared.stderr),
  };
}

function identityFinding({ refusal, events }: Hook, declared: Identification | null): Finding {
  const problem = refusal ?? (declared?.identity.ok === false ? declared.identity.error : null);
  if (problem !== null) {
    const { summary, hint } = explain(problem);
    return failedCheck(summary, `A helper that is not a hook belongs in a sub-folder. ${hint}`);
  }
  const again = declared?.identity.ok ? declared.identity.value.events : events;
  if (again.join() === events.join()) return passedCheck();
  return failedCheck(
    `it declared ${events.join(", ")}, and then ${again.join(", ")}`,
    "Print the same declaration each time.",
  );
}

export interface CheckRun {
  readonly checks: readonly CheckResult[];
  readonly invocations: readonly Invocation[];
  /** Why the remaining checks were not run; null if all were. */
  readonly end: string | null;
}

/** Runs one check after the other; a hook that timed out once is not started again. */
export async function runPayloadChecks(hook: Hook, invoker: ScratchInvoker): Promise<CheckRun> {
  const checks: CheckResult[] = [];
  const answers: Invocation[] = [];
  for (const check of PAYLOAD_CHECKS) {
    const invocations = await invokeFor(check, hook, invoker);
    if (invocations.length === 0) continue;
    answers.push(...invocations);
    checks.push(payloadResult(check, invocations));
    if (invocations.some(wasCutShort)) return { checks, invocations: answers, end: timeoutReason(check.name) };
  }
  return { checks, invocations: answers, end: null };
}

/** Why no further check is run. */
export const timeoutReason = (name: string): string => `it exceeded its timeout at “${name}”`;

async function invokeFor(check: PayloadCheck, hook: Hook, invoker: ScratchInvoker): Promise<readonly Invocation[]> {
  const invocations: Invocation[] = [];
  for (const payload of payloadsFor(check, hook, invoker)) {
    const answer = await invoker.invoke(hookForEvent(hook, payload.event), payload, check.name);
    invocations.push(answer);
    if (wasCutShort(answer)) break;
  }
  return invocations;
}

/** True if it timed out or the call was interrupted. */
export const wasCutShort = ({ result: { response } }: Invocation): boolean =>
  !response.ok && ["HOOK_TIMED_OUT", "HOOK_INTERRUPTED"].includes(response.error.code);

function payloadResult({ name }: PayloadCheck, invocations: readonly Invocation[]): CheckResult {
  const failed = invocations.find(isFailure);
  return {
    ...resultOf(name, failureFinding(invocations)),
    durationMs: Math.max(...invocations.map(({ result }) => result.durationMs)),
    evidence: crashEvidence(failed?.result.stderr ?? ""),
    printed: invocations.flatMap(({ result, stdout }) => printedLines(stdout, result.stderr)),
  };
}

/** The failure of the hook itself. Its output, and a block that a failure discarded, have checks of their own. */
function failureFinding(invocations: readonly Invocation[]): Finding {
  const failed = invocations.find((answer) => isFailure(answer) && !isUnreadableBlock(answer));
  if (failed === undefined || failed.result.response.ok) return passedCheck();
  const { summary, hint } = explain(failed.result.response.error);
  return failedCheck(summary, hint);
}

const isFailure = ({ result: { response } }: Invocation): boolean =>
  !response.ok && response.error.code.startsWith("HOOK_");

const NO_EVIDENCE: Evidence = { payload: null, response: null, expected: null, found: null, crash: null };

/** The line at which the hook threw; null if stderr does not show it. */
function crashEvidence(stderr: string): Evidence | null {
  const crash = findCrash(stderr);
  return crash === null ? null : { ...NO_EVIDENCE, crash };
}

const MOST_LINES = 20;

/** The output of a hook, line by line. */
export function printedLines(stdout: string, stderr: string): readonly string[] {
  return [...streamLines("stdout", stdout), ...streamLines("stderr", stderr)];
}

function streamLines(stream: string, text: string): readonly string[] {
  if (text.trim() === "") return [];
  const lines = text.replace(/\n$/, "").split("\n");
  const more = lines.length > MOST_LINES ? [`${stream} | … ${pluralize(lines.length - MOST_LINES, "more line")}`] : [];
  return [...lines.slice(0, MOST_LINES).map((line) => `${stream} | ${line}`), ...more];
}
