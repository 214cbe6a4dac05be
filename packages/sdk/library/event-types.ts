import type { EVENTS, EventName, PayloadOf } from "../../../src/protocol/event.ts";
import type { CallingAgent, ToolInput } from "../../../src/protocol/payload/field.ts";
import type { ToolInputs } from "../../../src/protocol/tools/vocabulary.ts";

type Events = typeof EVENTS;
type AliasesOf<E extends EventName> = Events[E]["aliases"];
type AliasIn<A, D extends PropertyKey> = A extends { readonly [K in D]: readonly (infer N extends string)[] }
  ? N
  : never;
type BaseCoatName<E extends EventName> = AliasIn<AliasesOf<E>, "basecoat">;
type AgentHookName<E extends EventName> = AliasIn<AliasesOf<E>, "agenthook">;

/** Every name of every event, in any dialect: `before_tool_call`, `PreToolUse`, `pre_tool_call`. */
export type AnyEventName = { [E in EventName]: E | BaseCoatName<E> | AgentHookName<E> }[EventName];

/** Converts an event name of any dialect to hookctl's own. */
export type EventOf<N extends AnyEventName> = {
  [E in EventName]: N extends E | BaseCoatName<E> | AgentHookName<E> ? E : never;
}[EventName];

/** The fields of Base Coat's envelope in addition to hookctl's own. */
export interface BaseCoatFields {
  readonly hook: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly sessionId: string;
  /** The name of the agent, such as `backend-dev`. */
  readonly agent?: string;
  /** `owner/name`, read from git's files; absent outside a checkout. */
  readonly repository?: string;
  /** Absent on a detached HEAD. */
  readonly branch?: string;
  readonly tool?: { readonly name: string; readonly success?: boolean; readonly durationMs?: number };
}

/** The fields of AgentHook's envelope in addition to hookctl's own, for every event. */
export interface AgentHookFields {
  readonly ctx: {
    readonly session_id: string;
    /** 0 if the payload does not contain it. */
    readonly turn_number: number;
    /** 0 if the payload does not contain it. */
    readonly step_number: number;
    /** Empty if the payload does not contain it. */
    readonly core_type: string;
    /** The session's values as they were when the hook was started. */
    readonly state: Readonly<Record<string, unknown>>;
  };
}

type FieldNames<E extends EventName> = Events[E] extends { readonly fieldNames: { readonly agenthook: infer N } }
  ? N
  : Record<never, never>;
/** The fields that have another name in AgentHook: `args`, `result`, `output`. */
type RenamedFields<E extends EventName> = {
  readonly [K in keyof FieldNames<E>]: PayloadOf<E>[FieldNames<E>[K] & keyof PayloadOf<E>];
};

/** The payload of a hook for this event name, with the fields of the name's dialect. */
export type EnvelopeOf<N extends AnyEventName> = {
  [E in EventName]:
    | (N extends E ? PayloadOf<E> : never)
    | (N extends BaseCoatName<E> ? Omit<PayloadOf<E>, "agent"> & BaseCoatFields : never)
    | (N extends AgentHookName<E> ? PayloadOf<E> & AgentHookFields & RenamedFields<E> : never);
}[EventName];

type InputOf<Tool> = Tool extends keyof ToolInputs ? ToolInputs[Tool] : ToolInput;
/** The payload of a hook with this `match`: the tools that it names decide what `tool_input` holds. */
export type MatchedPayload<P, M> = M extends { readonly tool_name: infer T }
  ? {
      readonly [K in keyof P]: K extends "tool_input" | "args" ? InputOf<T extends readonly (infer U)[] ? U : T> : P[K];
    }
  : P;

/** Fields that a hook always gets, even if the caller omits them. */
type FilledKey = "event" | "conv_id" | "cwd" | "invoked_by" | "tool_user_id";
/** The caller's description of itself; a text is its name. */
type SaidAgent = { readonly agent?: Partial<CallingAgent> | string };
type OtherKeys = { readonly [key: string]: unknown };
/** The type is what agents send; a caller may send any JSON. */
type AnyJson<P> = { readonly [K in keyof P]: K extends "tool_input" | "args" | "usage" | "response" ? unknown : P[K] };
type OwnInput<E extends EventName> = AnyJson<Omit<PayloadOf<E>, FilledKey | "agent">> &
  SaidAgent &
  Partial<Pick<PayloadOf<E>, FilledKey & keyof PayloadOf<E>>> &
  OtherKeys;
/** AgentHook's own envelope: its names for the fields, and `ctx`. */
type AgentHookInput<E extends EventName> = AnyJson<
  Omit<PayloadOf<E>, FilledKey | "agent" | (FieldNames<E>[keyof FieldNames<E>] & string)> & RenamedFields<E>
> &
  SaidAgent & { readonly ctx?: Partial<AgentHookFields["ctx"]> } & OtherKeys;
type Inputs = {
  readonly [E in EventName as E | BaseCoatName<E>]: OwnInput<E>;
} & { readonly [E in EventName as AgentHookName<E>]: OwnInput<E> | AgentHookInput<E> };
/** The input of `run`: the fields of the event; missing base fields get defaults, unknown fields are passed on. */
export type PayloadInput<N extends AnyEventName> = Inputs[N];

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
/** A name that a method of `use` can have: hookctl's own, or AgentHook's. */
export type MethodEvent = { [E in EventName]: E | AgentHookName<E> }[EventName];
/** `beforeToolCall` for `before_tool_call`, `preToolCall` for `pre_tool_call`, and so for each event. */
export type MethodName<N extends MethodEvent = MethodEvent> = Camel<N>;
