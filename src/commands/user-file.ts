import { join } from "node:path";
import { AGENT_FILES } from "../agents/agent-files.ts";
import type { AgentName } from "../dialects/agents/agent.ts";
import { folderIn } from "../runtime/user-places.ts";
import type { World } from "../world.ts";

/** A file below the home folder, or where the agent's own variable has moved it. */
export function userFile(agent: AgentName, path: string, homeDir: string, env: World["env"]): string {
  const { home } = AGENT_FILES[agent];
  const moved = home === undefined ? null : folderIn(env, home.variable);
  return moved === null || home === undefined ? join(homeDir, path) : join(moved, path.slice(home.instead.length));
}
