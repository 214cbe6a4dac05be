import { type DialectName, eventRow, findEvent, type NamedEvent, ownField } from "../contract/event.ts";
import type { JsonObject, JsonSpan } from "../contract/json.ts";
import { membersOf, objectOf, readJson, stringOf } from "../contract/json.ts";
import { jsonText } from "../contract/json-text.ts";
import { type FromEnvelope, isEmptyBase, type Payload } from "../contract/payload.ts";
import { agenthook } from "./agenthook.ts";
import { basecoat } from "./basecoat.ts";
import { claude } from "./claude.ts";
import { copilot } from "./copilot.ts";
import type { Dialect, Moment, ReplyKey } from "./dialect.ts";
import { following } from "./echoes.ts";
import { kodelet } from "./kodelet.ts";
import { reyn } from "./reyn.ts";

/** Every dialect by its name: a name without one does not compile. */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = { kodelet, basecoat, reyn, agenthook, claude, copilot };
const ALL = Object.values(DIALECTS);

/** Every key a reply may have, in any dialect. A key of several dialects has a row for each. */
export const REPLY_KEYS: readonly ReplyKey[] = ALL.flatMap((dialect) => dialect.replyKeys);

/**
 * Payload in: an envelope in kodelet's names. It is in the dialect whose own key it has, else in the dialect in which the
 * caller typed the event's name. What has no other name here stays as it is.
 */
export const envelopeNamedIn =
  (typed: DialectName): FromEnvelope =>
  (members, event) => {
    const dialect = envelopeDialect(members, typed);
    if (dialect.name === "kodelet") return { members };
    const own = inOurNames(members, { event, dialect: dialect.name });
    const named = members.get("event");
    const isOurs =
      named?.kind === "string" && !isEmptyBase("event", named) && findEvent(stringOf(named))?.dialect !== dialect.name;
    const taken = isOurs && dialect.name !== typed ? own : new Map([...own, ...takenOver(dialect, members, own)]);
    return { members: taken, ...following(taken, dialect.envelope.echoes) };
  };

/** The envelope of a caller who typed one of hookctl's own event names. */
export const fromEnvelope: FromEnvelope = envelopeNamedIn("kodelet");

function envelopeDialect(members: JsonObject, typed: DialectName): Dialect {
  const marked = ALL.filter(({ envelope }) => envelope.mark !== null && members.has(envelope.mark));
  return marked.find(({ name }) => name === typed) ?? marked[0] ?? DIALECTS[typed];
}

/** What stands under our name already stays. Only a name that both have, as `budget`, holds what both say. */
function takenOver({ envelope, added }: Dialect, members: JsonObject, own: JsonObject): readonly [string, JsonSpan][] {
  return Object.entries(envelope.fields).flatMap(([key, read]): [string, JsonSpan][] => {
    const [span, had] = [read(members), own.get(key)];
    if (span === undefined) return [];
    if (Object.hasOwn(added, key)) return [[key, extended(had, span)]];
    return [[key, had === undefined || isEmptyBase(key, had) ? span : had]];
  });
}

/** One fact stands under one name, or a hook's change would leave the other name behind. */
function inOurNames(members: JsonObject, named: NamedEvent): JsonObject {
  const renamed = [...members].flatMap(([key, span]): [string, JsonSpan][] => {
    const name = ownField(named, key);
    if (name === key || !members.has(name)) return [[name, span]];
    return members.get(name)?.raw === span.raw ? [] : [[key, span]];
  });
  return new Map(renamed);
}

/** Payload out: what a hook of this dialect gets beside the payload's own members. */
export function addedFor(dialectName: DialectName, payload: Payload, moment: Moment): JsonObject {
  const dialect = DIALECTS[dialectName];
  const passedOn = [...(dialect.passedOn?.(payload) ?? [])];
  const added = new Map(passedOn.filter(([key]) => !payload.members.has(key) && !Object.hasOwn(dialect.added, key)));
  for (const [key, make] of Object.entries(dialect.added)) {
    const own = payload.members.get(key);
    if (own !== undefined && own.kind !== "object" && own.kind !== "null") continue;
    const value = make(payload, moment);
    const span = value === undefined ? null : readJson(jsonText(value), Number.POSITIVE_INFINITY);
    if (span?.ok) added.set(key, extended(own, span.value));
  }
  for (const [theirs, ours] of Object.entries(eventRow(payload.event).fieldNames?.[dialectName] ?? {})) {
    const span = payload.members.get(theirs) ?? payload.members.get(ours);
    if (span !== undefined) added.set(theirs, span);
  }
  for (const [key, make] of Object.entries(dialect.replaced ?? {})) {
    const value = make(payload);
    const span = value === undefined ? null : readJson(jsonText(value), Number.POSITIVE_INFINITY);
    if (span?.ok) added.set(key, span.value);
  }
  return added;
}

/** No dialect nests what it adds any deeper. */
const MOST_LEVELS = 4;

/** What the caller sent under such a name stays, but for null; an object gets the members that it lacks, as `budget` does. */
function extended(own: JsonSpan | undefined, made: JsonSpan, depth = 0): JsonSpan {
  if (own === undefined || own.kind === "null") return made;
  if (own.kind !== "object" || made.kind !== "object" || depth > MOST_LEVELS) return own;
  const before = membersOf(own);
  const members = new Map(before);
  for (const [key, span] of membersOf(made)) members.set(key, extended(members.get(key), span, depth + 1));
  if ([...members].every(([key, span]) => before.get(key)?.raw === span.raw)) return own;
  return objectOf(members);
}
