import { join } from "node:path";
import type { AgentName } from "../../agents/agent.ts";
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
