import {
  BASE_FIELDS,
  canonicalField,
  type DialectName,
  EVENT_ROWS,
  type EventName,
  fieldsOf,
  findEvent,
  type NamedEvent,
} from "../protocol/event.ts";
import {
  isSame,
  type JsonObject,
  type JsonSpan,
  membersOf,
  objectOf,
  spanOfRaw,
  stringOf,
  textSpan,
} from "../protocol/json/read.ts";
import type { JsonValue } from "../protocol/json/write.ts";
import { type EnvelopeReader, fieldKindError, isEmptyBaseField, type Payload } from "../protocol/payload/payload.ts";
import { fail, ok } from "../protocol/result.ts";
import { portableCall } from "../protocol/tools/translate.ts";
import { agenthook } from "./agenthook.ts";
import { basecoat } from "./basecoat.ts";
import { claude } from "./claude.ts";
import { copilot } from "./copilot.ts";
import type { Dialect, EnvelopeExtras, ResponseKey } from "./dialect.ts";
import { rawAt, spanAt, textAt, toSpan } from "./field-paths.ts";
import { kodelet } from "./kodelet.ts";
import { reyn } from "./reyn.ts";
import { foreignFiles, inputFromDialect } from "./tools/dialect-call.ts";
import { shellOutputText } from "./tools/tool-output.ts";

/** Every dialect by its name. */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = { kodelet, basecoat, reyn, agenthook, claude, copilot };
const ALL_DIALECTS = Object.values(DIALECTS);

/** Every response key of every dialect. A key of several dialects has a row for each. */
export const RESPONSE_KEYS: readonly ResponseKey[] = ALL_DIALECTS.flatMap((dialect) => dialect.responseKeys);

/**
 * Converts an envelope to hookctl's field names. Its marker key determines the dialect, else the event name that the
 * caller typed. Other members are unchanged.
 */
export const envelopeReader =
  (typed: DialectName): EnvelopeReader =>
  (members, event) => {
    const dialect = envelopeDialect(members, typed);
    if (dialect.name === "kodelet") return ok(members);
    const own = withCanonicalNames(members, { event, dialect: dialect.name });
    if (dialect.name !== typed && namesEventInAnotherDialect(dialect, members)) return ok(own);
    const fault = envelopeError(dialect, members);
    if (fault !== null) return fail(fault);
    return withPortableTool(dialect, new Map([...own, ...fieldsFromEnvelope(dialect, members, own)]));
  };

/** A tool call in the names of an envelope's dialect gets the portable names, as from an agent. */
function withPortableTool({ tools }: Dialect, members: Map<string, JsonSpan>): ReturnType<EnvelopeReader> {
  const [name, input] = [textAt(members, "tool_name"), members.get("tool_input")];
  if (tools === undefined || name === "" || input === undefined) return ok(members);
  const call = portableCall(tools.tools, { name, input, mcp: null });
  if (call.ambiguous !== null) return fail({ code: "PAYLOAD_AMBIGUOUS", tool: call.tool, keys: call.ambiguous });
  members.set("tool_name", textSpan(call.tool));
  members.set("tool_input", call.input);
  members.set("tool_names", spanOfRaw(JSON.stringify(call.names)));
  members.set("tool_kind", textSpan(call.kind));
  return ok(members);
}

/** Reads an envelope for one of hookctl's own event names. */
export const readEnvelope: EnvelopeReader = envelopeReader("kodelet");

function envelopeDialect(members: JsonObject, typed: DialectName): Dialect {
  const marked = ALL_DIALECTS.filter(({ envelope }) => envelope.mark !== null && members.has(envelope.mark));
  return marked.find(({ name }) => name === typed) ?? marked[0] ?? DIALECTS[typed];
}

/** True if the payload names its event in another dialect, although this dialect has a field for the name. */
function namesEventInAnotherDialect({ name, envelope }: Dialect, members: JsonObject): boolean {
  const named = members.get("event");
  if (!Object.hasOwn(envelope.fields, "event") || isEmptyBaseField("event", named)) return false;
  return named?.kind === "string" && findEvent(stringOf(named))?.dialect !== name;
}

/** The first value of the wrong type, with the caller's name for it. Null is a missing value. */
function envelopeError({ envelope }: Dialect, members: JsonObject) {
  for (const [path, kind] of Object.entries(envelope.kinds)) {
    const span = spanAt(members, path);
    const fault = span === undefined || span.kind === "null" ? null : fieldKindError(kind, span);
    if (fault !== null) return { ...fault, field: path };
  }
  return null;
}

/** A value under hookctl's own name takes precedence. Only objects of both formats, such as `budget`, are merged. */
function fieldsFromEnvelope(
  { envelope, mergedObjects }: Dialect,
  members: JsonObject,
  own: JsonObject,
): readonly [string, JsonSpan][] {
  return Object.entries(envelope.fields).flatMap(([key, read]): [string, JsonSpan][] => {
    const [span, had] = [read(members), own.get(key)];
    if (span === undefined) return [];
    if (mergedObjects?.includes(key)) return [[key, mergeObjects(span, had)]];
    return [[key, had === undefined || had.kind === "null" || isEmptyBaseField(key, had) ? span : had]];
  });
}

/** Renames fields to hookctl's names. If the caller sent a field under both names, hookctl's takes precedence. */
function withCanonicalNames(members: JsonObject, named: NamedEvent): JsonObject {
  const ours = new Map<string, JsonSpan>();
  for (const [key, span] of members) {
    const name = canonicalField(named, key);
    const had = name === key ? ours.get(name) : members.get(name);
    const isSaid = had !== undefined && had.kind !== "null";
    if (!isSaid) ours.set(name, span);
  }
  return ours;
}

/**
 * The fields that a hook of this dialect gets beside the payload's own. Aliases are computed from hookctl's field each
 * time, so that no alias the caller sent can contradict the field or stay unchanged when a hook changes it. That includes
 * the aliases of other dialects that the caller used.
 */
export function dialectFields(dialectName: DialectName, payload: Payload, moment: EnvelopeExtras): JsonObject {
  const added = aliasFields(dialectName, payload, moment);
  for (const [key, make] of Object.entries(DIALECTS[dialectName].overrides ?? {})) {
    const span = toSpan(make(payload));
    if (span !== undefined) added.set(key, span);
  }
  return added;
}

/** The payload's members as a hook of a dialect gets them, for `match`. */
export const membersInDialect =
  (moment: (payload: Payload) => EnvelopeExtras) =>
  (dialect: DialectName, payload: Payload): JsonObject =>
    new Map([...payload.members, ...dialectFields(dialect, payload, moment(payload))]);

/** The files of a call that a hook of this dialect is asked about one by one; empty if it is asked once. */
export function filesToAsk(dialect: DialectName, payload: Payload): readonly string[] {
  const { tools } = DIALECTS[dialect];
  return tools === undefined ? [] : foreignFiles(tools, payload);
}

/** The portable form of a new value that a hook of a dialect wrote. */
export function portableChange(dialect: DialectName, payload: Payload, change: string): string {
  const { tools } = DIALECTS[dialect];
  const { target } = EVENT_ROWS[payload.event];
  if (tools === undefined) return change;
  if (target === "tool_input") return inputFromDialect(tools, payload, change);
  const text = target === "tool_output" ? shellOutputText(spanOfRaw(change)) : null;
  return text === null || textAt(payload.members, "tool_name") !== "bash" ? change : JSON.stringify(text);
}

function aliasFields(dialectName: DialectName, payload: Payload, moment: EnvelopeExtras): Map<string, JsonSpan> {
  const { passThrough, extraFields } = DIALECTS[dialectName];
  const came = [...(passThrough?.(payload) ?? [])];
  const added = new Map(came.filter(([key]) => !payload.members.has(key) && !Object.hasOwn(extraFields, key)));
  for (const dialect of [...ALL_DIALECTS.filter(({ name }) => name !== dialectName), DIALECTS[dialectName]]) {
    for (const [key, { field, make }] of addedFields(dialect, payload.event)) {
      const alias = { dialect, key, field, sent: payload.members.get(key) };
      if (dialect.name !== dialectName && !isUsedAlias(alias, payload)) continue;
      const span = aliasValue(alias, payload, () => make(payload, moment));
      if (span !== undefined) added.set(key, span);
    }
  }
  return added;
}

/** Every field that a dialect adds to this event, with hookctl's field of which it is an alias. */
function addedFields({ name, extraFields, aliases }: Dialect, event: EventName) {
  const renamed = Object.entries(EVENT_ROWS[event].fieldNames?.[name] ?? {});
  return new Map<string, { readonly field: string | undefined; readonly make: Dialect["extraFields"][string] }>([
    ...Object.entries(extraFields).map(([key, make]) => [key, { field: aliases[key], make }] as const),
    ...renamed.map(([key, field]) => [key, { field, make: ({ members }: Payload) => rawAt(members, field) }] as const),
  ]);
}

interface Alias {
  readonly dialect: Dialect;
  readonly key: string;
  readonly field: string | undefined;
  /** The caller's value under this name. */
  readonly sent: JsonSpan | undefined;
}

/** True if a member that the caller sent is a dialect's alias of a field of this event. */
function isUsedAlias({ dialect, key, field, sent }: Alias, { event, members }: Payload): boolean {
  if (sent === undefined || field === undefined || field === key || Object.hasOwn(BASE_FIELDS, field)) return false;
  if (Object.hasOwn(fieldsOf(event), key)) return false;
  return dialect.mergedObjects?.includes(key) ? sent.kind === "object" : members.has(field);
}

/** The value of one alias; undefined if the caller's value stays or there is none. */
function aliasValue(
  { dialect, key, field, sent }: Alias,
  { event, session }: Payload,
  make: () => JsonValue | undefined,
): JsonSpan | undefined {
  const isSaid = sent !== undefined && sent.kind !== "null";
  if (isSaid && (field === undefined || (field === "event" && isEventAlias(event, dialect.name, sent)))) return sent;
  // Without a session, any text is a valid session id.
  if (sent?.kind === "string" && field === "conv_id" && session === "") return sent;
  const made = toSpan(make());
  return made !== undefined && isSaid && dialect.mergedObjects?.includes(key) ? mergeObjects(sent, made) : made;
}

/** Some dialects have several names for one event, and the caller's is more specific. */
function isEventAlias(event: EventName, dialect: DialectName, sent: JsonSpan): boolean {
  const name = sent.kind === "string" ? stringOf(sent) : "";
  return [name, `${dialect}:${name}`].some((one) => EVENT_ROWS[event].aliases[dialect]?.includes(one));
}

/** Merges two objects; the second takes precedence. Returns the first unchanged if nothing differs. */
function mergeObjects(first: JsonSpan, second: JsonSpan | undefined): JsonSpan {
  if (second === undefined || second.kind === "null") return first;
  if (first.kind !== "object" || second.kind !== "object") return second;
  const before = membersOf(first);
  const added = membersOf(second);
  if ([...added].every(([key, span]) => isSame(before.get(key), span))) return first;
  return objectOf(new Map([...before, ...added]));
}
