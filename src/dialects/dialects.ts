import {
  BASE_FIELDS,
  canonicalField,
  type DialectName,
  type EventName,
  eventRow,
  fieldsOf,
  findEvent,
  type NamedEvent,
} from "../protocol/event.ts";
import { type JsonObject, type JsonSpan, membersOf, objectOf, stringOf } from "../protocol/json/read.ts";
import type { JsonValue } from "../protocol/json/write.ts";
import { type EnvelopeReader, fieldKindError, isEmptyBaseField, type Payload } from "../protocol/payload.ts";
import { fail, ok } from "../protocol/result.ts";
import { agenthook } from "./agenthook.ts";
import { basecoat } from "./basecoat.ts";
import { claude } from "./claude.ts";
import { copilot } from "./copilot.ts";
import type { Dialect, EnvelopeExtras, ResponseKey } from "./dialect.ts";
import { rawAt, spanAt, toSpan } from "./field-paths.ts";
import { kodelet } from "./kodelet.ts";
import { reyn } from "./reyn.ts";

/** Every dialect by its name: a name without one does not compile. */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = { kodelet, basecoat, reyn, agenthook, claude, copilot };
const ALL_DIALECTS = Object.values(DIALECTS);

/** Every key a reply may have, in any dialect. A key of several dialects has a row for each. */
export const RESPONSE_KEYS: readonly ResponseKey[] = ALL_DIALECTS.flatMap((dialect) => dialect.responseKeys);

/**
 * Payload in: an envelope in kodelet's names. It is in the dialect whose own key it has, else in the dialect in which the
 * caller typed the event's name. What has no other name here stays as it is.
 */
export const envelopeReader =
  (typed: DialectName): EnvelopeReader =>
  (members, event) => {
    const dialect = envelopeDialect(members, typed);
    if (dialect.name === "kodelet") return ok(members);
    const own = withCanonicalNames(members, { event, dialect: dialect.name });
    if (dialect.name !== typed && namesEventInAnotherDialect(dialect, members)) return ok(own);
    const fault = envelopeError(dialect, members);
    return fault === null ? ok(new Map([...own, ...fieldsFromEnvelope(dialect, members, own)])) : fail(fault);
  };

/** The envelope of a caller who typed one of hookctl's own event names. */
export const readEnvelope: EnvelopeReader = envelopeReader("kodelet");

function envelopeDialect(members: JsonObject, typed: DialectName): Dialect {
  const marked = ALL_DIALECTS.filter(({ envelope }) => envelope.mark !== null && members.has(envelope.mark));
  return marked.find(({ name }) => name === typed) ?? marked[0] ?? DIALECTS[typed];
}

/** Does the payload name its event in another dialect, although this one has a place for the name? */
function namesEventInAnotherDialect({ name, envelope }: Dialect, members: JsonObject): boolean {
  const named = members.get("event");
  if (!Object.hasOwn(envelope.fields, "event") || isEmptyBaseField("event", named)) return false;
  return named?.kind === "string" && findEvent(stringOf(named))?.dialect !== name;
}

/** The first value of the wrong type, by the name that the caller sent. Null is as good as nothing. */
function envelopeError({ envelope }: Dialect, members: JsonObject) {
  for (const [path, kind] of Object.entries(envelope.kinds)) {
    const span = spanAt(members, path);
    const fault = span === undefined || span.kind === "null" ? null : fieldKindError(kind, span);
    if (fault !== null) return { ...fault, field: path };
  }
  return null;
}

/** What stands under our name already counts. Only a name that both have, as `budget`, holds what both say. */
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

/** One fact stands under one name. Where the caller said it under two, ours counts. */
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
 * Payload out: what a hook of this dialect gets beside the payload's own members. What says one of our fields in other
 * words is made of that field each time: no value that the caller sent under a second name can contradict it, or stay
 * behind when a hook changes it. That holds for the second names of the other dialects too, where the caller used them.
 */
export function dialectFields(dialectName: DialectName, payload: Payload, moment: EnvelopeExtras): JsonObject {
  const added = aliasFields(dialectName, payload, moment);
  for (const [key, make] of Object.entries(DIALECTS[dialectName].overrides ?? {})) {
    const span = toSpan(make(payload));
    if (span !== undefined) added.set(key, span);
  }
  return added;
}

/** The members in the words of a dialect, and under hookctl's own names as the caller sent them. */
export const membersInDialect =
  (moment: (payload: Payload) => EnvelopeExtras) =>
  (dialect: DialectName, payload: Payload): JsonObject =>
    new Map([...payload.members, ...aliasFields(dialect, payload, moment(payload))]);

function aliasFields(dialectName: DialectName, payload: Payload, moment: EnvelopeExtras): Map<string, JsonSpan> {
  const { passThrough, extraFields: words } = DIALECTS[dialectName];
  const came = [...(passThrough?.(payload) ?? [])];
  const added = new Map(came.filter(([key]) => !payload.members.has(key) && !Object.hasOwn(words, key)));
  for (const dialect of [...ALL_DIALECTS.filter(({ name }) => name !== dialectName), DIALECTS[dialectName]]) {
    const isOwn = dialect.name === dialectName;
    for (const [key, make] of Object.entries(fieldMakers(dialect, payload))) {
      const sent = payload.members.get(key);
      if (!isOwn && (sent === undefined || !isUsedAlias(dialect, key, payload))) continue;
      const span = aliasValue({ dialect, key, sent, payload }, () => make(payload, moment));
      if (span !== undefined) added.set(key, span);
    }
  }
  return added;
}

type FieldMakers = Dialect["extraFields"];

/** Every name that a dialect has for something, in a payload of this event. */
function fieldMakers({ name, extraFields }: Dialect, { event }: Payload): FieldMakers {
  const renamed = Object.entries(eventRow(event).fieldNames?.[name] ?? {});
  const fields = renamed.map(([theirs, ours]) => [theirs, ({ members }: Payload) => rawAt(members, ours)] as const);
  return { ...extraFields, ...Object.fromEntries(fields) };
}

const canonicalName = ({ name, aliases }: Dialect, key: string, event: EventName): string | undefined =>
  eventRow(event).fieldNames?.[name]?.[key] ?? aliases[key];

/** Is this member, which the caller sent, a dialect's word for a value that a hook may change, or judges by? */
function isUsedAlias(dialect: Dialect, key: string, { event, members }: Payload): boolean {
  const ours = canonicalName(dialect, key, event);
  if (ours === undefined || ours === key || Object.hasOwn(BASE_FIELDS, ours)) return false;
  if (Object.hasOwn(fieldsOf(event), key)) return false;
  return dialect.mergedObjects?.includes(key) ? members.get(key)?.kind === "object" : members.has(ours);
}

interface AliasField {
  readonly dialect: Dialect;
  readonly key: string;
  /** What the caller sent under this name. */
  readonly sent: JsonSpan | undefined;
  readonly payload: Payload;
}

/** Undefined: what the caller sent stays, or nothing is there. */
function aliasValue(
  { dialect, key, sent, payload }: AliasField,
  make: () => JsonValue | undefined,
): JsonSpan | undefined {
  const { event } = payload;
  const ours = canonicalName(dialect, key, event);
  const isSaid = sent !== undefined && sent.kind !== "null";
  if (isSaid && (ours === undefined || (ours === "event" && isEventAlias(event, dialect.name, stringOrEmpty(sent)))))
    return sent;
  // Where we know of no session, a text under such a name contradicts nothing.
  if (sent?.kind === "string" && ours === "conv_id" && payload.session === "") return sent;
  const made = toSpan(make());
  return made !== undefined && isSaid && dialect.mergedObjects?.includes(key) ? mergeObjects(sent, made) : made;
}

/** Some dialects have several names for one event, and the caller's tells more. */
const isEventAlias = (event: EventName, dialect: DialectName, name: string): boolean =>
  [name, `${dialect}:${name}`].some((one) => eventRow(event).aliases[dialect]?.includes(one));

const stringOrEmpty = (span: JsonSpan): string => (span.kind === "string" ? stringOf(span) : "");

/** Both objects in one; what the second says counts. Untouched where it says nothing new. */
function mergeObjects(first: JsonSpan, second: JsonSpan | undefined): JsonSpan {
  if (second === undefined || second.kind === "null") return first;
  if (first.kind !== "object" || second.kind !== "object") return second;
  const before = membersOf(first);
  const said = membersOf(second);
  if ([...said].every(([key, span]) => before.get(key)?.raw === span.raw)) return first;
  return objectOf([...new Map([...before, ...said])]);
}
