import { findEvent, type NamedEvent, nearestEvent } from "../protocol/event.ts";
import { HookctlError } from "./hookctl-error.ts";

/** The event of a name in any dialect. A program without types may give what is no name at all. */
export function parseEventName(word: unknown): NamedEvent {
  const name = String(word);
  const named = findEvent(name);
  if (named === null) throw new HookctlError({ code: "USAGE_UNKNOWN_EVENT", name, nearest: nearestEvent(name) });
  return named;
}
