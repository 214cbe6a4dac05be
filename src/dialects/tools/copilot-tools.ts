import { type AgentTools, toolTable } from "../../protocol/tools/tool-table.ts";
import tools from "./copilot-tools.json" with { type: "json" };

/** The tools of GitHub Copilot CLI. Permission requests of `edit` have `file_path`, its other events `path`. */
export const COPILOT_TOOLS: AgentTools = {
  // `server-tool`, in permission requests `server/tool`. A server's name ends at the last hyphen.
  mcp: /^(?:mcp_)?(?<server>.+)[-/](?<tool>[^-/]+)$|^mcp_/,
  table: toolTable(tools.table),
};

/** At Claude Code's events Copilot uses Claude Code's names of tools, with its own arguments. */
export const COPILOT_TOOLS_AS_CLAUDE: AgentTools["table"] = toolTable(tools.asClaude);
