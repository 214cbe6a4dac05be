import { join } from "node:path";
import { eventRow, type PersonCause } from "../../protocol/event.ts";
import { itemsOf, type JsonSpan, membersOf, stringOf } from "../../protocol/json/read.ts";
import type { Payload } from "../../protocol/payload.ts";
import type { Warning } from "../../protocol/warning.ts";
import { pathExists, sessionFolder } from "../../session/session-folder.ts";
import { lockTimeoutMs, type RunContext } from "../run-context.ts";

/**
 * A turn that a person caused starts the turn limit again, also where no hook listens. It costs one look at the disk, at
 * the two events that say so.
 */
export async function resetTurnLimitOnUserMessage(payload: Payload, context: RunContext): Promise<readonly Warning[]> {
  const { sessionsDir } = context;
  const { causedByPerson } = eventRow(payload.event);
  if (causedByPerson === undefined || payload.session === "" || sessionsDir === null) return [];
  const message = messageOfPerson(payload, causedByPerson);
  if (message === null) return [];
  const folder = sessionFolder(sessionsDir, payload.session);
  if (!pathExists(join(folder, "valve"))) return [];
  const { resetTurnLimit } = await import("../../session/turn-limit.ts");
  const reset = await resetTurnLimit(folder, message, lockTimeoutMs(context));
  return reset.ok ? reset.value.warnings : [{ code: "TURNS_NOT_COUNTED", cause: reset.error }];
}

/** The message as far as the payload says it: `text` is null where it does not. Null: no person caused this event. */
function messageOfPerson({ members }: Payload, cause: PersonCause): { readonly text: string | null } | null {
  const { messages, sender } = cause;
  // What a subagent is told comes from the agent that started it.
  if (isText(members.get("invoked_by"), "subagent")) return null;
  const texts = messages.flatMap((field) => textsIn(members.get(field)));
  if (sender === undefined) return { text: texts.join("\n") };
  return isText(members.get(sender.field), sender.value)
    ? { text: texts.length === 0 ? null : texts.join("\n") }
    : null;
}

const isText = (span: JsonSpan | undefined, wanted: string): boolean =>
  span?.kind === "string" && stringOf(span) === wanted;

/** The members in which drivers put a text, beside others such as its role. */
const TEXT_KEYS = ["message", "messages", "text", "content", "user_text", "input", "parts"];

/** The texts of a message: itself, or those in a list or in an object. */
function textsIn(span: JsonSpan | undefined): readonly string[] {
  if (span?.kind === "string") return [stringOf(span)];
  if (span?.kind === "array") return itemsOf(span).flatMap(textsIn);
  if (span?.kind !== "object") return [];
  const members = membersOf(span);
  const known = TEXT_KEYS.filter((key) => members.has(key));
  return (known.length === 0 ? [...members.keys()] : known).flatMap((key) => textsIn(members.get(key)));
}
