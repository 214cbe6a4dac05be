import type { Agent, Answers, Change, Places } from "../agents/agent.ts";
import { membersOf, stringOf } from "../protocol/json.ts";
import { type JsonOut, type JsonRecord, rawJson } from "../protocol/json-text.ts";
import { callInput, givenBack, spanAt, textAt } from "./field-paths.ts";

/** Answers that Claude Code defined and others took over. */
const specific = (hookEventName: string, parts: JsonRecord): JsonRecord => ({
  hookSpecificOutput: { hookEventName, ...parts },
});

export const decided = (hookEventName: string, decision: "allow" | "ask" | "deny", reason?: string): JsonRecord =>
  specific(hookEventName, { permissionDecision: decision, permissionDecisionReason: reason });

export const updatedInput = (hookEventName: string, { value }: Change): JsonRecord =>
  specific(hookEventName, { updatedInput: rawJson(value.raw) });

export const behaviour = (behavior: "allow" | "deny", more: JsonRecord = {}): JsonRecord =>
  specific("PermissionRequest", { decision: { behavior, ...more } });

export const blocked = (reason: string): JsonRecord => ({ decision: "block", reason });
export const stopped = (reason: string): JsonRecord => ({ continue: false, stopReason: reason });
export const systemMessage = (text: string): JsonRecord => ({ systemMessage: text });
export const contextAt =
  (hookEventName: string) =>
  (text: string): JsonRecord =>
    specific(hookEventName, { additionalContext: text });

/** It says both: whether the turn ends at once or the model reads why first is for the agent to know. */
export const halted = (reason: string): JsonRecord => ({ ...blocked(reason), ...stopped(reason) });

/** A replaced result must have the tool's own shape: a text takes the place of what a shell printed, and null of a text. */
export function updatedToolOutput(change: Change): JsonRecord | null {
  const given = givenBack(change);
  const own = spanAt(change.native, "tool_response");
  const text = given.kind === "string" ? stringOf(given) : given.kind === "null" ? "" : null;
  if (text === null || own === undefined || own.kind === "null") return replaced(rawJson(given.raw));
  if (own.kind === "string") return replaced(text);
  if (own.kind !== "object" || !membersOf(own).has("stdout")) return null;
  const members = [...membersOf(own)].map(([key, span]): [string, JsonOut] => [key, rawJson(span.raw)]);
  return replaced({ ...Object.fromEntries(members), stdout: text, stderr: "" });
}

const replaced = (value: JsonOut): JsonRecord => specific("PostToolUse", { updatedToolOutput: value });

/** Base fields as Claude Code sends them; its relatives send the same. */
export const claudeBase: Places = {
  conv_id: "session_id",
  cwd: "cwd",
  invoked_by: (native) => (spanAt(native, "agent_id") === undefined ? "main" : "subagent"),
};

/** A shell call in Claude Code's words. */
export const shellCall = (tool_name: string): Agent["shellCall"] => ({
  event: "PreToolUse",
  payload: (command) => ({
    session_id: "hookctl-doctor",
    hook_event_name: "PreToolUse",
    tool_name,
    tool_input: { command },
    tool_use_id: "hookctl-doctor",
  }),
});

export const toolFields: Places = {
  tool_name: "tool_name",
  tool_input: callInput("tool_input"),
  tool_user_id: "tool_use_id",
};

/** What the agent said last stands for the conversation, which no agent sends. */
export const lastMessage =
  (path: string): Places[string] =>
  (native) => {
    const content = textAt(native, path);
    return content === "" ? [] : [{ role: "assistant", content }];
  };

export const stopFields: Places = {
  messages: lastMessage("last_assistant_message"),
  stop_hook_active: "stop_hook_active",
};

export const followUpAnswers: Answers = { followUp: blocked, tell: systemMessage };
export const tellOnly: Answers = { tell: systemMessage };
