import { faultDetail } from "../../../src/cli/command-result.ts";
import type { JsonObject } from "../../../src/protocol/json/read.ts";
import { fail, isProblemError, ok, type Result } from "../../../src/protocol/result.ts";
import { nearest } from "../../../src/protocol/text/nearest.ts";
import type { CloseSignal } from "../library/close-signal.ts";
import type { RunProblem } from "../library/run-and-list.ts";
import { type RequestError, RPC } from "./json-rpc.ts";
import type { Method } from "./methods.ts";

type AnswerError = Omit<RequestError, "id">;

interface ServiceCall {
  readonly method: string;
  readonly params: JsonObject;
  /** Ends the request's hooks. */
  readonly signal: CloseSignal;
}

interface ServiceListener {
  /** Called when a signal ends the server. */
  readonly onStop: (signal: string) => void;
  /** Called when all requests are answered and no other will be. */
  readonly onEnd: () => void;
}

/** Answers the requests of all clients of a server. */
export interface Service {
  readonly answer: (call: ServiceCall) => Promise<Result<string, AnswerError>>;
  /** Ends every request by a signal to the server. */
  readonly stop: (signal: string) => void;
  /** Returns a function that stops listening. */
  readonly listen: (listener: ServiceListener) => () => void;
  /** Settles after `shutdown` or `stop`, when every request is answered. */
  readonly ended: Promise<void>;
}

export function createService(methods: Readonly<Record<string, Method>>, elapsedMs: () => number): Service {
  const listeners = new Set<ServiceListener>();
  let running = 0;
  let stoppedBy: string | null = null;
  let isStopping = false;
  let onIdle = (): void => {};
  const idle = new Promise<void>((settle) => {
    onIdle = settle;
  });
  const noteIdle = (): void => {
    if (!isStopping || running > 0) return;
    onIdle();
    for (const { onEnd } of [...listeners]) onEnd();
  };

  const problemOf = (problem: RunProblem, signal: CloseSignal): AnswerError => {
    if (stoppedBy !== null) return { code: RPC.failed, problem: { code: "INTERRUPTED", signal: stoppedBy } };
    if (signal.interrupt.raised() !== null) return { code: RPC.cancelled, problem: { code: "SERVE_CANCELLED" } };
    return { code: /^(?:USAGE|PAYLOAD)_/.test(problem.code) ? RPC.invalidParams : RPC.failed, problem };
  };
  const answer: Service["answer"] = async ({ method, params, signal }) => {
    if (isStopping) return fail({ code: RPC.failed, problem: { code: "SERVE_STOPPING" } });
    if (method === "shutdown") {
      isStopping = true;
      noteIdle();
      await idle;
      return ok("null");
    }
    const known = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (known === undefined) {
      const near = nearest(method, [...Object.keys(methods), "cancel", "shutdown"]);
      return fail({ code: RPC.methodNotFound, problem: { code: "USAGE_UNKNOWN_METHOD", name: method, nearest: near } });
    }
    running++;
    try {
      return ok(await known({ params, interrupt: signal.interrupt, beganMs: elapsedMs() }));
    } catch (error) {
      const fault = (): RunProblem => ({ code: "INTERNAL_FAULT", detail: faultDetail(error) });
      return fail(problemOf(isProblemError(error) ? error.problem : fault(), signal));
    } finally {
      running--;
      noteIdle();
    }
  };
  return {
    answer,
    stop: (signal) => {
      stoppedBy ??= signal;
      isStopping = true;
      for (const { onStop } of [...listeners]) onStop(signal);
      noteIdle();
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    ended: idle,
  };
}
