import type { EventRow } from "../contract/event.ts";
import { type JsonObject, type JsonSpan, membersOf, stringOf } from "../contract/json.ts";
import type { Decision } from "../contract/reply.ts";
import type { ReplyKey, ReplyPart } from "./dialect.ts";
import { deciding, flagKey, objectKey, textKey } from "./keys.ts";

const DECISION: Readonly<Record<string, Decision>> = { allow: "allow", ask: "ask", deny: "block", defer: "none" };

/**
 * The keys that hooks written for Claude Code print. They are read from every hook: such a guard, put into a
 * hooks folder as it is, must not turn into a hook that lets everything pass.
 */
export const claudeKeys: readonly ReplyKey[] = [
  deciding(flagKey("continue", (goesOn) => (goesOn ? {} : { decision: "block" }))),
  textKey("stopReason", (reason) => ({ reason })),
  textKey("systemMessage", (systemMessage) => ({ systemMessage })),
  flagKey("suppressOutput", () => ({})),
  permissionKey("permissionDecision"),
  textKey("permissionDecisionReason", (reason) => ({ reason })),
  deciding(objectKey("hookSpecificOutput", (value, event) => specificPart(membersOf(value), event))),
];

function permissionKey(key: string): ReplyKey {
  const row = textKey(key, (word) => ({ decision: DECISION[word] ?? "none" }));
  return deciding({ ...row, wanted: "allow, ask or deny", read: (value) => decisionPart(value) });
}

function decisionPart(value: JsonSpan | undefined): ReplyPart | null {
  const word = value?.kind === "string" ? stringOf(value) : "";
  const decision = Object.hasOwn(DECISION, word) ? DECISION[word] : undefined;
  return decision === undefined ? null : { decision };
}

function specificPart(members: JsonObject, event: EventRow): ReplyPart | null {
  const permission = members.get("permissionDecision");
  const decided = permission === undefined ? {} : decisionPart(permission);
  if (decided === null) return null;
  const reason = textAt(members, "permissionDecisionReason");
  const context = textAt(members, "additionalContext");
  const change = members.get("updatedInput");
  return {
    ...decided,
    ...(reason === null ? {} : { reason }),
    ...(context === null ? {} : { context: [context] }),
    ...(change === undefined || change.kind === "null" || event.phase !== "pre" ? {} : { change: change.raw }),
    ...behaviourPart(members.get("decision")),
  };
}

/** PermissionRequest nests once more: `decision: {behavior, message, updatedInput}`. */
function behaviourPart(span: JsonSpan | undefined): ReplyPart {
  if (span?.kind !== "object") return {};
  const members = membersOf(span);
  const change = members.get("updatedInput");
  const reason = textAt(members, "message");
  return {
    ...decisionPart(members.get("behavior")),
    ...(reason === null ? {} : { reason }),
    ...(change === undefined || change.kind === "null" ? {} : { change: change.raw }),
  };
}

function textAt(members: JsonObject, key: string): string | null {
  const span = members.get(key);
  return span?.kind === "string" ? stringOf(span) : null;
}
