import type { EventRow } from "../contract/event.ts";
import { type JsonObject, type JsonSpan, membersOf, stringOf } from "../contract/json.ts";
import { editDistance } from "../contract/nearest.ts";
import { type Decision, stricter } from "../contract/reply.ts";
import type { ReplyKey, ReplyPart } from "./dialect.ts";
import { deciding, flagKey, objectKey, textKey } from "./keys.ts";
import { SYNONYMS } from "./spelling.ts";

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
  deciding({
    ...objectKey("hookSpecificOutput", (value, event) => specificPart(nestedMembers(value), event)),
    wanted: "an object whose keys are spelt as Claude Code has them, each once",
  }),
];

const NESTED_DECIDING = ["permissionDecision", "decision", "behavior"];
const NESTED = [
  ...NESTED_DECIDING,
  "permissionDecisionReason",
  "additionalContext",
  "updatedInput",
  "updatedToolOutput",
  "message",
];

/** Odd case is taken here as at the top; null: a key twice, or one so close to a deciding one that it may be a block. */
function nestedMembers(span: JsonSpan): JsonObject | null {
  const members = new Map<string, JsonSpan>();
  for (const [written, value] of membersOf(span)) {
    const word = written.slice(0, 64).toLowerCase();
    const key = NESTED.find((name) => name.toLowerCase() === word) ?? written;
    const isKnown = NESTED.includes(key);
    if (members.has(key)) return null;
    if (
      !isKnown &&
      (SYNONYMS.test(word) || NESTED_DECIDING.some((name) => editDistance(word, name.toLowerCase()) <= 2))
    ) {
      return null;
    }
    members.set(key, value);
  }
  return members;
}

function permissionKey(key: string): ReplyKey {
  return { key, isDeciding: true, wanted: "allow, ask or deny", read: decisionPart };
}

/** Nested keys: one that is not there, or null, decides nothing. */
const decisionAt = (value: JsonSpan | undefined): ReplyPart | null =>
  value === undefined || value.kind === "null" ? {} : decisionPart(value);

function decisionPart(value: JsonSpan): ReplyPart | null {
  const word = value.kind === "string" ? stringOf(value) : "";
  const decision = Object.hasOwn(DECISION, word) ? DECISION[word] : undefined;
  return decision === undefined ? null : { decision };
}

function specificPart(members: JsonObject | null, event: EventRow): ReplyPart | null {
  const decided = decisionAt(members?.get("permissionDecision"));
  const behaviour = behaviourPart(members?.get("decision"), event);
  if (members === null || decided === null || behaviour === null) return null;
  const reason = textAt(members, "permissionDecisionReason");
  const context = textAt(members, "additionalContext");
  return {
    ...decided,
    ...(reason === null ? {} : { reason }),
    ...(context === null ? {} : { context: [context] }),
    ...changePart(members.get("updatedInput"), event),
    ...outputPart(members.get("updatedToolOutput"), event),
    ...behaviour,
    decision: stricter(decided.decision ?? "none", behaviour.decision ?? "none"),
  };
}

/** PermissionRequest nests once more: `decision: {behavior, message, updatedInput}`. */
function behaviourPart(span: JsonSpan | undefined, event: EventRow): ReplyPart | null {
  if (span === undefined || span.kind === "null") return {};
  const members = span.kind === "object" ? nestedMembers(span) : null;
  const decided = decisionAt(members?.get("behavior"));
  if (members === null || decided === null) return null;
  const reason = textAt(members, "message");
  return {
    ...decided,
    ...(reason === null ? {} : { reason }),
    ...changePart(members.get("updatedInput"), event),
  };
}

const changePart = (span: JsonSpan | undefined, event: EventRow): ReplyPart =>
  span === undefined || span.kind === "null" || event.phase !== "pre" ? {} : { change: span.raw };

const outputPart = (span: JsonSpan | undefined, event: EventRow): ReplyPart =>
  span === undefined || span.kind === "null" || event.target !== "tool_output" ? {} : { change: span.raw };

function textAt(members: JsonObject, key: string): string | null {
  const span = members.get(key);
  return span?.kind === "string" ? stringOf(span) : null;
}
