import type { Hook } from "../protocol/hook.ts";
import { type HookResponse, type HookResult, strictestDecision } from "../protocol/hook-response.ts";
import { callVariables } from "../protocol/payload/call-variables.ts";
import { applyChange, type Payload } from "../protocol/payload/payload.ts";
import { ok } from "../protocol/result.ts";
import type { Warning } from "../protocol/warning.ts";
import { failureSummary, notInvoked, replyDespiteFailure } from "./hook-result.ts";
import { type InvokeContext, problemAt, type StartedProgram, startProgram } from "./invoke-executable.ts";

/**
 * Starts a hook that reads its call from variables: once, or once for each file of a patch, until it blocks. Its timeout
 * limits all starts together.
 */
export async function invokeWithVariables(
  hook: Hook,
  payload: Payload,
  context: InvokeContext,
  program: StartedProgram,
): Promise<HookResult> {
  const sets = callVariables(payload);
  if (!sets.ok) return notPassed(hook, sets.error);
  const results: HookResult[] = [];
  let [current, leftMs] = [payload, hook.timeoutMs];
  for (const variables of sets.value) {
    // The first start was checked by the caller.
    const refusal = results.length === 0 ? null : context.recheckTrust(hook);
    if (refusal !== null) return notInvoked(refusal, true);
    const environmentOf: InvokeContext["environmentOf"] = (...about) => ({
      ...context.environmentOf(...about),
      ...variables,
    });
    const result = await startProgram({ ...hook, timeoutMs: leftMs }, current, { ...context, environmentOf }, program);
    if (isTooLarge(result)) return notPassed(hook, "the variables of this call are too large for the system (E2BIG)");
    results.push(result);
    const reply = result.response.ok ? result.response.value : null;
    if (reply?.decision === "block" || reply?.isReplace === true || isOutOfTime(result)) break;
    if (reply?.change != null && !hook.observe) current = applyChange(current, reply.change);
    leftMs = Math.max(1, Math.floor(leftMs - result.durationMs));
  }
  const [only, ...others] = results;
  return only !== undefined && others.length === 0 ? only : combined(hook, results);
}

const notPassed = (hook: Hook, cause: string): HookResult =>
  notInvoked({ code: "HOOK_CALL_NOT_PASSED", ...problemAt(hook), cause }, false);

const isTooLarge = ({ response }: HookResult): boolean =>
  !response.ok && response.error.code === "HOOK_NOT_STARTED" && response.error.cause.includes("(E2BIG)");

/** Every later start would be killed, too. */
function isOutOfTime({ response }: HookResult): boolean {
  const fault = response.ok ? response.value?.possibleBlock : response.error;
  return fault?.code === "HOOK_TIMED_OUT" || fault?.code === "HOOK_INTERRUPTED";
}

/** One result for several starts: the strictest. A failed start is a failure, unless another one blocked or asked. */
function combined(hook: Hook, results: readonly HookResult[]): HookResult {
  const replies = results.flatMap(({ response }) => (response.ok ? (response.value ?? []) : []));
  const failed = results.find(({ response }) => !response.ok);
  const failure = failed?.response.ok === false ? failed.response.error : null;
  const merged = ok(replies.length === 0 ? null : replies.reduce(merge));
  const response = failure === null ? merged : replyDespiteFailure(merged, failure);
  const decisive = failed ?? results.at(-1);
  const failedWith =
    failure !== null && response.ok
      ? failureSummary(failure)
      : results.flatMap((result) => result.failedWith ?? []).at(0);
  const lost: readonly Warning[] =
    replies.filter(({ state }) => state !== null).length > 1
      ? [{ code: "STATE_NOT_KEPT", hook: hook.name, cause: "of several starts only the last state is used" }]
      : [];
  return {
    response,
    wasNotInvoked: false,
    exitCode: decisive?.exitCode ?? null,
    signal: decisive?.signal ?? null,
    ...(failedWith === undefined ? {} : { failedWith }),
    durationMs: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
    stderr: results.map(({ stderr }) => stderr).join(""),
    warnings: [...results.flatMap(({ warnings }) => warnings), ...lost],
  };
}

/** The response of two starts, one after the other. */
function merge(before: HookResponse, after: HookResponse): HookResponse {
  const decision = strictestDecision([before.decision, after.decision]);
  const isOverwritten = after.contextMode === "overwrite";
  return {
    decision,
    reason: before.decision === decision ? before.reason : after.reason,
    change: after.change ?? before.change,
    isReplace: after.isReplace,
    context: isOverwritten ? after.context : [...before.context, ...after.context],
    contextMode: isOverwritten ? "overwrite" : before.contextMode,
    followUps: [...before.followUps, ...after.followUps],
    pushes: [...before.pushes, ...after.pushes],
    state: after.state ?? before.state,
    systemMessage: after.systemMessage ?? before.systemMessage,
    priority: after.priority ?? before.priority,
    metadata: after.metadata ?? before.metadata,
    warnings: [...before.warnings, ...after.warnings],
    possibleBlock: before.possibleBlock ?? after.possibleBlock,
  };
}
