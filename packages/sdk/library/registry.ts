import { allEventNames, type DialectName, type EventName, type NamedEvent } from "../../../src/protocol/event.ts";
import {
  badOption,
  checkFunctionOptions,
  type FunctionOptions,
  parseEventName,
  parseTimeout,
} from "./check-options.ts";
import { camelCase, checkSet } from "./check-set.ts";
import type { AnyEventName, EnvelopeOf, MethodEvent, MethodName } from "./event-types.ts";
import type { HookAnswer } from "./hook-reply.ts";
import type { StateStore } from "./session-store.ts";

/** The second argument of a function: the context of AgentHook, and hookctl's additions. */
export interface HookContext {
  readonly event: EventName;
  /** The payload's `conv_id`; empty when it names no session. */
  readonly session_id: string;
  /** The same value as `session_id`. */
  readonly session: string;
  /** 0 if the payload does not contain it. */
  readonly turn_number: number;
  /** 0 if the payload does not contain it. */
  readonly step_number: number;
  /** Empty if the payload does not contain it. */
  readonly core_type: string;
  /** The function's name in the audit log. */
  readonly hook: string;
  /** The session's values, shared with every other hook of the session. */
  readonly state: StateStore;
  /** Aborted when the function exceeds its timeout or the hooks are closed. */
  readonly signal: AbortSignal;
}

export type HookFunction<P> = (payload: P, context: HookContext) => HookAnswer | Promise<HookAnswer>;

/** Functions for several events under one name: a method for each event, with the payload of the method name's dialect. */
export type HookModule = FunctionOptions & {
  readonly name: string;
} & { readonly [N in MethodEvent as MethodName<N>]?: HookFunction<EnvelopeOf<N>> };

/** A function and the dialect of the name it was registered for. */
interface EventFunction {
  readonly dialect: DialectName;
  readonly function: HookFunction<unknown>;
}

/** One registered hook, with its functions by event. */
export interface RegisteredHook {
  readonly name: string;
  /** Counts from 1, in the order of registration. */
  readonly position: number;
  readonly calls: ReadonlyMap<EventName, EventFunction>;
  readonly options: Omit<FunctionOptions, "name" | "timeout">;
  readonly timeoutMs: number | null;
}

/** The functions that a program has added. */
export function createRegistry() {
  const hooks = new Map<number, RegisteredHook>();
  let count = 0;
  const add = (calls: RegisteredHook["calls"], options: FunctionOptions, functionName = ""): (() => void) => {
    checkFunctionOptions(options);
    const { name = functionName, timeout, ...others } = optionsOf(options);
    const timeoutMs = parseTimeout("timeout", timeout);
    const position = ++count;
    hooks.set(position, { name: name || `function#${position}`, position, calls, options: others, timeoutMs });
    return () => void hooks.delete(position);
  };
  return {
    // A set without a method handles no event, and a hook without events would be treated as a hook with unknown events.
    entries: (): readonly RegisteredHook[] => [...hooks.values()].filter(({ calls }) => calls.size > 0),
    /** Adds a function. Returns a function that removes it. */
    register: (event: AnyEventName, call: HookFunction<never>, options: FunctionOptions = {}): (() => void) => {
      const named = parseEventName(event);
      if (typeof call !== "function") throw badOption("register", "the second argument must be a function");
      const calls = new Map([[named.event, { dialect: named.dialect, function: call as HookFunction<unknown> }]]);
      return add(calls, options, call.name);
    },
    use: (set: HookModule): (() => void) => add(methodsOf(set), optionsOf(set)),
  };
}

const METHODS: ReadonlyMap<string, NamedEvent> = new Map(
  [...allEventNames()]
    .filter(([, { dialect }]) => dialect !== "basecoat")
    .map(([name, named]) => [camelCase(name), named]),
);
const METHOD_NAMES: ReadonlySet<string> = new Set(METHODS.keys());

function methodsOf(set: HookModule): RegisteredHook["calls"] {
  if (typeof set !== "object" || set === null) throw badOption("use", "the argument must be an object");
  const found = new Map<EventName, EventFunction>();
  for (const [method, { event, dialect }] of METHODS) {
    const call: unknown = Reflect.get(set, method);
    if (typeof call !== "function") continue;
    if (found.has(event)) throw badOption("use", `${method} is a second method for ${event}`);
    // Bound, because a set may use `this`.
    found.set(event, { dialect, function: call.bind(set) as HookFunction<unknown> });
  }
  checkSet(set, METHOD_NAMES);
  return found;
}

/** The options in a set, which may be an instance of a class. */
function optionsOf({ name, priority, failOpen, observe, timeout, match }: FunctionOptions): FunctionOptions {
  const given = Object.entries({ name, priority, failOpen, observe, timeout, match });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
