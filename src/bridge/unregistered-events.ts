import { dirname, join } from "node:path";
import { type Agent, INSTALL_SCOPES, type InstallScope, namesBridge } from "../agents/agent.ts";
import type { RunContext } from "../engine/run-context.ts";
import { readIfPresent } from "../fs/read-file.ts";
import { eventsToRegister, noticeEvent, requirementsOf } from "../install/hook-requirements.ts";
import { agentSettingsFile } from "../install/settings-file/user-file.ts";
import type { Hook } from "../protocol/hook.ts";
import type { Warning } from "../protocol/warning.ts";
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
  const needs = requirementsOf(hooks);
  if (nativeEvent !== noticeEvent(agent) || needs.events.length === 0) return [];
  const texts = filesOf(agent, context).map(([scope, file]) => ({ scope, text: textOf(file) }));
  const isIn = (event: string) => (one: { readonly text: string }) => namesBridge(one.text, agent.name, event);
  const here = texts.find(isIn(nativeEvent));
  if (here === undefined) return [];
  const events = eventsToRegister(agent, needs).filter((event) => !texts.some(isIn(event)));
  const install = agentCommand("install", { agent: agent.name, scope: here.scope, directory: null });
  return events.length === 0 ? [] : [{ code: "EVENT_NOT_REGISTERED", agent: agent.title, events, install }];
}

function filesOf({ name, settings }: Agent, { scopes, env }: RunContext): readonly (readonly [InstallScope, string])[] {
  return INSTALL_SCOPES.flatMap((scope) => {
    const file = agentSettingsFile({ agent: name, scope }, scopes, env);
    if (file === null) return [];
    const { tomlFile } = settings;
    const files = tomlFile === undefined ? [file] : [file, join(dirname(file), tomlFile)];
    return files.map((one) => [scope, one] as const);
  });
}

/** Empty if the file cannot be read. */
function textOf(file: string): string {
  const read = readIfPresent(file);
  return read.ok ? (read.value?.toString("utf8") ?? "") : "";
}
