import { type AgentTools, type ToolTable, toolTable } from "../../protocol/tools/tool-table.ts";
import tools from "./claude-tools.json" with { type: "json" };

/** The tools of Claude Code. */
export const CLAUDE_TOOLS = {
  mcp: /^mcp__(?:(?<server>.+?)__)?(?<tool>.+)$/s,
  get table() {
    known ??= toolTable(tools);
    return known;
  },
} satisfies AgentTools;

/** Created for the first call that needs it: most calls of `run` do not. */
let known: ToolTable | null = null;
