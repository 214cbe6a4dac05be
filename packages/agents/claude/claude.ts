import { changedResult, spanAt, type TargetChange, textAt } from "../../../src/dialects/field-paths.ts";
import { CLAUDE_TOOLS } from "../../../src/dialects/tools/claude-tools.ts";
import { resultWithText } from "../../../src/dialects/tools/tool-output.ts";
import { stringOf } from "../../../src/protocol/json/read.ts";
import { type JsonRecord, type JsonValue, rawJson } from "../../../src/protocol/json/write.ts";
import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import { rowFor } from "../../../src/protocol/tools/translate.ts";
import { agentOf } from "../agent-protocol.ts";
import grokTools from "../grok/tools.json" with { type: "json" };
import vscodeTools from "../vscode-tools.json" with { type: "json" };
import protocol from "./protocol.json" with { type: "json" };

/**
 * Claude Code. A changed input is sent without `allow`, which would override the user's own permission rules. At a permission request
 * it asks the person if it gets no answer, so that `ask` is an empty answer. In the mode bypassPermissions a question is dropped for a
 * command about which its own rules ask, such as a write under .claude.
 */
export const claude = agentOf("claude", protocol, {
  table: CLAUDE_TOOLS.table,
  // Other programs run this registration with tools of their own, and most of them cannot be recognized. No tool of Grok Build or VS Code
  // has the name of one of Claude Code's tools.
  borrowed: () => ({ ...toolTable(vscodeTools), ...toolTable(grokTools) }),
  changes: { PostToolUse: updatedToolOutput },
});

/** A changed result must have the tool's shape: a text replaces its text, and null becomes an empty text. */
function updatedToolOutput(change: TargetChange): JsonRecord | null {
  const given = changedResult(change);
  const own = spanAt(change.native, "tool_response");
  const text = given.kind === "string" ? stringOf(given) : given.kind === "null" ? "" : null;
  if (text === null || own === undefined || own.kind === "null") return replaced(rawJson(given.raw));
  if (own.kind === "string") return replaced(text);
  const row = rowFor(CLAUDE_TOOLS.table, textAt(change.native, "tool_name"), own);
  const result = resultWithText(own, row, text);
  return result === null ? null : replaced(rawJson(result.raw));
}

const replaced = (updatedToolOutput: JsonValue): JsonRecord => ({
  hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput },
});
