import { CLAUDE_TOOLS } from "../../../src/dialects/tools/claude-tools.ts";
import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import { agentOf } from "../agent-protocol.ts";
import protocol from "./protocol.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

/**
 * Cursor, as its documentation describes it. Only two events support `ask`. A turn that was aborted or failed cannot continue. At Claude
 * Code's registration it may use the names of that agent's tools; `beforeMCPExecution` has the names of MCP tools without a prefix.
 */
export const cursor = agentOf("cursor", protocol, { table: toolTable(tools), borrowed: () => CLAUDE_TOOLS.table });
