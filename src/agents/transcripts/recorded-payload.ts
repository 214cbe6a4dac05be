import type { EventName } from "../../protocol/event.ts";
import { objectOf, spanOfRaw } from "../../protocol/json/read.ts";
import { jsonText } from "../../protocol/json/write.ts";
import { AGENTS } from "../agents.ts";
import { canonicalFields } from "../native-payload.ts";
import type { SessionCall, Transcript } from "./transcript.ts";

/** The payload that the bridge would have made of a call; null: the agent has no event for it. */
export function recordedPayload(
  { agent, native }: Pick<Transcript, "agent" | "native">,
  call: SessionCall,
): { readonly event: EventName; readonly payload: string } | null {
  const { event, payload } = native(call);
  const { events } = AGENTS[agent];
  const raised = Object.hasOwn(events, event) ? events[event]?.raises[0] : undefined;
  if (raised === undefined) return null;
  const members = canonicalFields(AGENTS[agent], event, raised, spanOfRaw(jsonText(payload)));
  return { event: raised.event, payload: objectOf(members).raw };
}
