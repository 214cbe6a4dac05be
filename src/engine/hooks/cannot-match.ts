import type { Settings } from "../../config/settings.ts";
import { findEvent } from "../../protocol/event.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { mayMatch } from "../../protocol/match.ts";
import { isFailedToolCall, type Payload } from "../../protocol/payload.ts";

/**
 * Can a hook that the user's settings declare have no turn with this payload, whatever trust would say of it? It is
 * looked at before the code that judges hooks is loaded, which costs more than all the rest of such a call.
 */
export function cannotMatch({ entry, name }: Candidate, payload: Payload, { user }: Settings): boolean {
  if (entry === null || entry.scope !== "user") return false;
  const match = user.overrides[name]?.match ?? entry.match ?? null;
  const isRaised = entry.event === "on_error" && isFailedToolCall(payload);
  if (entry.event !== payload.event) return !isRaised;
  const dialect = findEvent(entry.on)?.dialect ?? "kodelet";
  return !isRaised && !mayMatch(match, payload.members, { event: entry.event, dialect });
}
