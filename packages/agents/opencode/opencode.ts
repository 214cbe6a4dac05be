import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import { agentOf } from "../agent-protocol.ts";
import protocol from "./protocol.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

/**
 * opencode. It has no command hooks: hookctl writes a plugin that calls the bridge. MCP tools are `server_tool`; its own tools with an
 * underscore are in the table.
 */
export const opencode = agentOf("opencode", protocol, { table: toolTable(tools) });
