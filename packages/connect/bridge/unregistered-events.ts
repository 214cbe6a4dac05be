import type { RunContext } from "../../../src/engine/run-context.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { namesBridge } from "../../agents/agent.ts";
import { settingsTexts } from "../install/agent-files.ts";
import { eventsToRegister, noticeEvent, requirementsOf, withCage } from "../install/hook-requirements.ts";
import { agentCommand } from "../report/agent-command.ts";
import type { AgentCall } from "./agent-call.ts";

/**
 * Warns about hooks whose events are not registered, when a session starts: nothing else would show it. No warning if
 * none of the agent's known files contains a registration.
 */
export function unregisteredEventWarnings(
  { agent, nativeEvent }: AgentCall,
  hooks: readonly Hook[],
  context: RunContext,
): readonly Warning[] {
  const needs = withCage(requirementsOf(hooks), context);
  if (nativeEvent !== noticeEvent(agent) || needs.events.length === 0) return [];
  const texts = settingsTexts(agent.name, context.scopes, context.env);
  const isIn = (event: string) => (one: { readonly text: string }) => namesBridge(one.text, agent.name, event);
  const here = texts.find(isIn(nativeEvent));
  if (here === undefined) return [];
  const events = eventsToRegister(agent, needs).filter((event) => !texts.some(isIn(event)));
  const install = agentCommand("init", { agent: agent.name, scope: here.scope, directory: null });
  return events.length === 0 ? [] : [{ code: "EVENT_NOT_REGISTERED", agent: agent.title, events, install }];
}
