import { BASE_FIELDS, type EventName, fieldsOf } from "./event.ts";
import { itemsOf, type JsonSpan, membersOf, readJson, stringOf } from "./json/read.ts";
import { type JsonValue, rawJson } from "./json/write.ts";
import { fail, ok, type Result } from "./result.ts";

/** A payload under construction. */
export interface SampleObject {
  readonly [key: string]: JsonValue;
}

/** Where a value goes, and the value: what `path=value` on a command line says. */
export type PathValue = readonly [path: readonly string[], value: JsonValue];

/** A valid payload of an event, every field with its sample. */
export function samplePayload(event: EventName, cwd: string): SampleObject {
  const fields = Object.entries(fieldsOf(event)).filter(([name]) => name !== "recipe_name");
  return { ...Object.fromEntries(fields.map(([name, field]) => [name, field.sample])), event, cwd };
}

/** The least that the field table allows: the base, and required fields with nothing in them. */
export function minimalPayload(event: EventName, cwd: string): SampleObject {
  const fields = Object.entries(fieldsOf(event)).filter(([, { isRequired }]) => isRequired);
  const least = fields.map(([name, { sample }]): [string, JsonValue] => [
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

/** A sample with one more value; what stands in the way of its path becomes an object. */
export function withValue(object: SampleObject, [[key = "", ...rest], value]: PathValue): SampleObject {
  if (rest.length === 0) return { ...object, [key]: value };
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return { ...object, [key]: withValue(isSampleObject(inner) ? inner : {}, [rest, value]) };
}

export const isSampleObject = (value: JsonValue | undefined): value is SampleObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `tool_input.command=ls` taken apart; fails with the text that has no path before its `=`. */
export function parsePathValues(texts: readonly string[]): Result<readonly PathValue[], string> {
  const placed: PathValue[] = [];
  for (const text of texts) {
    const equals = text.indexOf("=");
    if (equals < 1) return fail(text);
    placed.push([text.slice(0, equals).split("."), parsedOrText(text.slice(equals + 1))]);
  }
  return ok(placed);
}

/** What a person writes on a command line is no deeper. */
const VALUE_DEPTH = 512;

/** A value that is valid JSON is stored as JSON, any other as text. */
function parsedOrText(text: string): JsonValue {
  const read = readJson(text, VALUE_DEPTH);
  return read.ok ? valueIn(read.value) : text;
}

/** A number keeps its digits, however deep it lies, also where JavaScript would round it. */
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
