import { resolve } from "node:path";
import { lazy } from "../engine/memoize.ts";
import type { EngineHost, EngineOptions } from "../engine/run-context.ts";
import { loadGuards } from "../guard-hooks/load-guards.ts";
import { monotonicMs } from "../process/process-request.ts";
import { SOURCES, type Source } from "../protocol/hook.ts";
import type { Problem } from "../protocol/problem.ts";
import type { Result } from "../protocol/result.ts";
import {
  checkOptions,
  type Duration,
  HOOKS_OPTIONS,
  LIST_OPTIONS,
  parseEventName,
  parseTimeout,
  RUN_OPTIONS,
} from "./check-options.ts";
import { closeSignal } from "./close-signal.ts";
import type { AnyEventName, EnvelopeOf, PayloadInput } from "./event-types.ts";
import { HookctlError } from "./hookctl-error.ts";
import { createRegistry, type FunctionOptions, type HookFunction, type HookModule } from "./registry.ts";
import type { ListValue, RunValue } from "./result-types.ts";

/** Where hooks are searched and in which environment they run. Defaults come from the current process. */
export interface HooksOptions extends RunOptions {
  /** The project folder. Hooks run there unless the payload names another folder. */
  readonly cwd?: string;
  /** The user's home, which holds user hooks, approvals and the audit log. */
  readonly home?: string;
  /** The environment for hooks, and for hookctl itself (`HOOKCTL_…`, `XDG_…`). Read once. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Hooks folders instead of the default ones. Their hooks need approval, like those of a project. */
  readonly hooksDirs?: readonly string[];
  /** A settings file instead of the default ones. */
  readonly config?: string;
  /** True: project hooks count as approved. Only for a project that the host itself has written. */
  readonly trust?: boolean;
}

/** Options of one run. */
export interface RunOptions {
  /** The timeout of each hook; overrides the one that the hook declares. */
  readonly timeout?: Duration;
  /** The time limit for all hooks of the run together. */
  readonly deadline?: Duration;
  /** Run only hooks whose name matches this glob. */
  readonly only?: string;
  /** Skip hooks whose name matches one of these globs. */
  readonly skip?: readonly string[];
}

export interface ListOptions {
  readonly event?: AnyEventName;
  readonly source?: Source;
}

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

/** Finds and runs the same hooks as the command line. Nothing is read or started before the first call. */
export function createHooks(options: HooksOptions = {}): Hooks {
  checkOptions(options, HOOKS_OPTIONS);
  const registry = createRegistry();
  const closer = closeSignal();
  const outside = hostFrom(options, closer.interrupt);
  engineOptions(options, {});
  const running = new Set<Promise<unknown>>();

  async function call(
    ask: (engine: typeof import("./run-and-list.ts"), host: EngineHost) => Promise<Result<string, Problem>>,
  ) {
    if (closer.interrupt.raised() !== null) throw new HookctlError({ code: "USAGE_CLOSED" });
    if (process.platform === "win32") throw new HookctlError({ code: "PLATFORM_UNSUPPORTED", platform: "Windows" });
    // Copied now: functions that are registered later belong to later runs.
    const entries = registry.entries();
    const [engine, { functionHooks }] = await loadEngine();
    const answered = await ask(engine, { ...outside, functions: functionHooks(entries), beganMs: outside.elapsedMs() });
    if (answered.ok) return answered.value;
    throw new HookctlError(answered.error);
  }
  function tracked<T>(work: Promise<T>): Promise<T> {
    const ended = work.then(
      () => void running.delete(ended),
      () => void running.delete(ended),
    );
    running.add(ended);
    return work;
  }
  const runText: Hooks["runText"] = async (event, payload, own = {}) => {
    checkOptions(own, RUN_OPTIONS);
    const requested = engineOptions(options, own);
    const named = parseEventName(event);
    return tracked(call((engine, host) => engine.runToJsonText(named, payload, requested, host)));
  };
  const close = async (): Promise<void> => {
    closer.close();
    await Promise.all(running);
  };
  return {
    runText,
    run: async (event, payload, own) => JSON.parse(await runText(event, payload, own)) as RunValue,
    list: async (own = {}) => {
      checkOptions(own, LIST_OPTIONS);
      const event = own.event === undefined ? null : parseEventName(own.event).event;
      const choice = { event, source: sourceIn(own) };
      const requested = engineOptions(options, {});
      return JSON.parse(
        await tracked(call((engine, host) => engine.listToJsonText(choice, requested, host))),
      ) as ListValue;
    },
    register: registry.register,
    use: registry.use,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function hostFrom({ cwd, home, env }: HooksOptions, interrupt: EngineHost["interrupt"]): Omit<EngineHost, "beganMs"> {
  return {
    env: { ...(env ?? process.env), ...(home === undefined ? {} : { HOME: home }) },
    cwd: resolve(cwd ?? "."),
    userId: process.getuid?.() ?? -1,
    nowMs: Date.now,
    elapsedMs: monotonicMs,
    random: Math.random,
    interrupt,
    loadGuards,
  };
}

function engineOptions(all: HooksOptions, own: RunOptions): EngineOptions {
  return {
    directory: null,
    hooksDirs: all.hooksDirs ?? [],
    config: all.config ?? null,
    only: own.only ?? all.only ?? null,
    skip: own.skip ?? all.skip ?? [],
    timeoutMs: parseTimeout("timeout", own.timeout ?? all.timeout),
    deadlineMs: parseTimeout("deadline", own.deadline ?? all.deadline),
    trust: all.trust ?? false,
    useCache: true,
  };
}

function sourceIn({ source }: ListOptions): Source | null {
  if (source === undefined || SOURCES.includes(source)) return source ?? null;
  throw new HookctlError({ code: "USAGE_BAD_OPTION", option: "source", detail: `is one of ${SOURCES.join(", ")}` });
}
