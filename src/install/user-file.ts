import { join } from "node:path";
import type { AgentName } from "../agents/agent.ts";
import { absoluteFolder } from "../engine/user-paths.ts";
import type { Host } from "../host.ts";
import { AGENT_FILES } from "./agent-files.ts";

/** A file below the home folder, or where the agent's own variable has moved it. */
export function agentUserFile(agent: AgentName, path: string, homeDir: string, env: Host["env"]): string {
  const { userFolder } = AGENT_FILES[agent];
  const moved = userFolder === undefined ? null : absoluteFolder(env, userFolder.variable);
  return moved === null || userFolder === undefined
    ? join(homeDir, path)
    : join(moved, path.slice(userFolder.instead.length));
}
