import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import { agentOf } from "../agent-protocol.ts";
import protocol from "./protocol.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

/**
 * Qwen Code: Claude Code's events and most of its answers. Before a call it accepts neither a changed input nor context: a change becomes
 * a deny. After a call the reason of a stop replaces the result. It does not show `systemMessage`. In headless mode it repeats
 * `UserPromptSubmit` after tool results, with an empty prompt that nobody typed.
 */
export const qwen = agentOf("qwen", protocol, { table: toolTable(tools) });
