import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../contract/json.ts";
import type { Agent, AgentName } from "../dialects/agents/agent.ts";
import { AGENTS } from "../dialects/agents/agents.ts";
import type { World } from "../world.ts";

/** Who asks, and about which of its events. */
export interface Hearing {
  readonly agent: Agent;
  readonly nativeEvent: string;
  readonly native: JsonObject;
}

/**
 * Copilot and Cursor also run the hooks in Claude Code's settings. When one of them has a line of its own there is
 * nothing to do here, or every hook would act twice; otherwise it is answered in its own words. Null: nothing to do.
 */
export function hostOf(hearing: Hearing, world: World): Hearing | null {
  const host = hearing.agent.name === "claude" ? guestOf(hearing.native, world) : null;
  if (host === null) return hearing;
  if (isRegistered(host, world)) return null;
  return { ...hearing, agent: AGENTS[host] };
}

/** Claude Code itself never sends these. */
function guestOf(native: JsonObject, { env }: World): AgentName | null {
  if (native.has("cursor_version") || env.CURSOR_VERSION !== undefined) return "cursor";
  return native.has("timestamp") || native.has("sessionId") ? "copilot" : null;
}

const FILES: Partial<Readonly<Record<AgentName, readonly string[]>>> = {
  copilot: [".github/hooks/hookctl.json", ".copilot/hooks/hookctl.json"],
  cursor: [".cursor/hooks.json"],
};

function isRegistered(agent: AgentName, { env, cwd }: World): boolean {
  const folders = [env.CLAUDE_PROJECT_DIR, env.CURSOR_PROJECT_DIR, cwd, env.HOME];
  const files = FILES[agent] ?? [];
  return folders.some((folder) => folder !== undefined && files.some((file) => mentions(join(folder, file), agent)));
}

function mentions(file: string, agent: AgentName): boolean {
  try {
    return readFileSync(file, "utf8").includes(`bridge ${agent}`);
  } catch {
    return false;
  }
}
