import { type EventName, eventRow } from "../protocol/event.ts";
import type { JsonRecord } from "../protocol/json/write.ts";

/** kodelet's answer without any response: `{"blocked":false}` if the event can be blocked, else `{}`. */
export function emptyAnswer(event: EventName): JsonRecord {
  return eventRow(event).onBlock === "deny" ? { blocked: false } : {};
}
