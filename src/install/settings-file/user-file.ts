import { join } from "node:path";
import type { AgentName, InstallScope } from "../../agents/agent.ts";
import { AGENTS } from "../../agents/agents.ts";
import { absoluteFolder } from "../../engine/user-paths.ts";
import type { Host } from "../../host.ts";

/** A file below the home directory, or below the folder in the agent's variable. */
export function agentUserFile(agent: AgentName, path: string, homeDir: string, env: Host["env"]): string {
  const { userFolder } = AGENTS[agent].settings;
  if (userFolder === undefined || env[userFolder.variable] === undefined) return join(homeDir, path);
  const moved = absoluteFolder(env, userFolder.variable);
  return moved === null ? join(homeDir, path) : join(moved, path.slice(userFolder.instead.length));
}

/** Where an agent's settings lie. */
export interface SettingsPlace {
  readonly projectDir: string;
  readonly homeDir: string | null;
}

/** The agent's settings file in a scope; null: it does not have the scope, or there is no HOME. */
export function agentSettingsFile(
  { agent, scope }: { readonly agent: AgentName; readonly scope: InstallScope },
  { projectDir, homeDir }: SettingsPlace,
  env: Host["env"],
): string | null {
  const { files, machineFileOnMac } = AGENTS[agent].settings;
  const path = files[scope];
  if (path === undefined) return null;
  if (scope === "machine") return process.platform === "darwin" ? (machineFileOnMac ?? path) : path;
  if (scope !== "user") return join(projectDir, path);
  return homeDir === null ? null : agentUserFile(agent, path, homeDir, env);
}
