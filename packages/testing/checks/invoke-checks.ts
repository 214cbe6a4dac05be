import { type Hook, hookForEvent } from "../../../src/protocol/hook.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { findCrash } from "../../../src/protocol/text/crash.ts";
import type { Identification, Invocation, ScratchInvoker } from "../scratch/invoke-in-scratch.ts";
import {
  type CheckResult,
  type Evidence,
  type Finding,
  failedCheck,
  passedCheck,
  problemCheck,
} from "../test-report.ts";
import { PAYLOAD_CHECKS, payloadsFor } from "./payload-checks.ts";
import { isUnreadableBlock } from "./response-checks.ts";

export const IDENTITY_CHECK = { name: "declares its event" };

/** Runs the declaration of a hook a second time: it must be the same. Reports its output and duration. */
export async function checkIdentity(hook: Hook, invoker: ScratchInvoker): Promise<CheckResult> {
  const { refusal } = hook;
  const hung = refusal?.code === "HOOK_TIMED_OUT" ? refusal.afterMs : null;
  const declared = hung === null ? await invoker.identify(hook) : null;
  return {
    ...identityFinding(hook, declared),
    name: IDENTITY_CHECK.name,
    durationMs: declared?.durationMs ?? hung ?? 0,
    evidence: crashEvidence(declared?.stderr ?? ""),
    printed: declared === null ? [] : printedLines(declared.stdout, declared.stderr),
  };
}

function identityFinding({ refusal, events }: Hook, declared: Identification | null): Finding {
  const problem = refusal ?? (declared?.identity.ok === false ? declared.identity.error : null);
  if (problem !== null) {
    const { message, hint } = problemCheck(problem);
    return failedCheck(message ?? "", `A helper that is not a hook belongs in a sub-folder. ${hint}`);
  }
  const again = declared?.identity.ok ? declared.identity.value.events : events;
  if (again.join() === events.join()) return passedCheck();
  const message = `it declared ${events.join(", ")}, and then ${again.join(", ")}`;
  return failedCheck(message, "Print the same declaration each time.");
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
  const invocations: Invocation[] = [];
  for (const name of Object.keys(PAYLOAD_CHECKS)) {
    const answers: Invocation[] = [];
    for (const payload of payloadsFor(name, hook, invoker)) {
      const answer = await invoker.invoke(hookForEvent(hook, payload.event), payload, name);
      answers.push(answer);
      if (wasCutShort(answer)) break;
    }
    if (answers.length === 0) continue;
    invocations.push(...answers);
    checks.push({
      ...failureFinding(answers),
      name,
      durationMs: Math.max(...answers.map(({ result }) => result.durationMs)),
      evidence: crashEvidence(answers.find(isFailure)?.result.stderr ?? ""),
      printed: answers.flatMap(({ result, stdout }) => printedLines(stdout, result.stderr)),
    });
    if (answers.some(wasCutShort)) return { checks, invocations, end: timeoutReason(name) };
  }
  return { checks, invocations, end: null };
}

/** Why no further check is run. */
export const timeoutReason = (name: string): string => `it exceeded its timeout at “${name}”`;

/** True if it timed out or the call was interrupted. */
export const wasCutShort = ({ result: { response } }: Invocation): boolean =>
  !response.ok && ["HOOK_TIMED_OUT", "HOOK_INTERRUPTED"].includes(response.error.code);

/** The failure of the hook itself. Its output, and a block that a failure discarded, have checks of their own. */
function failureFinding(invocations: readonly Invocation[]): Finding {
  const failed = invocations.find((answer) => isFailure(answer) && !isUnreadableBlock(answer));
  if (failed === undefined || failed.result.response.ok) return passedCheck();
  return problemCheck(failed.result.response.error);
}

const isFailure = ({ result: { response } }: Invocation): boolean =>
  !response.ok && response.error.code.startsWith("HOOK_");

/** The line at which the hook threw, if stderr shows it. */
function crashEvidence(stderr: string): Evidence | undefined {
  const crash = findCrash(stderr);
  return crash === null ? undefined : { crash };
}

const MOST_LINES = 20;

/** The output of a hook, line by line. */
export const printedLines = (stdout: string, stderr: string): readonly string[] =>
  Object.entries({ stdout, stderr }).flatMap(([stream, text]) => {
    if (text.trim() === "") return [];
    const lines = text.replace(/\n$/, "").split("\n");
    const more = lines.length - MOST_LINES;
    const shown = [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`… ${pluralize(more, "more line")}`] : [])];
    return shown.map((line) => `${stream} | ${line}`);
  });
