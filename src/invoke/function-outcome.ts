import type { Interrupt } from "../process/process-request.ts";

/** How the call of a function ended. It may go on behind our back; what it says then is not heard. */
export type FunctionOutcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly cause: string }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "interrupted"; readonly signal: string };

/** Calls a function and waits for its end, its limit or an interrupt, whatever comes first. Never rejects. */
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
      // Told after the outcome is settled: what the function does when it hears of it changes nothing.
      if (outcome.kind === "timed-out" || outcome.kind === "interrupted") controller.abort();
    };
    let stopListening = (): void => undefined;
    // A timer may fire early by a part of a millisecond; then a deadline would not have passed for the next hook.
    const timer = setTimeout(() => finish({ kind: "timed-out", afterMs: limitMs }), Math.ceil(limitMs) + 1);
    stopListening = interrupt.listen((signal) => finish({ kind: "interrupted", signal }));
    called(call, controller.signal).then(
      (value) => finish({ kind: "returned", value }),
      (error: unknown) => finish({ kind: "threw", cause: errorText(error) }),
    );
  });
}

/** Async, so that a throw and a rejection are one thing. */
const called = async (call: (signal: AbortSignal) => unknown, signal: AbortSignal): Promise<unknown> => call(signal);

/** Anything can be thrown, also what cannot be made a text. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return "something that is no text";
  }
}
