import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import { agentOf } from "../agent-protocol.ts";
import protocol from "./protocol.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

/**
 * pi. It has no command hooks: hookctl writes an extension that calls the bridge.
 */
export const pi = agentOf("pi", protocol, { table: toolTable(tools) });
