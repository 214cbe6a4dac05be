import type { EventName } from "./event.ts";
import { eventRow, fieldsOf, findEvent } from "./event.ts";
import { fits } from "./field.ts";
import type { JsonObject, JsonSpan } from "./json.ts";
import { faultText, JSON_DEPTH, membersOf, objectOf, readJson, spanFrom, stringOf } from "./json.ts";
import { jsonText, rawJson } from "./json-text.ts";
import type { PayloadProblem } from "./problem.ts";
import { fail, ok, type Result } from "./result.ts";

export const PAYLOAD_LIMIT_BYTES = 64 * 1024 * 1024;

/** One event's payload. Members keep their written order and their raw text; only a hook's change replaces one. */
export interface Payload {
  readonly event: EventName;
  /** `conv_id`; empty when the caller named none. */
  readonly session: string;
  readonly cwd: string;
  readonly members: JsonObject;
  /** What stands in the members in other words too is said anew by it, after a change. */
  readonly follow?: (members: JsonObject) => JsonObject;
}

/** An envelope of another dialect in our names. */
export type FromEnvelope = (members: JsonObject, event: EventName) => Pick<Payload, "members" | "follow">;

/** Payload text -> payload: checks the fields of the event's row and fills the base fields that are missing. */
export function readPayload(
  event: EventName,
  text: string,
  ownCwd: string,
  fromEnvelope: FromEnvelope = (members) => ({ members }),
): Result<Payload, PayloadProblem> {
  const read = readJson(text, JSON_DEPTH);
  if (!read.ok) return fail({ code: "PAYLOAD_NOT_JSON", line: read.error.line, detail: faultText(read.error), event });
  if (read.value.kind !== "object") return fail({ code: "PAYLOAD_NOT_OBJECT", found: read.value.kind, event });

  const own = membersOf(read.value);
  const { members: ours, ...envelope } = fromEnvelope(own, event);
  const payload = payloadFrom(event, ours, ownCwd);
  if (!payload.ok) return payload;
  if (own.has("event")) return ok({ ...payload.value, ...envelope });
  // An envelope names the event in its own words; kodelet hooks look for hookctl's.
  const members = new Map([
    ...payload.value.members,
    ["event", { kind: "string", raw: JSON.stringify(event) }] as const,
  ]);
  return ok({ ...payload.value, ...envelope, members });
}

/** Members that are at hand -> payload: the same checks, the same base fields. */
export function payloadFrom(event: EventName, found: JsonObject, ownCwd: string): Result<Payload, PayloadProblem> {
  const members = new Map(found);
  const base = { event, cwd: ownCwd, invoked_by: "main", conv_id: "" };
  for (const [key, value] of Object.entries(base)) {
    if (isAbsent(members.get(key))) members.set(key, { kind: "string", raw: JSON.stringify(value) });
  }
  const problem = firstProblem(event, members);
  if (problem !== null) return fail(problem);
  return ok({ event, session: textOf(members, "conv_id"), cwd: textOf(members, "cwd"), members });
}

/** The payload as JSON text, with what a dialect adds behind its own members. */
export function payloadText(payload: Payload, added: JsonObject = new Map()): string {
  return objectOf(new Map([...payload.members, ...added])).raw;
}

/** The payload after a hook's change: the event's target holds the new value (SPEC 7.1). */
export function withChange(payload: Payload, change: string): Payload {
  const { target } = eventRow(payload.event);
  const members = new Map(payload.members);
  const span = spanFrom(change);
  if (target === null) return payload;
  if (typeof target === "string") members.set(target, span);
  else for (const [key, value] of membersOf(span)) members.set(key, value);
  return { ...payload, members: payload.follow?.(members) ?? members };
}

/** True of a tool call that failed: its `tool_output.success` is false. */
export function isFailedCall({ event, members }: Pick<Payload, "event" | "members">): boolean {
  const output = eventRow(event).target === "tool_output" ? members.get("tool_output") : undefined;
  return output?.kind === "object" && membersOf(output).get("success")?.raw === "false";
}

/** The target's present value as raw text, or null where there is none. */
export function targetText(payload: Payload): string | null {
  const { target } = eventRow(payload.event);
  if (target === null) return null;
  if (typeof target === "string") return payload.members.get(target)?.raw ?? null;
  return jsonText(Object.fromEntries(target.flatMap((key) => rawMember(payload.members, key))));
}

function rawMember(members: JsonObject, key: string): [string, ReturnType<typeof rawJson>][] {
  const span = members.get(key);
  return span === undefined ? [] : [[key, rawJson(span.raw)]];
}

function firstProblem(event: EventName, members: JsonObject): PayloadProblem | null {
  for (const [name, field] of Object.entries(fieldsOf(event))) {
    const span = members.get(name);
    if (span === undefined || (isAbsent(span) && field.kind !== "json")) {
      if (field.isRequired) return { code: "PAYLOAD_FIELD_MISSING", field: name, event };
    } else if (!fits(field.kind, span.kind)) {
      return { code: "PAYLOAD_FIELD_TYPE", field: name, wanted: WANTED[field.kind], found: span.kind, event };
    }
  }
  const found = textOf(members, "event");
  return findEvent(found)?.event === event ? null : { code: "PAYLOAD_EVENT_DIFFERS", found, event };
}

const WANTED = { text: "a string", number: "a number", list: "an array", object: "an object", json: "JSON" };

const isAbsent = (span: JsonSpan | undefined): boolean => span === undefined || span.kind === "null";

function textOf(members: JsonObject, key: string): string {
  const span = members.get(key);
  return span?.kind === "string" ? stringOf(span) : "";
}
