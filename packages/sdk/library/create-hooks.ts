import { lazy } from "../../../src/engine/memoize.ts";
import type { EngineHost } from "../../../src/engine/run-context.ts";
import { SOURCES, type Source } from "../../../src/protocol/hook.ts";
import { attempt } from "../../../src/protocol/result.ts";
import {
  badOption,
  checkOptions,
  type FunctionOptions,
  HOOKS_OPTIONS,
  type HooksOptions,
  LIST_OPTIONS,
  type ListOptions,
  parseEventName,
  RUN_OPTIONS,
  type RunOptions,
} from "./check-options.ts";
import { closeSignal } from "./close-signal.ts";
import { engineOptions, hostFrom } from "./engine-call.ts";
import type { AnyEventName, EnvelopeOf, PayloadInput } from "./event-types.ts";
import { HookctlError, unwrapForCaller } from "./hookctl-error.ts";
import { createRegistry, type HookFunction, type HookModule } from "./registry.ts";
import type { ListValue, RunValue } from "./result-types.ts";

/** The hooks of one project and one user, for a program. */
export interface Hooks extends AsyncDisposable {
  /**
   * Runs the hooks of one event. Resolves to what `run --json` prints, also when hooks fail or block. Rejects with a
   * HookctlError for an unknown event, a payload that is not valid, settings that cannot be used, and after `close()`.
   */
  readonly run: <N extends AnyEventName>(
    event: N,
    payload: PayloadInput<N> | string,
    options?: RunOptions,
  ) => Promise<RunValue>;
  /** The result as JSON text, which preserves the digits of large numbers. */
  readonly runText: <N extends AnyEventName>(
    event: N,
    payload: PayloadInput<N> | string,
    options?: RunOptions,
  ) => Promise<string>;
  /** Every hook in run order, as `list --json` prints it. Never starts a hook that is not approved. Rejects like `run`. */
  readonly list: (options?: ListOptions) => Promise<ListValue>;
  /** Adds a function; its payload has the format of the event name's dialect. Returns a function that removes it. */
  readonly register: <N extends AnyEventName>(
    event: N,
    call: HookFunction<EnvelopeOf<N>>,
    options?: FunctionOptions,
  ) => () => void;
  /** Adds functions for several events under one name. Returns a function that removes them. */
  readonly use: (set: HookModule) => () => void;
  /** Terminates running hooks and waits for their exit. Pending calls reject, and so does every later call. */
  readonly close: () => Promise<void>;
}

/** Loaded by the first call, so that importing the library is cheap. */
const loadEngine = lazy(() => Promise.all([import("./run-and-list.ts"), import("./function-hooks.ts")]));
type EngineWork = (engine: typeof import("./run-and-list.ts"), host: EngineHost) => Promise<string>;

/** Finds and runs the same hooks as the command line. Nothing is read or started before the first call. */
export function createHooks(options: HooksOptions = {}): Hooks {
  checkOptions(options, HOOKS_OPTIONS);
  const registry = createRegistry();
  const closer = closeSignal();
  const outside = hostFrom(options, closer.interrupt);
  // Rejects wrong durations at once.
  engineOptions(options);
  const running = new Set<Promise<unknown>>();

  async function answerOf(work: EngineWork): Promise<string> {
    if (closer.interrupt.raised() !== null) throw new HookctlError({ code: "USAGE_CLOSED" });
    if (process.platform === "win32") throw new HookctlError({ code: "PLATFORM_UNSUPPORTED", platform: "Windows" });
    // Copied now: functions that are registered later belong to later runs.
    const entries = registry.entries();
    const [engine, { functionHooks }] = await loadEngine();
    const host = { ...outside, functions: functionHooks(entries), beganMs: outside.elapsedMs() };
    return unwrapForCaller(await attempt(() => work(engine, host)));
  }
  /** Starts work for which `close` waits. */
  function call(work: EngineWork): Promise<string> {
    const answer = answerOf(work);
    const remove = (): void => void running.delete(ended);
    const ended = answer.then(remove, remove);
    running.add(ended);
    return answer;
  }
  const runText: Hooks["runText"] = async (event, payload, ofRun = {}) => {
    checkOptions(ofRun, RUN_OPTIONS);
    const requested = engineOptions(options, ofRun);
    const named = parseEventName(event);
    return call((engine, host) => engine.runToJsonText(named, payload, requested, host));
  };
  const close = async (): Promise<void> => {
    closer.close();
    await Promise.all(running);
  };
  return {
    runText,
    run: async (event, payload, ofRun) => JSON.parse(await runText(event, payload, ofRun)) as RunValue,
    list: async (filter = {}) => {
      checkOptions(filter, LIST_OPTIONS);
      const event = filter.event === undefined ? null : parseEventName(filter.event).event;
      const choice = { event, source: sourceIn(filter) };
      const text = await call((engine, host) => engine.listToJsonText(choice, engineOptions(options), host));
      return JSON.parse(text) as ListValue;
    },
    register: registry.register,
    use: registry.use,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function sourceIn({ source }: ListOptions): Source | null {
  if (source === undefined || SOURCES.includes(source)) return source ?? null;
  throw badOption("source", `is one of ${SOURCES.join(", ")}`);
}
