import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import { agentOf } from "../agent-protocol.ts";
import protocol from "./protocol.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

/**
 * Gemini CLI. In `read_file`, older versions count lines from 0 in `offset`, newer ones from 1 in `start_line`. Its timeouts are in
 * milliseconds, and its calls have no id. Without a person, a question ends the run.
 */
export const gemini = agentOf("gemini", protocol, { table: toolTable(tools) });
