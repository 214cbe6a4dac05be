import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Host } from "../../../../src/engine/host.ts";
import { absoluteFolder } from "../../../../src/engine/user-paths.ts";
import type { AgentName, InstallScope } from "../../../../src/protocol/agent-names.ts";
import { KNOWN_AGENTS } from "../../../agents/known-agents.ts";

/** A file below the home directory, or below the folder in the agent's variable. */
export function agentUserFile(agent: AgentName, path: string, homeDir: string, env: Host["env"]): string {
  const { userFolder } = KNOWN_AGENTS[agent].settings;
  if (userFolder === undefined || env[userFolder.variable] === undefined) return join(homeDir, path);
  const moved = absoluteFolder(env, userFolder.variable);
  return moved === null ? join(homeDir, path) : join(moved, path.slice(userFolder.instead.length));
}

/** The location of an agent's settings. */
export interface SettingsPlace {
  readonly projectDir: string;
  readonly homeDir: string | null;
}

/** The agent's settings file in a scope; null if it does not have the scope, or there is no HOME. */
export function agentSettingsFile(
  { agent, scope }: { readonly agent: AgentName; readonly scope: InstallScope },
  { projectDir, homeDir }: SettingsPlace,
  env: Host["env"],
): string | null {
  const { files, machineFileOnMac } = KNOWN_AGENTS[agent].settings;
  const path = files[scope];
  if (path === undefined) return null;
  if (scope === "machine") return process.platform === "darwin" ? (machineFileOnMac ?? path) : path;
  if (scope !== "user") return join(projectDir, path);
  return homeDir === null ? null : agentUserFile(agent, path, homeDir, env);
}

/** True if the agent has a settings file in a scope. Most agents have none, and this check is all that they cost. */
export function hasSettingsFile(
  where: { readonly agent: AgentName; readonly scope: InstallScope },
  place: SettingsPlace,
  env: Host["env"],
): boolean {
  const { tomlFile } = KNOWN_AGENTS[where.agent].settings;
  const file = agentSettingsFile(where, place, env);
  if (file === null) return false;
  return existsSync(file) || (tomlFile !== undefined && existsSync(join(dirname(file), tomlFile)));
}
