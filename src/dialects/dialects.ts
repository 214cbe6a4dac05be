import type { DialectName } from "../contract/event.ts";
import type { JsonObject, JsonSpan } from "../contract/json.ts";
import { membersOf, readJson } from "../contract/json.ts";
import { jsonText } from "../contract/json-text.ts";
import type { Payload } from "../contract/payload.ts";
import { agenthook } from "./agenthook.ts";
import { basecoat } from "./basecoat.ts";
import { claudeKeys } from "./claude-keys.ts";
import type { Dialect, Moment, ReplyKey } from "./dialect.ts";
import { kodelet } from "./kodelet.ts";
import { reynKeys } from "./reyn-keys.ts";

/** Every dialect by its name: a name without one does not compile. */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = { kodelet, basecoat, agenthook };
const ALL = Object.values(DIALECTS);

/** Every key a reply may have, in any dialect. A key of several dialects has a row for each. */
export const REPLY_KEYS: readonly ReplyKey[] = [
  ...ALL.flatMap((dialect) => dialect.replyKeys),
  ...claudeKeys,
  ...reynKeys,
];

/** Payload in: the kodelet fields of another dialect's envelope, added to it. Its own keys stay. */
export function fromEnvelope(members: JsonObject): JsonObject {
  const dialect = ALL.find(({ envelope }) => envelope.mark !== null && members.has(envelope.mark));
  if (dialect === undefined || members.has("event")) return members;
  const added = Object.entries(dialect.envelope.fields).flatMap(([key, read]): [string, JsonSpan][] => {
    const span = read(members);
    return span === undefined ? [] : [[key, extended(members.get(key), span)]];
  });
  return new Map([...members, ...added]);
}

/** Payload out: what a hook of this dialect gets beside the payload's own members. */
export function addedFor(dialectName: DialectName, payload: Payload, moment: Moment): JsonObject {
  const added = new Map<string, JsonSpan>();
  for (const [key, make] of Object.entries(DIALECTS[dialectName].added)) {
    const own = payload.members.get(key);
    if (own !== undefined && own.kind !== "object") continue;
    const value = make(payload, moment);
    const span = value === undefined ? null : readJson(jsonText(value), Number.POSITIVE_INFINITY);
    if (span?.ok) added.set(key, extended(own, span.value));
  }
  return added;
}

/** What the caller sent under such a name stays; an object gets the members that it lacks, as `budget` does. */
function extended(own: JsonSpan | undefined, made: JsonSpan): JsonSpan {
  if (own?.kind !== "object" || made.kind !== "object") return own ?? made;
  const members = new Map(membersOf(own));
  for (const [key, span] of membersOf(made)) if (!members.has(key)) members.set(key, span);
  const text = [...members].map(([key, span]) => `${JSON.stringify(key)}:${span.raw}`).join(",");
  return { kind: "object", raw: `{${text}}` };
}
