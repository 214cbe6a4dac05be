import { BASE_FIELDS, type EventName, fieldsOf } from "../event.ts";
import { itemsOf, type JsonSpan, membersOf, readJson, stringOf } from "../json/read.ts";
import { type JsonValue, rawJson } from "../json/write.ts";
import { fail, ok, type Result } from "../result.ts";

/** A payload under construction. */
export interface SampleObject {
  readonly [key: string]: JsonValue;
}

/** A path and the value to set there, from `path=value` on the command line. */
export type PathValue = readonly [path: readonly string[], value: JsonValue];

/** `agent` is completed from the other fields when the payload is read, so that it fits them after they are changed. */
const NOT_IN_SAMPLES = ["recipe_name", "agent"];

const sampledFields = (event: EventName) =>
  Object.entries(fieldsOf(event)).filter(([name]) => !NOT_IN_SAMPLES.includes(name));

/** A valid payload of an event with a sample value in every field. */
export const samplePayload = (event: EventName, cwd: string): SampleObject => ({
  ...Object.fromEntries(sampledFields(event).map(([name, { sample }]) => [name, sample])),
  event,
  cwd,
});

/** The smallest valid payload: base fields, and required fields with empty values. */
export function minimalPayload(event: EventName, cwd: string): SampleObject {
  const required = sampledFields(event).filter(([, { isRequired }]) => isRequired);
  const least = required.map(([name, { sample }]): [string, JsonValue] => [
    name,
    Object.hasOwn(BASE_FIELDS, name) ? sample : emptied(sample),
  ]);
  return { ...Object.fromEntries(least), event, cwd };
}

function emptied(sample: JsonValue): JsonValue {
  if (typeof sample === "string") return "";
  if (Array.isArray(sample)) return [];
  return typeof sample === "number" ? 0 : isSampleObject(sample) ? {} : null;
}

/** Sets a value at a path; anything else on the path becomes an object. */
export function withValue(object: SampleObject, [[key = "", ...rest], value]: PathValue): SampleObject {
  if (rest.length === 0) return { ...object, [key]: value };
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return { ...object, [key]: withValue(isSampleObject(inner) ? inner : {}, [rest, value]) };
}

export const isSampleObject = (value: JsonValue | undefined): value is SampleObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses texts such as `tool_input.command=ls`. Fails with the first that has no path before its `=`. */
export function parsePathValues(texts: readonly string[]): Result<readonly PathValue[], string> {
  const placed: PathValue[] = [];
  for (const text of texts) {
    const equals = text.indexOf("=");
    if (equals < 1) return fail(text);
    placed.push([text.slice(0, equals).split("."), parsedOrText(text.slice(equals + 1))]);
  }
  return ok(placed);
}

/** Deeper than any value typed on a command line. */
const VALUE_DEPTH = 512;

/** A value that is valid JSON is stored as JSON, any other as text. */
function parsedOrText(text: string): JsonValue {
  const read = readJson(text, VALUE_DEPTH);
  return read.ok ? valueIn(read.value) : text;
}

/** Numbers keep their digits where JavaScript would round them. */
function valueIn(span: JsonSpan): JsonValue {
  switch (span.kind) {
    case "object":
      return Object.fromEntries([...membersOf(span)].map(([key, value]) => [key, valueIn(value)]));
    case "array":
      return itemsOf(span).map(valueIn);
    case "string":
      return stringOf(span);
    case "number":
      return String(Number(span.raw)) === span.raw ? Number(span.raw) : rawJson(span.raw);
    case "boolean":
      return span.raw === "true";
    case "null":
      return null;
  }
}
