import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import { agentOf } from "../agent-protocol.ts";
import protocol from "./protocol.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

/**
 * goose, written from its documentation: hooks can block a tool call and a stop, and nothing else.
 */
export const goose = agentOf("goose", protocol, { table: toolTable(tools) });
