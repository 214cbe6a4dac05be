import type { AgentName } from "../../src/protocol/agent-names.ts";
import type { Agent } from "./agent.ts";
import { claude } from "./claude/claude.ts";

/** A call loads only the tables of its agent. The tables of Claude Code are always loaded: other agents use parts of them. */
const LOADERS: Readonly<Record<AgentName, () => Agent | Promise<Agent>>> = {
  claude: () => claude,
  codex: async () => (await import("./codex/codex.ts")).codex,
  gemini: async () => (await import("./gemini/gemini.ts")).gemini,
  copilot: async () => (await import("./copilot/copilot.ts")).copilot,
  cursor: async () => (await import("./cursor/cursor.ts")).cursor,
  qwen: async () => (await import("./qwen/qwen.ts")).qwen,
  droid: async () => (await import("./droid/droid.ts")).droid,
  goose: async () => (await import("./goose/goose.ts")).goose,
  opencode: async () => (await import("./opencode/opencode.ts")).opencode,
  pi: async () => (await import("./pi/pi.ts")).pi,
};

export const loadAgent = async (name: AgentName): Promise<Agent> => LOADERS[name]();
