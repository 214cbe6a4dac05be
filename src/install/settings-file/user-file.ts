import { join } from "node:path";
import type { AgentName } from "../../agents/agent.ts";
import { AGENTS } from "../../agents/agents.ts";
import { absoluteFolder } from "../../engine/user-paths.ts";
import type { Host } from "../../host.ts";

/** A file below the home directory, or below the folder in the agent's variable. */
export function agentUserFile(agent: AgentName, path: string, homeDir: string, env: Host["env"]): string {
  const { userFolder } = AGENTS[agent].settings;
  const moved = userFolder === undefined ? null : absoluteFolder(env, userFolder.variable);
  return moved === null || userFolder === undefined
    ? join(homeDir, path)
    : join(moved, path.slice(userFolder.instead.length));
}
