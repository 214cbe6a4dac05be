import { dialectFields } from "../../../src/dialects/dialects.ts";
import { readResponse } from "../../../src/dialects/response/read-response.ts";
import {
  failureSummary,
  lostBlockWarnings,
  outputLimit,
  replyDespiteFailure,
  slowWarnings,
} from "../../../src/invoke/hook-result.ts";
import { envelopeExtras, type InvokeContext } from "../../../src/invoke/invoke-executable.ts";
import { preserveNumbers } from "../../../src/invoke/preserve-numbers.ts";
import { monotonicMs, remainingMs } from "../../../src/process/process-request.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import type { HookResult } from "../../../src/protocol/hook-response.ts";
import { type Payload, payloadText } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { mayDecide } from "./deciding-keys.ts";
import { callFunction, type FunctionOutcome } from "./function-outcome.ts";
import { containsInfinity, serializeReturnValue } from "./return-value.ts";

/** A function hook bound to its context. It gets its own copy of the payload. */
export type BoundFunction = (payload: unknown, signal: AbortSignal) => unknown;

/** Calls a function hook and reads its return value as if a process had printed it. Never rejects. */
export async function invokeFunction(
  hook: Hook,
  call: BoundFunction,
  payload: Payload,
  context: Pick<InvokeContext, "deadline" | "interrupt" | "isoTime">,
): Promise<HookResult> {
  const startedMs = monotonicMs();
  const leftMs = Math.max(1, remainingMs(context.deadline));
  const text = payloadText(payload, dialectFields(hook.dialect, payload, envelopeExtras(payload, context.isoTime)));
  const outcome = await callFunction(
    (signal) => call(JSON.parse(text), signal),
    Math.min(hook.timeoutMs, leftMs),
    context.interrupt,
  );
  const returned = returnedBy(hook, outcome, { byDeadline: leftMs < hook.timeoutMs, payload: text });
  const stdout = new TextEncoder().encode(returned.text);
  const read = preserveNumbers(readResponse(hook, payload.event, stdout), payload);
  const reply = returned.problem === null ? read : replyDespiteFailure(read, returned.problem);
  const durationMs = monotonicMs() - startedMs;
  return {
    response: reply,
    wasNotInvoked: false,
    exitCode: null,
    signal: null,
    ...(returned.problem !== null && reply.ok ? { failedWith: failureSummary(returned.problem) } : {}),
    durationMs,
    stderr: "",
    warnings: [
      ...(outcome.kind === "returned" ? slowWarnings(hook, durationMs) : []),
      ...lostBlockWarnings(hook, reply, stdout),
    ],
  };
}

interface Limits {
  /** True if the timeout was the time left until the deadline. */
  readonly byDeadline: boolean;
  /** The payload that the function got. */
  readonly payload: string;
}

/** The text that a process would have printed, and why the function failed. */
interface ReturnedText {
  readonly text: string;
  readonly problem: Problem | null;
}

function returnedBy(hook: Hook, outcome: FunctionOutcome, { byDeadline, payload }: Limits): ReturnedText {
  const at = { hook: hook.name, path: hook.path };
  switch (outcome.kind) {
    case "threw":
      return failed({ code: "HOOK_THREW", ...at, cause: outcome.cause });
    case "timed-out":
      return failed({ code: "HOOK_TIMED_OUT", ...at, afterMs: outcome.afterMs, byDeadline, ended: 0 });
    case "interrupted":
      return failed({ code: "HOOK_INTERRUPTED", ...at, signal: outcome.signal });
    case "returned": {
      const mayBeInfinite = (): boolean => containsInfinity(JSON.parse(payload));
      const { text, fault } = serializeReturnValue(outcome.value, { isDecisive: mayDecide, mayBeInfinite });
      const limitBytes = outputLimit(hook, payload);
      // A character is at least one byte, so only a long text is measured in bytes.
      if (text.length > limitBytes || Buffer.byteLength(text) > limitBytes) {
        return failed({ code: "HOOK_TOO_MUCH_OUTPUT", ...at, limitBytes });
      }
      return {
        text,
        problem: fault === null ? null : { code: "REPLY_NOT_JSON", ...at, line: 1, detail: fault, text: "" },
      };
    }
  }
}

const failed = (problem: Problem): ReturnedText => ({ text: "", problem });
