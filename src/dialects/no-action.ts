import { type EventName, eventRow } from "../contract/event.ts";
import type { JsonRecord } from "../contract/json-text.ts";

/** kodelet's answer when no hook has anything to say: `{"blocked":false}` where a block is possible, else `{}`. */
export function noAction(event: EventName): JsonRecord {
  return eventRow(event).onBlock === "deny" ? { blocked: false } : {};
}
