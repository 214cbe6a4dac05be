import {
  itemsOf,
  JSON_DEPTH,
  type JsonObject,
  type JsonSpan,
  membersOf,
  readJson,
  stringOf,
} from "../protocol/json/read.ts";
import { type JsonValue, jsonSpan, rawJson } from "../protocol/json/write.ts";

/** For each field of the canonical payload its path in a native payload, or a function that computes it. */
export type FieldPaths = Readonly<Record<string, string | ((native: JsonObject) => JsonValue | undefined)>>;

/** A hook's new value for the target of its event (the tool input, the output, the message). */
export interface TargetChange {
  readonly value: JsonSpan;
  readonly native: JsonObject;
  /** True if a hook explicitly allowed the call. */
  readonly isAllowed: boolean;
}

/** The value at a path such as `tool_response.llmContent` or `workspace_roots.0`. */
export function spanAt(members: JsonObject, path: string): JsonSpan | undefined {
  const [first = "", ...rest] = path.split(".");
  return rest.reduce<JsonSpan | undefined>(memberOf, members.get(first));
}

function memberOf(span: JsonSpan | undefined, key: string): JsonSpan | undefined {
  if (span?.kind === "object") return membersOf(span).get(key);
  return span?.kind === "array" ? itemsOf(span)[Number(key)] : undefined;
}

/** The string at a path; empty if missing. */
export function textAt(members: JsonObject, path: string): string {
  const span = spanAt(members, path);
  return span?.kind === "string" ? stringOf(span) : "";
}

export const rawAt = (members: JsonObject, path: string): JsonValue | undefined => {
  const span = spanAt(members, path);
  return span === undefined ? undefined : rawJson(span);
};

/** The value of the first path that is present. */
export const firstOf =
  (...paths: readonly string[]) =>
  (native: JsonObject): JsonValue | undefined =>
    paths.map((path) => givenIn(spanAt(native, path))).find((value) => value !== undefined);

/** The value of the first path that is present; a string that contains JSON is parsed. Undefined for null. */
function parsedAt(members: JsonObject, paths: readonly string[]): JsonValue | undefined {
  const span = firstSpan(members, paths);
  const inner = span?.kind === "string" ? readJson(stringOf(span), JSON_DEPTH) : null;
  return givenIn(inner?.ok ? inner.value : span);
}

const firstSpan = (members: JsonObject, paths: readonly string[]): JsonSpan | undefined =>
  paths.map((path) => spanAt(members, path)).find((span) => span !== undefined);

/**
 * The arguments of a call at the first path that is present; an empty object if missing, so that guards still run. Arguments can be a
 * JSON string. Undefined if a key occurs twice in it: programs disagree on which of the two values is used.
 */
export const callInput =
  (...paths: readonly string[]) =>
  (native: JsonObject): JsonValue | undefined => {
    const span = firstSpan(native, paths);
    const inner = span?.kind === "string" ? readJson(stringOf(span).replace(/^\ufeff/, ""), JSON_DEPTH) : null;
    if (inner?.ok === false && inner.error.kind === "duplicate-key") return undefined;
    return givenIn(inner?.ok && isArguments(inner.value) ? inner.value : span) ?? {};
  };

const isArguments = ({ kind }: JsonSpan): boolean => kind === "object" || kind === "array" || kind === "null";

const givenIn = (span: JsonSpan | undefined): JsonValue | undefined =>
  span === undefined || span.kind === "null" ? undefined : rawJson(span);

/** Reads the fields of a table from a native payload. Missing and null values are left out. */
export function fieldsAt(places: FieldPaths, native: JsonObject): [string, JsonSpan][] {
  return Object.entries(places).flatMap(([field, place]): [string, JsonSpan][] => {
    const span = typeof place === "string" ? spanAt(native, place) : toSpan(place(native));
    return span === undefined || span.kind === "null" ? [] : [[field, span]];
  });
}

/** A computed value as a payload field. */
export const toSpan = (value: JsonValue | undefined): JsonSpan | undefined =>
  value === undefined ? undefined : jsonSpan(value);

/** The tool output in Kodelet's format; `changedResult` is the inverse. The name is that of the portable tool, which is set later. */
export const toolOutput =
  (resultPaths: readonly string[], isSuccess: (native: JsonObject) => boolean) =>
  (native: JsonObject): JsonValue => ({
    toolName: "",
    success: isSuccess(native),
    result: parsedAt(native, resultPaths) ?? null,
  });

/** The tool output of a failed call, which has an error instead of a result. */
export const failedOutput =
  (errorPath: string) =>
  (native: JsonObject): JsonValue => ({ toolName: "", success: false, error: rawAt(native, errorPath) ?? "" });

/** The last message as the conversation: no agent sends all of it. */
export function lastMessage(native: JsonObject, path: string): JsonValue {
  const content = textAt(native, path);
  return content === "" ? [] : [{ role: "assistant", content }];
}

/** The result in a changed tool output; the whole value if the hook returned another shape. */
export function changedResult({ value }: TargetChange): JsonSpan {
  return (value.kind === "object" ? membersOf(value).get("result") : undefined) ?? value;
}
