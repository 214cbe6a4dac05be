import { COPILOT_TOOLS, COPILOT_TOOLS_AS_CLAUDE } from "../../../src/dialects/tools/copilot-tools.ts";
import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import { agentOf } from "../agent-protocol.ts";
import vscodeTools from "../vscode-tools.json" with { type: "json" };
import protocol from "./protocol.json" with { type: "json" };

/**
 * GitHub Copilot CLI. Under Claude Code's names of events it sends Claude Code's payloads, with Claude Code's names of tools, and accepts
 * its answers except changed outputs; it is not documented whether allowing an `ask` runs the changed call. VS Code also runs these
 * registrations. It cannot be recognized, sends Claude Code's fields, and obeys only Claude Code's format.
 */
export const copilot = agentOf("copilot", protocol, {
  mcp: COPILOT_TOOLS.mcp,
  table: { ...COPILOT_TOOLS.table, ...COPILOT_TOOLS_AS_CLAUDE },
  borrowed: () => toolTable(vscodeTools),
});
