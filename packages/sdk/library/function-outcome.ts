import type { Interrupt } from "../../../src/process/process-request.ts";

/** How the call of a function ended. After a timeout it may keep running; what it returns then is ignored. */
export type FunctionOutcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly cause: string }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "interrupted"; readonly signal: string };

/** Calls a function and waits for its result, its timeout or an interrupt, whichever comes first. Never rejects. */
export function callFunction(
  call: (signal: AbortSignal) => unknown,
  limitMs: number,
  interrupt: Interrupt,
): Promise<FunctionOutcome> {
  const controller = new AbortController();
  return new Promise((settle) => {
    const finish = (outcome: FunctionOutcome): void => {
      clearTimeout(timer);
      stopListening();
      settle(outcome);
      // Aborted after the outcome is settled, so that the reaction of the function cannot change it.
      if (outcome.kind === "timed-out" || outcome.kind === "interrupted") controller.abort();
    };
    let stopListening = (): void => undefined;
    // A timer may fire a fraction of a millisecond early; then the next hook would still see time left.
    const timer = setTimeout(() => finish({ kind: "timed-out", afterMs: limitMs }), Math.ceil(limitMs) + 1);
    stopListening = interrupt.listen((signal) => finish({ kind: "interrupted", signal }));
    called(call, controller.signal).then(
      (value) => finish({ kind: "returned", value }),
      (error: unknown) => finish({ kind: "threw", cause: errorText(error) }),
    );
  });
}

/** Async, so that a throw becomes a rejection. */
const called = async (call: (signal: AbortSignal) => unknown, signal: AbortSignal): Promise<unknown> => call(signal);

/** The text of anything that was thrown, also of values that cannot be converted to a string. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return "something that is no text";
  }
}
