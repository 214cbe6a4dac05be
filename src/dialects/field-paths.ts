import {
  itemsOf,
  JSON_DEPTH,
  type JsonObject,
  type JsonSpan,
  membersOf,
  readJson,
  readJsonLenient,
  stringOf,
} from "../protocol/json/read.ts";
import { type JsonValue, jsonText, rawJson } from "../protocol/json/write.ts";

/** Where each field of the canonical payload is found in a native payload: a path, or a function that computes it. */
export type FieldPaths = Readonly<Record<string, string | ((native: JsonObject) => JsonValue | undefined)>>;

/** A hook's new value for the target of its event (the tool input, the output, the message). */
export interface TargetChange {
  readonly value: JsonSpan;
  readonly native: JsonObject;
  /** True if a hook explicitly allowed the call. */
  readonly isAllowed: boolean;
}

/** The value at a path of members and positions, such as `tool_response.llmContent` or `workspace_roots.0`. */
export function spanAt(members: JsonObject, path: string): JsonSpan | undefined {
  const [first = "", ...rest] = path.split(".");
  return rest.reduce<JsonSpan | undefined>(memberOf, members.get(first));
}

function memberOf(span: JsonSpan | undefined, key: string): JsonSpan | undefined {
  if (span?.kind === "object") return membersOf(span).get(key);
  return span?.kind === "array" ? itemsOf(span)[Number(key)] : undefined;
}

/** The text at a path; empty where there is none. */
export function textAt(members: JsonObject, path: string): string {
  const span = spanAt(members, path);
  return span?.kind === "string" ? stringOf(span) : "";
}

export const rawAt = (members: JsonObject, path: string): JsonValue | undefined => {
  const span = spanAt(members, path);
  return span === undefined ? undefined : rawJson(span.raw);
};

/** One value that goes by several names; the first that is there counts. */
export const firstOf =
  (...paths: readonly string[]) =>
  (native: JsonObject): JsonValue | undefined =>
    paths.map((path) => givenIn(spanAt(native, path))).find((value) => value !== undefined);

/** JSON that came inside a text is taken out of it; any other value stays. What is null is not there. */
function parsedAt(members: JsonObject, path: string): JsonValue | undefined {
  const span = spanAt(members, path);
  const inner = span?.kind === "string" ? readJson(stringOf(span), JSON_DEPTH) : null;
  return givenIn(inner?.ok ? inner.value : span);
}

/**
 * The arguments of a call. A call without any is a call, and its guards are asked about it. Arguments that came as JSON
 * in a text are read as the agent itself will read them: of a key that stands twice the last value counts.
 */
export const callInput =
  (path: string) =>
  (native: JsonObject): JsonValue => {
    const span = spanAt(native, path);
    const inner = span?.kind === "string" ? readJsonLenient(stringOf(span).replace(/^\ufeff/, "")) : null;
    return givenIn(inner?.ok && isArguments(inner.value) ? inner.value : span) ?? {};
  };

const isArguments = ({ kind }: JsonSpan): boolean => kind === "object" || kind === "array" || kind === "null";

const givenIn = (span: JsonSpan | undefined): JsonValue | undefined =>
  span === undefined || span.kind === "null" ? undefined : rawJson(span.raw);

/** The fields of a table, read from a native payload. What is not there, or null, is left out. */
export function fieldsAt(places: FieldPaths, native: JsonObject): [string, JsonSpan][] {
  return Object.entries(places).flatMap(([field, place]): [string, JsonSpan][] => {
    const span = typeof place === "string" ? spanAt(native, place) : toSpan(place(native));
    return span === undefined || span.kind === "null" ? [] : [[field, span]];
  });
}

/** A value of our own making as a member of a payload. */
export function toSpan(value: JsonValue | undefined): JsonSpan | undefined {
  if (value === undefined) return undefined;
  const read = readJson(jsonText(value), Number.POSITIVE_INFINITY);
  return read.ok ? read.value : undefined;
}

/** Kodelet's tool output around what the agent gave; see `givenBack` for the way back. */
export const toolOutput =
  (namePath: string, resultPath: string, isSuccess: (native: JsonObject) => boolean = () => true) =>
  (native: JsonObject): JsonValue => ({
    toolName: textAt(native, namePath),
    success: isSuccess(native),
    result: parsedAt(native, resultPath) ?? null,
  });

/** A tool call that failed, whose event brings an error in place of a result. */
export const failedOutput =
  (namePath: string, errorPath: string) =>
  (native: JsonObject): JsonValue => ({
    toolName: textAt(native, namePath),
    success: false,
    error: rawAt(native, errorPath) ?? "",
  });

/** What a changed tool output holds for the agent: its `result`, or all of it when the hook gave another shape. */
export function changedResult({ value }: TargetChange): JsonSpan {
  return (value.kind === "object" ? membersOf(value).get("result") : undefined) ?? value;
}

/** The same as a text, for agents that take nothing else. */
export function changedResultText(change: TargetChange): string {
  const span = changedResult(change);
  return span.kind === "string" ? stringOf(span) : span.raw;
}
