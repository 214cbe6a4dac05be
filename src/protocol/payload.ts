import type { EventName } from "./event.ts";
import { BASE_FIELDS, eventRow, fieldsOf, findEvent } from "./event.ts";
import { type Field, type FieldKind, fitsField } from "./field.ts";
import type { JsonObject, JsonSpan } from "./json/read.ts";
import { faultText, JSON_DEPTH, membersOf, objectOf, readJson, spanOfRaw, stringOf } from "./json/read.ts";
import { jsonText, rawJson } from "./json/write.ts";
import type { FieldError, PayloadProblem } from "./problem.ts";
import { fail, ok, type Result } from "./result.ts";
import { withToolFiles } from "./tool-files.ts";

export const PAYLOAD_LIMIT_BYTES = 64 * 1024 * 1024;

/** One event's payload. Members keep their written order and their raw text; only a hook's change replaces one. */
export interface Payload {
  readonly event: EventName;
  /** `conv_id`; empty when the caller named none. */
  readonly session: string;
  readonly cwd: string;
  readonly members: JsonObject;
  /** A bridge added `tool_files`, which is derived again after each change. */
  readonly hasToolFiles?: true;
}

/** An envelope of another dialect in our names. Fails with a value of the wrong type, by the name that it was sent under. */
export type EnvelopeReader = (
  members: JsonObject,
  event: EventName,
) => Result<JsonObject, FieldError & { readonly field: string }>;

/** Payload text -> payload: checks the fields of the event's row and fills the base fields that are missing. */
export function readPayload(
  event: EventName,
  text: string,
  ownCwd: string,
  fromEnvelope: EnvelopeReader = ok,
): Result<Payload, PayloadProblem> {
  const read = readJson(text, JSON_DEPTH);
  if (!read.ok) return fail({ code: "PAYLOAD_NOT_JSON", line: read.error.line, detail: faultText(read.error), event });
  if (read.value.kind !== "object") return fail({ code: "PAYLOAD_NOT_OBJECT", found: read.value.kind, event });

  const envelope = fromEnvelope(membersOf(read.value), event);
  return envelope.ok ? payloadFromMembers(event, envelope.value, ownCwd) : fail({ ...envelope.error, event });
}

/** Members that are at hand -> payload: the same checks, the same base fields. */
export function payloadFromMembers(
  event: EventName,
  found: JsonObject,
  ownCwd: string,
): Result<Payload, PayloadProblem> {
  const members = new Map(found);
  const standIns: Readonly<Record<string, string>> = { event, cwd: ownCwd };
  // Reyn's own payload is known by its point.
  const isReyn = textMember(members, "point") === event;
  const isLeftOut = (name: string): boolean => isReyn && eventRow(event).notInReyn?.includes(name) === true;
  for (const [name, field] of Object.entries(fieldsOf(event))) {
    const span = members.get(name);
    const isEmpty = span?.kind === "null" || isEmptyBaseField(name, span);
    const filled = isEmpty || span === undefined ? standInFor(span, field, standIns[name]) : span;
    if (filled === undefined) members.delete(name);
    else members.set(name, filled);
    const problem = fieldError(isLeftOut(name) ? { ...field, isRequired: false } : field, filled);
    if (problem !== null) return fail({ ...problem, field: name, event });
  }
  const named = textMember(members, "event");
  if (findEvent(named)?.event !== event) return fail({ code: "PAYLOAD_EVENT_DIFFERS", found: named, event });
  // The caller may name it in any dialect; every hook looks for hookctl's own name.
  members.set("event", { kind: "string", raw: JSON.stringify(event) });
  return ok({ event, session: textMember(members, "conv_id"), cwd: textMember(members, "cwd"), members });
}

/** Go writes null or an empty text where it has no value: a base field with one of them is as good as not there. */
export const isEmptyBaseField = (name: string, span: JsonSpan | undefined): boolean =>
  Object.hasOwn(BASE_FIELDS, name) && (span === undefined || span.kind === "null" || span.raw === '""');

/** What a hook gets for a field without a value; undefined: nothing. Null is a value where any JSON is, and an empty list in Go. */
function standInFor(span: JsonSpan | undefined, field: Field, standIn = field.fallback): JsonSpan | undefined {
  if (field.kind === "json") return span;
  if (field.kind === "list" && span !== undefined) return { kind: "array", raw: "[]" };
  return standIn === undefined ? undefined : { kind: "string", raw: JSON.stringify(standIn) };
}

/** The payload as JSON text, with what a dialect adds behind its own members. */
export function payloadText(payload: Payload, added: JsonObject = new Map()): string {
  return objectOf(new Map([...payload.members, ...added])).raw;
}

/** The payload after a hook's change: the event's target holds the new value (SPEC 7.1). */
export function applyChange(payload: Payload, change: string): Payload {
  const { target } = eventRow(payload.event);
  const members = new Map(payload.members);
  const span = spanOfRaw(change);
  if (target === null) return payload;
  if (typeof target === "string") members.set(target, span);
  else for (const [key, value] of membersOf(span)) members.set(key, value);
  return { ...payload, members: payload.hasToolFiles ? withToolFiles(members) : members };
}

/** True of a tool call that failed: `success` is false in its output, or in Base Coat's `tool` where the output does not say. */
export function isFailedToolCall({ event, members }: Pick<Payload, "event" | "members">): boolean {
  if (eventRow(event).target !== "tool_output") return false;
  const said = ["tool_output", "tool"].flatMap((key) => {
    const span = members.get(key);
    return (span?.kind === "object" ? membersOf(span).get("success") : undefined) ?? [];
  });
  return said[0]?.raw === "false";
}

/** The target's present value as raw text, or null where there is none. */
export function targetValue(payload: Payload): string | null {
  const { target } = eventRow(payload.event);
  if (target === null) return null;
  if (typeof target === "string") return payload.members.get(target)?.raw ?? null;
  return jsonText(Object.fromEntries(target.flatMap((key) => rawMember(payload.members, key))));
}

function rawMember(members: JsonObject, key: string): [string, ReturnType<typeof rawJson>][] {
  const span = members.get(key);
  return span === undefined ? [] : [[key, rawJson(span.raw)]];
}

/** Null: the value fits. */
export const fieldKindError = (kind: FieldKind, span: JsonSpan): FieldError | null =>
  fitsField(kind, span.kind) ? null : { code: "PAYLOAD_FIELD_TYPE", wanted: KIND_NAMES[kind], found: span.kind };

function fieldError({ isRequired, kind, values }: Field, span: JsonSpan | undefined): FieldError | null {
  if (span === undefined) return isRequired ? { code: "PAYLOAD_FIELD_MISSING" } : null;
  const fault = fieldKindError(kind, span);
  if (fault !== null) return fault;
  const found = values === undefined ? "" : stringOf(span);
  return values === undefined || values.includes(found) ? null : { code: "PAYLOAD_FIELD_VALUE", found, values };
}

const KIND_NAMES = { text: "a string", number: "a number", list: "an array", object: "an object", json: "JSON" };

function textMember(members: JsonObject, key: string): string {
  const span = members.get(key);
  return span?.kind === "string" ? stringOf(span) : "";
}
