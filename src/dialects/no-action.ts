import { type EventName, eventRow } from "../protocol/event.ts";
import type { JsonRecord } from "../protocol/json/write.ts";

/** kodelet's answer when no hook has anything to say: `{"blocked":false}` where a block is possible, else `{}`. */
export function emptyAnswer(event: EventName): JsonRecord {
  return eventRow(event).onBlock === "deny" ? { blocked: false } : {};
}
