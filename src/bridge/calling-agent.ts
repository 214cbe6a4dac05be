import type { Agent, AgentName } from "../agents/agent.ts";
import { AGENTS } from "../agents/agents.ts";
import { textAt } from "../dialects/field-paths.ts";
import type { Host } from "../host.ts";
import type { JsonObject } from "../protocol/json/read.ts";
import { hasOwnRegistration } from "./own-registration.ts";

/** Who asks, and about which of its events. */
export interface NativeCall {
  readonly agent: Agent;
  readonly nativeEvent: string;
  readonly native: JsonObject;
}

/**
 * Copilot and Cursor also run the hooks in Claude Code's settings. When one of them has a line of its own for the event
 * there is nothing to do here, or every hook would act twice; otherwise it is answered in its own words. Null: nothing
 * to do.
 */
export async function callingAgent(hearing: NativeCall, host: Host): Promise<NativeCall | null> {
  const caller = hearing.agent.name === "claude" ? borrowingAgent(hearing.native) : null;
  if (caller === null) return hearing;
  const agent = AGENTS[caller];
  // It names the event in its own words, whatever the line in Claude Code's settings says.
  const named = textAt(hearing.native, "hook_event_name");
  const nativeEvent = Object.hasOwn(agent.events, named) ? named : hearing.nativeEvent;
  return (await hasOwnRegistration(agent, nativeEvent, host)) ? null : { ...hearing, agent, nativeEvent };
}

/** Claude Code itself never sends these. No variable counts: a project's settings could set one. */
function borrowingAgent(native: JsonObject): AgentName | null {
  if (native.has("cursor_version")) return "cursor";
  return native.has("timestamp") || native.has("sessionId") ? "copilot" : null;
}
