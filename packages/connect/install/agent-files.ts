import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import { absoluteFolder } from "../../../src/engine/user-paths.ts";
import { readIfPresent } from "../../../src/fs/read-file.ts";
import type { WriteRoot } from "../../../src/fs/write-check.ts";
import { AGENT_NAMES, type AgentName, INSTALL_SCOPES, type InstallScope } from "../../../src/protocol/agent-names.ts";
import { KNOWN_AGENTS } from "../../agents/known-agents.ts";

/** A file below the home directory, or below the folder in the agent's variable. */
export function agentUserFile(agent: AgentName, path: string, homeDir: string, env: Host["env"]): string {
  const { userFolder } = KNOWN_AGENTS[agent].settings;
  if (userFolder === undefined || env[userFolder.variable] === undefined) return join(homeDir, path);
  const moved = absoluteFolder(env, userFolder.variable);
  return moved === null ? join(homeDir, path) : join(moved, path.slice(userFolder.instead.length));
}

/** The folders in which an agent's settings are. */
export interface SettingsFolders {
  readonly projectDir: string;
  readonly homeDir: string | null;
}

/** An agent's settings in one scope. */
interface AgentScope {
  readonly agent: AgentName;
  readonly scope: InstallScope;
}

/** The agent's settings file in a scope; null if it does not have the scope, or there is no HOME. */
export function agentSettingsFile(
  { agent, scope }: AgentScope,
  { projectDir, homeDir }: SettingsFolders,
  env: Host["env"],
): string | null {
  const { files, machineFileOnMac } = KNOWN_AGENTS[agent].settings;
  const path = files[scope];
  if (path === undefined) return null;
  if (scope === "machine") return process.platform === "darwin" ? (machineFileOnMac ?? path) : path;
  if (scope !== "user") return join(projectDir, path);
  return homeDir === null ? null : agentUserFile(agent, path, homeDir, env);
}

/** That file, and the TOML file beside it if the agent reads hooks in both. */
export function agentSettingsFiles(
  selection: AgentScope,
  folders: SettingsFolders,
  env: Host["env"],
): readonly string[] {
  const file = agentSettingsFile(selection, folders, env);
  if (file === null) return [];
  const { tomlFile } = KNOWN_AGENTS[selection.agent].settings;
  return tomlFile === undefined ? [file] : [file, join(dirname(file), tomlFile)];
}

/** True if the agent has a settings file in a scope. Most agents have none, and this check is all that they cost. */
export const hasSettingsFile = (selection: AgentScope, folders: SettingsFolders, env: Host["env"]): boolean =>
  agentSettingsFiles(selection, folders, env).some((file) => existsSync(file));

/** True if any agent has a settings file. */
export const hasAnySettingsFile = (folders: SettingsFolders, env: Host["env"]): boolean =>
  AGENT_NAMES.some((agent) => INSTALL_SCOPES.some((scope) => hasSettingsFile({ agent, scope }, folders, env)));

/** The root that must contain the files of a scope. */
export function writeRootOf(scope: InstallScope, projectDir: string, userId: number): WriteRoot {
  if (scope === "machine") return { kind: "machine" };
  return scope === "user" ? { kind: "user", userId } : { kind: "project", folder: projectDir };
}

/** The texts of all settings files of an agent, each empty if it cannot be read. No parser is loaded for them. */
export const settingsTexts = (agent: AgentName, folders: SettingsFolders, env: Host["env"]) =>
  INSTALL_SCOPES.flatMap((scope) =>
    agentSettingsFiles({ agent, scope }, folders, env).map((file) => {
      const read = readIfPresent(file);
      return { scope, text: read.ok ? (read.value?.toString("utf8") ?? "") : "" };
    }),
  );

/** The agents whose settings call hookctl. */
export const registeredAgents = (folders: SettingsFolders, env: Host["env"]): readonly AgentName[] =>
  AGENT_NAMES.filter((agent) =>
    settingsTexts(agent, folders, env).some(
      ({ text }) => text.includes(`bridge ${agent} --event `) || text.includes(`/bridge/${agent}/`),
    ),
  );
