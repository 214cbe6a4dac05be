import { type JsonSpan, membersOf, objectOf, readJson, stringOf } from "./json/read.ts";
import { isBlank } from "./text/text.ts";

/** A message that a hook sends to a session. */
export interface Push {
  readonly message: string;
  /** True if it starts a turn; otherwise it waits in the inbox for the next one. */
  readonly wake: boolean;
  /** The session it goes to; null for the session of the call. */
  readonly session: string | null;
}

/** Parses a push directive; null if a field has the wrong type. `isWanted` is the value of `push_when`. */
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

/** Parses raw text that `parsePush` accepted before. */
export function pushFromRaw(raw: string): Push {
  const span = readJson(raw, Number.POSITIVE_INFINITY);
  return (span.ok ? parsePush(span.value) : null) ?? { message: "", wake: false, session: null };
}

/** Returns the directive with `wake: false`. */
export function withoutWake(raw: string): string {
  const span = readJson(raw, Number.POSITIVE_INFINITY);
  if (!span.ok) return raw;
  return objectOf(new Map([...membersOf(span.value), ["wake", { kind: "boolean", raw: "false" }] as const])).raw;
}

/** Both fields default to true. Null if the value is not a boolean. */
function booleanMember(span: JsonSpan | undefined): boolean | null {
  if (span === undefined || span.kind === "null") return true;
  return span.kind === "boolean" ? span.raw === "true" : null;
}
