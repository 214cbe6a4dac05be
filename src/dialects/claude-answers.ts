import { stringOf } from "../protocol/json/read.ts";
import { type JsonRecord, type JsonValue, rawJson } from "../protocol/json/write.ts";
import { rowFor } from "../protocol/tools/translate.ts";
import { changedResult, spanAt, type TargetChange, textAt } from "./field-paths.ts";
import { CLAUDE_TOOLS } from "./tools/claude-tools.ts";
import { resultWithText } from "./tools/tool-output.ts";

/** Answers in Claude Code's format, which other agents accept too. */
const specific = (hookEventName: string, parts: JsonRecord): JsonRecord => ({
  hookSpecificOutput: { hookEventName, ...parts },
});

export const permissionDecision = (
  hookEventName: string,
  decision: "allow" | "ask" | "deny",
  reason?: string,
): JsonRecord => specific(hookEventName, { permissionDecision: decision, permissionDecisionReason: reason });

export const updatedInput = (hookEventName: string, { value }: TargetChange): JsonRecord =>
  specific(hookEventName, { updatedInput: rawJson(value.raw) });

export const permissionBehavior = (behavior: "allow" | "deny", more: JsonRecord = {}): JsonRecord =>
  specific("PermissionRequest", { decision: { behavior, ...more } });

export const blockDecision = (reason: string): JsonRecord => ({ decision: "block", reason });
export const stopDecision = (reason: string): JsonRecord => ({ continue: false, stopReason: reason });
export const systemMessage = (text: string): JsonRecord => ({ systemMessage: text });
export const contextFor =
  (hookEventName: string) =>
  (text: string): JsonRecord =>
    specific(hookEventName, { additionalContext: text });

/** Both keys: some agents end the turn at once, others show the reason to the model first. */
export const haltDecision = (reason: string): JsonRecord => ({ ...blockDecision(reason), ...stopDecision(reason) });

/** A changed result must have the tool's shape: a text replaces its text, and null becomes an empty text. */
export function updatedToolOutput(change: TargetChange): JsonRecord | null {
  const given = changedResult(change);
  const own = spanAt(change.native, "tool_response");
  const text = given.kind === "string" ? stringOf(given) : given.kind === "null" ? "" : null;
  if (text === null || own === undefined || own.kind === "null") return replaced(rawJson(given.raw));
  if (own.kind === "string") return replaced(text);
  const row = rowFor(CLAUDE_TOOLS.table, textAt(change.native, "tool_name"), own);
  const result = resultWithText(own, row, text);
  return result === null ? null : replaced(rawJson(result.raw));
}

const replaced = (value: JsonValue): JsonRecord => specific("PostToolUse", { updatedToolOutput: value });
