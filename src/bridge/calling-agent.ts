import { AGENT_NAMES, type Agent } from "../agents/agent.ts";
import { AGENTS } from "../agents/agents.ts";
import { textAt } from "../dialects/field-paths.ts";
import type { Host } from "../host.ts";
import type { JsonObject } from "../protocol/json/read.ts";
import { hasOwnRegistration } from "./own-registration.ts";

/** A payload as an agent sent it, and the agent's name of its event. */
export interface NativeCall {
  readonly agent: Agent;
  readonly nativeEvent: string;
  readonly native: JsonObject;
}

/**
 * Some agents also run the hooks in another agent's settings. If such an agent has a registration of its own for the
 * event, this call is a duplicate and hooks would act twice: null. Otherwise it is answered in the sender's format.
 */
export async function callingAgent(call: NativeCall, host: Host): Promise<NativeCall | null> {
  const agent = senderOf(call);
  if (agent === call.agent) return call;
  // The sender names the event in its own way, whatever the registration in the other agent's settings says.
  const named = textAt(call.native, "hook_event_name");
  const nativeEvent = Object.hasOwn(agent.events, named) ? named : call.nativeEvent;
  return (await hasOwnRegistration(agent, nativeEvent, host)) ? null : { ...call, agent, nativeEvent };
}

/** Decided by the payload alone: a project's settings could set any variable. */
function senderOf({ agent, native }: NativeCall): Agent {
  const isSender = ({ borrows }: Agent): boolean => borrows?.from === agent.name && borrows.isSender(native);
  return AGENT_NAMES.map((name) => AGENTS[name]).find(isSender) ?? agent;
}
