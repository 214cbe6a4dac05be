import { join } from "node:path";
import { eventRow, type PersonCause } from "../contract/event.ts";
import { membersOf, stringOf } from "../contract/json.ts";
import type { Payload } from "../contract/payload.ts";
import type { Warning } from "../contract/warning.ts";
import { exists, sessionFolder } from "../session/place.ts";
import { type Ground, patienceMs } from "./ground.ts";

/**
 * A turn that a person caused starts the turn limit again, also where no hook listens. It costs one look at the disk, at
 * the two events that say so.
 */
export async function noteSpeech(payload: Payload, ground: Ground): Promise<readonly Warning[]> {
  const { sessionsDir } = ground;
  const { causedByPerson } = eventRow(payload.event);
  if (causedByPerson === undefined || payload.session === "" || sessionsDir === null) return [];
  const message = messageOfPerson(payload, causedByPerson);
  if (message === null) return [];
  const folder = sessionFolder(sessionsDir, payload.session);
  if (!exists(join(folder, "valve"))) return [];
  const { resetValve } = await import("../session/turns.ts");
  const reset = await resetValve(folder, message, patienceMs(ground));
  return reset.ok ? reset.value.warnings : [{ code: "TURNS_NOT_COUNTED", cause: reset.error }];
}

/** The message as far as the payload says it: `text` is null where it does not. Null: no person caused this event. */
function messageOfPerson(payload: Payload, cause: PersonCause): { readonly text: string | null } | null {
  // What a subagent is told comes from the agent that started it.
  if (textAt(payload, "invoked_by") === "subagent") return null;
  const text = textAt(payload, cause.message);
  if (cause.sender === undefined) return { text: text ?? "" };
  return textAt(payload, cause.sender.field) === cause.sender.value ? { text } : null;
}

/** A text, also where it is the `message` of an object. */
function textAt({ members }: Payload, field: string): string | null {
  const span = members.get(field);
  const text = span?.kind === "object" ? membersOf(span).get("message") : span;
  return text?.kind === "string" ? stringOf(text) : null;
}
