import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import { agentOf } from "../agent-protocol.ts";
import protocol from "./protocol.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

/**
 * Factory Droid. Its documentation has some fields in camel case: both spellings are read. It has an older version of Claude Code's
 * protocol: results cannot be changed and compaction cannot be blocked. `droid exec` runs a call although a hook answers `ask`, and its
 * payloads do not show that mode, so `ask` becomes `deny`. It does not send the response, which `turn_end` needs.
 */
export const droid = agentOf("droid", protocol, { table: toolTable(tools) });
