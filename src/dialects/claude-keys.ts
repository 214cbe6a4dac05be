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
    ...objectKey("hookSpecificOutput", (value, event) => specificPart(nestedIn(value, SPECIFIC), event)),
    wanted: "an object whose keys are spelt as Claude Code has them, each once",
  }),
];

/** One of the objects inside a reply: the keys that mean something there, and the deciding one of them. */
interface Level {
  readonly keys: readonly string[];
  readonly decides: string;
}
const PERMISSION = "hookSpecificOutput.permissionDecision";
const BEHAVIOR = "hookSpecificOutput.decision.behavior";
const SPECIFIC: Level = {
  keys: [
    ...["permissionDecision", "decision", "permissionDecisionReason"],
    ...["additionalContext", "updatedInput", "updatedToolOutput"],
  ],
  decides: PERMISSION,
};
const DECIDED: Level = { keys: ["behavior", "message", "updatedInput"], decides: BEHAVIOR };
/** The deciding keys of both, and where each belongs: at the other place one may be a lost block too. */
const DECIDING: readonly (readonly [word: string, place: string])[] = [
  ["permissiondecision", PERMISSION],
  ["decision", "hookSpecificOutput.decision"],
  ["behavior", BEHAVIOR],
];

interface Nested {
  readonly members: JsonObject;
  /** What an unknown key adds that is so close to a deciding one that it may be a block. */
  readonly unknown: ReplyPart;
}

/** Odd case is taken here as at the top; null: a key twice. */
function nestedIn(span: JsonSpan, level: Level): Nested | null {
  const members = new Map<string, JsonSpan>();
  let unknown: ReplyPart | null = null;
  for (const [written, value] of membersOf(span)) {
    const word = written.slice(0, 64).toLowerCase();
    const key = level.keys.find((name) => name.toLowerCase() === word);
    if (members.has(key ?? written)) return null;
    members.set(key ?? written, value);
    const close = key === undefined ? closeTo(word, level) : null;
    if (close !== null) unknown ??= misspelt(written, level, close);
  }
  return { members, unknown: unknown ?? {} };
}

function closeTo(word: string, level: Level): string | null {
  const [, place] = DECIDING.find(([name]) => editDistance(word, name) <= 2) ?? [];
  return place ?? (SYNONYMS.test(word) ? level.decides : null);
}

function misspelt(written: string, { decides }: Level, nearest: string): ReplyPart {
  const key = `${decides.slice(0, decides.lastIndexOf("."))}.${written}`;
  return {
    fault: { code: "REPLY_MISSPELT_KEY", key, nearest },
    warnings: [{ code: "UNKNOWN_KEY", hook: "", key, nearest }],
  };
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

function specificPart(nested: Nested | null, event: EventRow): ReplyPart | null {
  const decided = decisionAt(nested?.members.get("permissionDecision"));
  const behaviour = behaviourPart(nested?.members.get("decision"), event);
  if (nested === null || decided === null || behaviour === null) return null;
  const { members, unknown } = nested;
  const reason = textAt(members, "permissionDecisionReason");
  const context = textAt(members, "additionalContext");
  return {
    ...unknown,
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
  const nested = span.kind === "object" ? nestedIn(span, DECIDED) : null;
  const decided = decisionAt(nested?.members.get("behavior"));
  if (nested === null || decided === null) return null;
  const { members, unknown } = nested;
  const reason = textAt(members, "message");
  return {
    ...unknown,
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
