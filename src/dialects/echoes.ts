import { type JsonObject, type JsonSpan, membersOf, objectOf } from "../contract/json.ts";
import type { Payload } from "../contract/payload.ts";
import { spanAt } from "./agents/places.ts";
import type { Echo } from "./dialect.ts";

/**
 * One value stands in an envelope under two names. What one hook changed, the next one must not find unchanged under
 * the other: a redactor would leave there what it took out. Until then all stays as the caller wrote it.
 */
export function following(members: JsonObject, echoes: readonly Echo[]): Pick<Payload, "follow"> {
  const held = echoes.filter(([theirs, ours]) => isSame(spanAt(members, theirs), spanAt(members, ours)));
  if (held.length === 0) return {};
  return { follow: (changed) => held.reduce(echoed, changed) };
}

const isSame = (theirs: JsonSpan | undefined, ours: JsonSpan | undefined): boolean =>
  theirs !== undefined && theirs.raw === ours?.raw;

function echoed(members: JsonObject, [theirs, ours]: Echo): JsonObject {
  return withSpan(members, theirs.split("."), spanAt(members, ours));
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
