import { BASE_FIELDS, EVENT_ROWS, type EventName, fieldsOf, findEvent } from "../event.ts";
import {
  faultText,
  JSON_DEPTH,
  type JsonObject,
  type JsonSpan,
  membersOf,
  membersOrNone,
  objectOf,
  readJson,
  spanOfRaw,
  stringOf,
  textMember,
  textSpan,
} from "../json/read.ts";
import type { JsonSource } from "../json/scan.ts";
import { namesIn } from "../json/table.ts";
import { jsonText } from "../json/write.ts";
import type { AmbiguousCall, FieldError, PayloadProblem } from "../problem.ts";
import { fail, ok, type Result } from "../result.ts";
import { addToolFacts } from "../tools/tool-facts.ts";
import { addCallingAgent } from "./calling-agent.ts";
import { type Field, type FieldKind, fitsField } from "./field.ts";
import { patchOperations } from "./patch.ts";

export const PAYLOAD_LIMIT_BYTES = 64 * 1024 * 1024;

/** One event's payload. Members keep their order and raw text; only a hook's change replaces a value. */
export interface Payload {
  readonly event: EventName;
  /** `conv_id`; empty if the caller sent none. */
  readonly session: string;
  readonly cwd: string;
  readonly members: JsonObject;
  /** A bridge added `tool_files`, which is derived again after each change. */
  readonly hasToolFiles?: true;
}

/**
 * Converts another dialect's envelope to hookctl's field names. Fails on a value of the wrong type, with the name that
 * the caller used.
 */
export type EnvelopeReader = (
  members: JsonObject,
  event: EventName,
) => Result<JsonObject, (FieldError & { readonly field: string }) | Omit<AmbiguousCall, "event">>;

/** Parses a payload: checks the event's fields and fills in missing base fields. */
export function readPayload(
  event: EventName,
  text: string,
  ownCwd: string,
  fromEnvelope: EnvelopeReader = ok,
): Result<Payload, PayloadProblem> {
  const read = readPayloadJson(text);
  return read.ok ? payloadOfValue(event, read.value, ownCwd, fromEnvelope) : fail({ ...read.error, event });
}

/** Reads the JSON of a payload. */
export function readPayloadJson(
  source: JsonSource,
): Result<JsonSpan, Extract<PayloadProblem, { readonly code: "PAYLOAD_NOT_JSON" }>> {
  const read = readJson(source, JSON_DEPTH);
  return read.ok ? read : fail({ code: "PAYLOAD_NOT_JSON", line: read.error.line, detail: faultText(read.error) });
}

/** The same for JSON that was parsed already. */
export function payloadOfValue(
  event: EventName,
  span: JsonSpan,
  ownCwd: string,
  fromEnvelope: EnvelopeReader = ok,
): Result<Payload, PayloadProblem> {
  if (span.kind !== "object") return fail({ code: "PAYLOAD_NOT_OBJECT", found: span.kind, event });
  const envelope = fromEnvelope(membersOf(span), event);
  return envelope.ok ? payloadFromMembers(event, envelope.value, ownCwd) : fail({ ...envelope.error, event });
}

/** Makes a payload from members that are parsed already, with the same checks. */
export function payloadFromMembers(
  event: EventName,
  found: JsonObject,
  ownCwd: string,
): Result<Payload, PayloadProblem> {
  const members = new Map(found);
  addCallingAgent(members);
  const standIns: Readonly<Record<string, string>> = { event, cwd: ownCwd };
  // A payload that Reyn sent has the event's name in `point`.
  const isReyn = textMember(members, "point") === event;
  const isLeftOut = (name: string): boolean => isReyn && EVENT_ROWS[event].notInReyn?.includes(name) === true;
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
  addToolFacts(members);
  // The caller may use any dialect's name; hooks expect hookctl's own.
  members.set("event", textSpan(event));
  return ok({ event, session: textMember(members, "conv_id"), cwd: textMember(members, "cwd"), members });
}

/** True if a base field has no value. Go programs write null or an empty string for that. */
export const isEmptyBaseField = (name: string, span: JsonSpan | undefined): boolean =>
  Object.hasOwn(BASE_FIELDS, name) && (span === undefined || span.kind === "null" || span.raw === '""');

/**
 * Returns the default of a field without a value, or undefined. In a JSON field null is a value; in a list field null
 * is Go's empty list.
 */
function standInFor(span: JsonSpan | undefined, field: Field, standIn = field.fallback): JsonSpan | undefined {
  if (field.kind === "json") return span;
  if (field.kind === "list" && span !== undefined) return { kind: "array", raw: "[]" };
  return standIn === undefined ? undefined : textSpan(standIn);
}

/** Returns the payload as JSON, followed by the fields that a dialect adds. */
export const payloadSpan = (payload: Payload, added: JsonObject = new Map()): JsonSpan =>
  objectOf([...payload.members, ...added]);

export const payloadText = (payload: Payload, added?: JsonObject): string => payloadSpan(payload, added).raw;

/** Returns the payload with the new value in the event's target field. */
export function applyChange(payload: Payload, change: string): Payload {
  const { target } = EVENT_ROWS[payload.event];
  const members = new Map(payload.members);
  const span = spanOfRaw(change);
  if (target === null) return payload;
  if (typeof target === "string") members.set(target, span);
  else for (const [key, value] of membersOf(span)) members.set(key, value);
  return { ...payload, members: payload.hasToolFiles ? withToolFiles(members) : members };
}

/** True if the payload reports a tool call that failed. */
export const isFailedToolCall = ({ event, members }: Pick<Payload, "event" | "members">): boolean =>
  EVENT_ROWS[event].target === "tool_output" && hasFailedOutput(members);

/**
 * True if the output has `success: false`, or Base Coat's `tool` has it and the output has no `success`; or if the output is
 * the error of a Rust `Result`, as AgentHook sends it: `{"Err": why}`.
 */
export function hasFailedOutput(members: JsonObject): boolean {
  const output = membersOrNone(members.get("tool_output"));
  const success = output.get("success") ?? membersOrNone(members.get("tool")).get("success");
  return success?.raw === "false" || (output.size === 1 && output.has("Err"));
}

/** The current value of the target as raw JSON, or null. */
export function targetValue(payload: Payload): string | null {
  const { target } = EVENT_ROWS[payload.event];
  if (target === null) return null;
  const { members } = payload;
  if (typeof target === "string") return members.get(target)?.raw ?? null;
  const found = target.map((key) => [key, members.get(key)] as const);
  return objectOf(found.filter((entry): entry is [string, JsonSpan] => entry[1] !== undefined)).raw;
}

/** Returns null if the value fits the field. */
export const fieldKindError = (kind: FieldKind, span: JsonSpan): FieldError | null =>
  fitsField(kind, span.kind) ? null : { code: "PAYLOAD_FIELD_TYPE", expected: KIND_NAMES[kind], found: span.kind };

function fieldError({ isRequired, kind, values }: Field, span: JsonSpan | undefined): FieldError | null {
  if (span === undefined) return isRequired ? { code: "PAYLOAD_FIELD_MISSING" } : null;
  const fault = fieldKindError(kind, span);
  if (fault !== null) return fault;
  const found = values === undefined ? "" : stringOf(span);
  return values === undefined || values.includes(found) ? null : { code: "PAYLOAD_FIELD_VALUE", found, values };
}

const KIND_NAMES = { text: "a string", number: "a number", list: "an array", object: "an object", json: "JSON" };

const FILE_KEYS = namesIn("file_path filePath path absolute_path notebook_path target_file");
const PATCH_KEYS = namesIn("command input patch patchText");

/**
 * Returns the members with `tool_files` made from `tool_input`, so that a hook that changes the input cannot hide a
 * file.
 */
export function withToolFiles(members: JsonObject): Map<string, JsonSpan> {
  const input = members.get("tool_input");
  const named = new Map(members);
  if (input?.kind === "object") named.set("tool_files", spanOfRaw(jsonText(toolFiles(membersOf(input)))));
  else named.delete("tool_files");
  return named;
}

/** The files that a tool call names, in one of its fields or in the header lines of a patch. */
function toolFiles(input: JsonObject): readonly string[] {
  const named = FILE_KEYS.map((key) => textMember(input, key)).filter((path) => path !== "");
  return [...new Set([...named, ...patchedFiles(input)])];
}

/** The files in the header lines of a patch. */
export const patchedFiles = (input: JsonObject): readonly string[] =>
  PATCH_KEYS.flatMap((key) => patchOperations(textMember(input, key))).flatMap(({ path, to }) =>
    to === null ? [path] : [path, to],
  );
