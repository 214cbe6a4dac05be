import { itemsOf, type JsonSpan, membersOf, stringOf } from "../contract/json.ts";
import type { StatePatch } from "../contract/reply.ts";
import type { ReplyKey } from "./dialect.ts";

const WANTED = 'an object with "set" (an object), "delete" (a list of keys) and "increment" (an object of numbers)';

/** `state {set, delete, increment}`. Read strictly: a patch that is understood by half would be lost by half. */
export const stateKey: ReplyKey = {
  key: "state",
  isDeciding: false,
  wanted: WANTED,
  read: (value) => {
    const state = value.kind === "object" ? patchOf(value) : null;
    return state === null ? null : { state };
  },
};

function patchOf(value: JsonSpan): StatePatch | null {
  const members = new Map([...membersOf(value)].filter(([, span]) => span.kind !== "null"));
  if ([...members.keys()].some((key) => !["set", "delete", "increment"].includes(key))) return null;
  const set = rawMembers(members.get("set"));
  const increment = rawMembers(members.get("increment"), "number");
  const remove = keysOf(members.get("delete"));
  return set === null || increment === null || remove === null ? null : { set, remove, increment };
}

function rawMembers(span: JsonSpan | undefined, kind?: JsonSpan["kind"]): ReadonlyMap<string, string> | null {
  if (span === undefined) return new Map();
  if (span.kind !== "object") return null;
  const members = [...membersOf(span)];
  if (kind !== undefined && members.some(([, value]) => value.kind !== kind)) return null;
  return new Map(members.map(([key, value]) => [key, value.raw]));
}

function keysOf(span: JsonSpan | undefined): readonly string[] | null {
  if (span === undefined) return [];
  const items = span.kind === "array" ? itemsOf(span) : null;
  return items?.every((item) => item.kind === "string") ? items.map(stringOf) : null;
}
