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
import { type Interrupt, monotonicMs, remainingMs } from "../../../src/process/process-request.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import type { HookResult } from "../../../src/protocol/hook-response.ts";
import { type Payload, payloadText } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { mayDecide } from "./deciding-keys.ts";
import { containsInfinity, errorText, serializeReturnValue } from "./return-value.ts";

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

/** How the call of a function ended. After a timeout it may keep running; what it returns then is ignored. */
type FunctionOutcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly cause: string }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "interrupted"; readonly signal: string };

/** Calls a function and waits for its result, its timeout or an interrupt, whichever comes first. Never rejects. */
function callFunction(
  call: (signal: AbortSignal) => unknown,
  limitMs: number,
  interrupt: Interrupt,
): Promise<FunctionOutcome> {
  const controller = new AbortController();
  return new Promise((settle) => {
    let stopListening = (): void => undefined;
    const finish = (outcome: FunctionOutcome): void => {
      clearTimeout(timer);
      stopListening();
      settle(outcome);
      // Aborted after the outcome is settled, so that the reaction of the function cannot change it.
      if (outcome.kind === "timed-out" || outcome.kind === "interrupted") controller.abort();
    };
    // A timer may fire a fraction of a millisecond early; then the next hook would still see time left.
    const timer = setTimeout(() => finish({ kind: "timed-out", afterMs: limitMs }), Math.ceil(limitMs) + 1);
    stopListening = interrupt.listen((signal) => finish({ kind: "interrupted", signal }));
    // Async, so that a throw becomes a rejection.
    const called = async (): Promise<unknown> => call(controller.signal);
    called().then(
      (value) => finish({ kind: "returned", value }),
      (error: unknown) => finish({ kind: "threw", cause: errorText(error) }),
    );
  });
}

/** The text that a process would have printed, and why the function failed. */
interface ReturnedText {
  readonly text: string;
  readonly problem: Problem | null;
}

/** `byDeadline` is true if the timeout was the time left until the deadline. `payload` is the text that the function got. */
function returnedBy(
  hook: Hook,
  outcome: FunctionOutcome,
  { byDeadline, payload }: { readonly byDeadline: boolean; readonly payload: string },
): ReturnedText {
  const at = { hook: hook.name, path: hook.path };
  const failed = (problem: Problem): ReturnedText => ({ text: "", problem });
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
      const limitBytes = outputLimit(hook, [payload]);
      // A character is at least one byte, so only a long text is measured in bytes.
      if (text.length > limitBytes || Buffer.byteLength(text) > limitBytes) {
        return failed({ code: "HOOK_TOO_MUCH_OUTPUT", ...at, limitBytes });
      }
      if (fault === null) return { text, problem: null };
      return { text, problem: { code: "REPLY_NOT_JSON", ...at, line: 1, detail: fault, text: "" } };
    }
  }
}
