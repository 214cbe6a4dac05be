import { type TargetChange, textAt } from "../../../src/dialects/field-paths.ts";
import { membersOf } from "../../../src/protocol/json/read.ts";
import { type JsonRecord, rawJson } from "../../../src/protocol/json/write.ts";
import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import { agentOf } from "../agent-protocol.ts";
import protocol from "./protocol.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

/**
 * OpenAI Codex CLI. An unknown key in an answer fails the hook, and the tool runs. Its tool `shell` takes a list of arguments, and
 * a timeout in milliseconds.
 */
export const codex = agentOf("codex", protocol, { table: toolTable(tools), changes: { PreToolUse: allowedInput } });

/**
 * Codex ignores a changed input without `allow`, and runs the original call. The input of a shell call or a patch must have a text
 * under `command`.
 */
function allowedInput({ value, native }: TargetChange): JsonRecord | null {
  if (value.kind !== "object") return null;
  const needsCommand = ["Bash", "apply_patch"].includes(textAt(native, "tool_name"));
  if (needsCommand && membersOf(value).get("command")?.kind !== "string") return null;
  const updatedInput = rawJson(value.raw);
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput } };
}
