import type { StatePatch } from "../../protocol/hook-response.ts";
import { itemsOf, type JsonObject, type JsonSpan, membersOf } from "../../protocol/json/read.ts";
import { truncate } from "../../protocol/text/text.ts";
import type { ResponseKey, ResponsePart } from "../dialect.ts";
import { listOfTexts } from "./response-keys.ts";

const EXPECTED =
  'an object with "set" (an object), "delete" (a key or a list of keys) and "increment" (an object of numbers)';
const KEYS = ["set", "delete", "increment"];

/** `state {set, delete, increment}`. Read strictly, so that a patch is applied as a whole or not at all. */
export const stateKey: ResponseKey = {
  key: "state",
  isDeciding: false,
  expected: EXPECTED,
  read: (value) => {
    if (value.kind !== "object") return null;
    const members = new Map([...membersOf(value)].filter(([, span]) => span.kind !== "null"));
    const state = patchOf(members);
    const unknown = [...members.keys()].find((key) => !KEYS.includes(key));
    return state === null ? null : unknown === undefined ? { state } : notKept(unknown);
  },
};

/** The whole patch is dropped. */
function notKept(key: string): ResponsePart {
  const found = `an object with "${truncate(key, 40)}"`;
  return {
    isRead: false,
    unread: [{ fault: { code: "REPLY_WRONG_TYPE", key: "state", expected: EXPECTED, found }, loss: "detail" }],
  };
}

function patchOf(members: JsonObject): StatePatch | null {
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
  // Reading null as an empty string would delete a key that nobody named.
  const hasNull = span.kind === "array" && itemsOf(span).some(({ kind }) => kind === "null");
  return hasNull ? null : listOfTexts(span);
}
