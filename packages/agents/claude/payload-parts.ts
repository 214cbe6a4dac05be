import { blockDecision, systemMessage } from "../../../src/dialects/claude-answers.ts";
import { succeeded } from "../../../src/dialects/copilot-fields.ts";
import { callInput, type FieldPaths, firstOf, textAt, toolOutput } from "../../../src/dialects/field-paths.ts";
import type { JsonObject } from "../../../src/protocol/json/read.ts";
import type { JsonValue } from "../../../src/protocol/json/write.ts";
import type { Agent, AnswerFormats } from "../agent.ts";

/** The base fields of Claude Code's payloads and of similar agents. */
export const claudeBaseFields: FieldPaths = {
  conv_id: firstOf("session_id", "sessionId"),
  cwd: "cwd",
};

export const claudeSubagent: FieldPaths = { type: "agent_type", id: "agent_id" };

/** A shell call in Claude Code's format. */
export const claudeShellCall = (tool_name: string): Agent["sampleShellCall"] => ({
  event: "PreToolUse",
  payload: (command) => ({
    session_id: "hookctl-doctor",
    hook_event_name: "PreToolUse",
    tool_name,
    tool_input: { command },
    tool_use_id: "hookctl-doctor",
  }),
});

export const claudeToolFields: FieldPaths = {
  tool_name: "tool_name",
  tool_input: callInput("tool_input"),
  tool_user_id: "tool_use_id",
};

/** The result of a call, also in Copilot's field: not every call of Copilot is recognized as such. */
export const claudeToolOutput = (native: JsonObject): JsonValue =>
  toolOutput(
    "tool_name",
    native.has("tool_result") ? "tool_result.text_result_for_llm" : "tool_response",
    succeeded,
  )(native);

/** The last message as the conversation: no agent sends all of it. */
export const lastMessage =
  (path: string): FieldPaths[string] =>
  (native) => {
    const content = textAt(native, path);
    return content === "" ? [] : [{ role: "assistant", content }];
  };

export const stopFields: FieldPaths = {
  messages: lastMessage("last_assistant_message"),
  stop_hook_active: "stop_hook_active",
};

export const followUpAnswers: AnswerFormats = { followUp: blockDecision, notify: systemMessage };
export const notifyOnly: AnswerFormats = { notify: systemMessage };
