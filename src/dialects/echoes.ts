import { type JsonObject, type JsonSpan, membersOf, objectOf, readJsonLoosely, stringOf } from "../contract/json.ts";
import { jsonText } from "../contract/json-text.ts";
import type { Payload } from "../contract/payload.ts";
import { spanAt } from "./agents/places.ts";
import type { Echo } from "./dialect.ts";

/**
 * One value stands in an envelope under two names. What one hook changed, the next one must not find unchanged under
 * the other: a redactor would leave there what it took out. Until then all stays as the caller wrote it.
 */
export function following(members: JsonObject, echoes: readonly Echo[]): Pick<Payload, "follow"> {
  const spans = echoes.map((echo) => ({ echo, theirs: spanAt(members, echo[0]), ours: spanAt(members, echo[1]) }));
  const same = spans.filter(({ theirs, ours }) => theirs !== undefined && theirs.raw === ours?.raw);
  const texts = spans.filter(
    ({ theirs, ours }) => theirs !== undefined && ours !== undefined && isTextOf(theirs, ours),
  );
  if (same.length + texts.length === 0) return {};
  const follow = (changed: JsonObject): JsonObject =>
    texts.reduce(
      (all, { echo }) => echoedAsText(all, echo),
      same.reduce((all, { echo }) => echoed(all, echo), changed),
    );
  return { follow };
}

/** A dialect that takes text alone has the JSON of any other value in it, perhaps with white space around it. */
function isTextOf(theirs: JsonSpan, ours: JsonSpan): boolean {
  if (theirs.kind !== "string" || ours.kind === "string") return false;
  const text = stringOf(theirs).trim();
  if (text === ours.raw) return true;
  const read = readJsonLoosely(text);
  return read.ok && read.value.raw === ours.raw;
}

function echoed(members: JsonObject, [theirs, ours]: Echo): JsonObject {
  return withSpan(members, theirs.split("."), spanAt(members, ours));
}

function echoedAsText(members: JsonObject, [theirs, ours]: Echo): JsonObject {
  const now = spanAt(members, ours);
  const text = now === undefined || now.kind === "string" ? now : ({ kind: "string", raw: jsonText(now.raw) } as const);
  return withSpan(members, theirs.split("."), text);
}

/** The members with this value at a path, in its place; without it when there is none any more. */
function withSpan(
  members: JsonObject,
  [key = "", ...rest]: readonly string[],
  value: JsonSpan | undefined,
): JsonObject {
  const own = members.get(key);
  const span = own === undefined || rest.length === 0 ? value : objectOf(withSpan(membersOf(own), rest, value));
  const others = [...members].filter(([name]) => span !== undefined || name !== key);
  return span === undefined ? new Map(others) : new Map([...others, [key, span]]);
}
