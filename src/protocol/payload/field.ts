// It imports nothing: the types of hooks begin here, and need no types of Node.
export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** The agent that makes a call. */
export interface CallingAgent {
  /** Null if the agent is unknown. */
  readonly name: string | null;
  readonly session: string;
  /** Null if the main agent makes the call, or if the agent does not name its subagents. */
  readonly subagent: { readonly type: string | null; readonly id: string | null } | null;
}

/** The type of a payload field. `json` is any value, null included. */
export type FieldKind = "text" | "number" | "list" | "object" | "json";

export interface Field<K extends FieldKind = FieldKind, R extends boolean = boolean> {
  readonly kind: K;
  readonly isRequired: R;
  readonly about: string;
  /** A value of the field, for samples and docs. */
  readonly sample: SampleValue;
  /** The value that a hook gets if the caller sends none. */
  readonly fallback?: string;
  /** The allowed values. */
  readonly values?: readonly string[];
  /** The content of an object, for its TypeScript type. */
  readonly holds?: keyof KnownObjects;
}

export interface KnownObjects {
  readonly "calling agent": CallingAgent;
  readonly "tool input": ToolInput;
  readonly "model response": ModelResponse;
  readonly "token usage": TokenUsage;
}

export type Fields = Readonly<Record<string, Field>>;
export type SampleValue =
  | string
  | number
  | boolean
  | null
  | readonly SampleValue[]
  | { readonly [key: string]: SampleValue };

interface KindTypes {
  readonly text: string;
  readonly number: number;
  readonly list: readonly unknown[];
  readonly object: Readonly<Record<string, unknown>>;
  readonly json: unknown;
}

type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K]["isRequired"] extends true ? K : never }[keyof F];

type ValueOf<F extends Field> = F extends { readonly values: readonly (infer V)[] }
  ? V
  : F extends { readonly holds: infer H extends keyof KnownObjects }
    ? KnownObjects[H]
    : KindTypes[F["kind"]];

/** The TypeScript type that a field table describes. */
export type FieldsOf<F extends Fields> = {
  readonly [K in RequiredKeys<F>]: ValueOf<F[K]>;
} & { readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]> };

function field<K extends FieldKind>(kind: K) {
  return {
    required: (about: string, sample: SampleValue): Field<K, true> => ({ kind, isRequired: true, about, sample }),
    optional: (about: string, sample: SampleValue): Field<K, false> => ({ kind, isRequired: false, about, sample }),
  };
}

export const text = {
  ...field("text"),
  /** A field that hooks always get; without a value from the caller it has the fallback. */
  withFallback: (fallback: string, about: string, sample: string) => ({
    ...field("text").required(about, sample),
    fallback,
  }),
  /** One of these values; the first is the default. */
  oneOf: <const V extends string>(values: readonly [V, ...V[]], about: string) => ({
    ...field("text").required(about, values[0]),
    fallback: values[0],
    values,
  }),
};
export const number = field("number");
export const list = field("list");
export const object = field("object");
export const json = field("json");

const JSON_KINDS: Readonly<Record<Exclude<FieldKind, "json">, JsonKind>> = {
  text: "string",
  number: "number",
  list: "array",
  object: "object",
};

/** True if a value of this JSON kind fits the field. */
export const fitsField = (kind: FieldKind, found: JsonKind): boolean => kind === "json" || JSON_KINDS[kind] === found;

/**
 * The arguments of a tool call. The named ones have these types wherever agents send them; every other is unknown. With a
 * `match` on `tool_name`, `defineHook` gives the arguments of that tool.
 */
export interface ToolInput {
  /** For shells. */
  readonly command?: string;
  readonly description?: string;
  /** For tools that read, write or edit a file. */
  readonly file_path?: string;
  readonly path?: string;
  readonly content?: string;
  readonly old_string?: string;
  readonly new_string?: string;
  /** For tools that search. */
  readonly pattern?: string;
  readonly query?: string;
  readonly url?: string;
  readonly [argument: string]: unknown;
}

interface ModelResponse {
  readonly text?: string;
  readonly usage?: TokenUsage;
  readonly [field: string]: unknown;
}

interface TokenUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly [count: string]: unknown;
}
