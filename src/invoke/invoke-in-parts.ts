import type { Hook } from "../protocol/hook.ts";
import { type HookResponse, type HookResult, strictestDecision } from "../protocol/hook-response.ts";
import { spanOfRaw } from "../protocol/json/read.ts";
import { type CallVariables, callVariables, MOST_FILES } from "../protocol/payload/call-variables.ts";
import { applyChange, type Payload } from "../protocol/payload/payload.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { pluralize } from "../protocol/text/count.ts";
import type { Warning } from "../protocol/warning.ts";
import { failureSummary, notInvoked, replyDespiteFailure } from "./hook-result.ts";
import { type InvokeContext, problemAt, type StartedProgram, startProgram } from "./invoke-executable.ts";

/** One start of a hook: the variables that it gets, and the file of a patch that it is about. */
interface Part {
  readonly variables: CallVariables;
  /** Null: the whole call. */
  readonly file: string | null;
}

/** A program, and the files of a patch for which its hook is started one by one. */
interface PartedProgram extends StartedProgram {
  readonly files: readonly string[];
}

/**
 * Starts a hook that knows one file of a call once for each file of a patch, until it blocks: a hook that reads its call
 * from variables, or one whose dialect has no patches. Its timeout limits all starts together.
 */
export async function invokeInParts(
  hook: Hook,
  payload: Payload,
  context: InvokeContext,
  program: PartedProgram,
): Promise<HookResult> {
  const parts = partsOf(hook, payload, program);
  if (!parts.ok) return notPassed(hook, parts.error);
  const results: HookResult[] = [];
  let [current, leftMs] = [payload, hook.timeoutMs];
  for (const { variables, file } of parts.value) {
    const call = file === null ? current : withOnlyFile(current, file);
    const result = await startProgram({ ...hook, timeoutMs: leftMs }, call, context, { ...program, variables });
    if (result.wasNotInvoked) return result;
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

function partsOf(hook: Hook, payload: Payload, { files }: PartedProgram): Result<readonly Part[], string> {
  if (files.length > MOST_FILES)
    return fail(`its patch has ${pluralize(files.length, "file")}, more than ${MOST_FILES}`);
  if (!hook.readsEnv) return ok(files.map((file) => ({ variables: {}, file })));
  const sets = callVariables(payload);
  return sets.ok ? ok(sets.value.map((variables) => ({ variables, file: null }))) : sets;
}

const withOnlyFile = (payload: Payload, file: string): Payload => ({
  ...payload,
  members: new Map([...payload.members, ["tool_files", spanOfRaw(JSON.stringify([file]))]]),
});

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
