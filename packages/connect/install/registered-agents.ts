import { dirname, join } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import { readIfPresent } from "../../../src/fs/read-file.ts";
import { AGENT_NAMES, type AgentName, INSTALL_SCOPES, type InstallScope } from "../../../src/protocol/agent-names.ts";
import { KNOWN_AGENTS } from "../../agents/known-agents.ts";
import { agentSettingsFile, type SettingsPlace } from "./settings-file/user-file.ts";

/** The text of an agent's settings in a scope; empty if the file cannot be read. */
export interface SettingsText {
  readonly scope: InstallScope;
  readonly text: string;
}

/** The texts of all settings files of an agent. No parser is loaded for them. */
export function settingsTexts(agent: AgentName, place: SettingsPlace, env: Host["env"]): readonly SettingsText[] {
  const { tomlFile } = KNOWN_AGENTS[agent].settings;
  return INSTALL_SCOPES.flatMap((scope) => {
    const file = agentSettingsFile({ agent, scope }, place, env);
    if (file === null) return [];
    const files = tomlFile === undefined ? [file] : [file, join(dirname(file), tomlFile)];
    return files.map((one) => ({ scope, text: textOf(one) }));
  });
}

function textOf(file: string): string {
  const read = readIfPresent(file);
  return read.ok ? (read.value?.toString("utf8") ?? "") : "";
}

/** The agents whose settings call hookctl. */
export const registeredAgents = (place: SettingsPlace, env: Host["env"]): readonly AgentName[] =>
  AGENT_NAMES.filter((agent) =>
    settingsTexts(agent, place, env).some(
      ({ text }) => text.includes(`bridge ${agent} --event `) || text.includes(`/bridge/${agent}/`),
    ),
  );
