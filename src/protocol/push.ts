import { type JsonSpan, membersOf, objectOf, readJson, stringOf } from "./json/read.ts";
import { isBlank } from "./text.ts";

/** A message that a hook leaves for a session. */
export interface Push {
  readonly message: string;
  /** It opens a turn of its own; otherwise it waits for the next one. */
  readonly wake: boolean;
  /** Another session than the one the hook was asked for. */
  readonly session: string | null;
}

/** One push directive; null when something in it has the wrong type. `isWanted` false: `push_when` says no. */
export function parsePush(span: JsonSpan): (Push & { readonly isWanted: boolean }) | null {
  if (span.kind !== "object") return null;
  const members = membersOf(span);
  const message = members.get("message");
  const session = members.get("session");
  const wake = booleanMember(members.get("wake"));
  const isWanted = booleanMember(members.get("push_when"));
  if (message?.kind !== "string" || isBlank(stringOf(message)) || wake === null || isWanted === null) return null;
  if (session !== undefined && session.kind !== "string" && session.kind !== "null") return null;
  const name = session?.kind === "string" ? stringOf(session) : "";
  return { message: stringOf(message), wake, session: isBlank(name) ? null : name, isWanted };
}

/** The push in raw text that `readPush` took before. */
export function pushFromRaw(raw: string): Push {
  const span = readJson(raw, Number.POSITIVE_INFINITY);
  return (span.ok ? parsePush(span.value) : null) ?? { message: "", wake: false, session: null };
}

/** The same directive, which waits for the next turn. */
export function withoutWake(raw: string): string {
  const span = readJson(raw, Number.POSITIVE_INFINITY);
  if (!span.ok) return raw;
  return objectOf(new Map([...membersOf(span.value), ["wake", { kind: "boolean", raw: "false" }] as const])).raw;
}

/** Both flags are true unless they say otherwise. Null: something else than a flag. */
function booleanMember(span: JsonSpan | undefined): boolean | null {
  if (span === undefined || span.kind === "null") return true;
  return span.kind === "boolean" ? span.raw === "true" : null;
}
