import type { EventRow } from "../../protocol/event.ts";
import type { Decision } from "../../protocol/hook-response.ts";
import { allMembersOf, type JsonSpan, stringOf } from "../../protocol/json/read.ts";
import { editDistance } from "../../protocol/text/nearest.ts";
import type { ResponseKey, ResponsePart } from "../dialect.ts";
import { isBlockingSynonym, type ResponseLevel } from "./key-spelling.ts";
import { decidingKey, flagKey, readKeys, textKey, textsKey, valueKey } from "./response-keys.ts";

const DECISION: Readonly<Record<string, Decision>> = { allow: "allow", ask: "ask", deny: "block", defer: "none" };

/**
 * The response keys of Claude Code. They are read from every hook, so that a guard written for Claude Code still blocks
 * when it is put into a hooks folder unchanged.
 */
export const claudeKeys: readonly ResponseKey[] = [
  decidingKey(flagKey("continue", (goesOn) => (goesOn ? {} : { decision: "block" }))),
  textKey("stopReason", (reason) => ({ reason })),
  textKey("systemMessage", (systemMessage) => ({ systemMessage })),
  flagKey("suppressOutput", () => ({})),
  decisionKey("permissionDecision"),
  textKey("permissionDecisionReason", (reason) => ({ reason })),
  nestedKey("hookSpecificOutput", () => SPECIFIC),
];

/** The nested deciding keys, and the path to which each belongs. A key at any other path may be a misplaced block. */
const DECIDING: readonly (readonly [word: string, place: string])[] = [
  ["permissiondecision", "hookSpecificOutput.permissionDecision"],
  ["decision", "hookSpecificOutput.decision"],
  ["behavior", "hookSpecificOutput.decision.behavior"],
];

/** Returns the path to which a misspelt or misplaced deciding key belongs; null for any other key. */
const closeTo =
  (decides: string) =>
  (written: string): string | null => {
    const word = written.slice(0, 64).toLowerCase();
    const [, place] = DECIDING.find(([name]) => editDistance(word, name) <= 2) ?? [];
    return place ?? (isBlockingSynonym(word.replace(/[^a-z]/g, "")) ? decides : null);
  };

/** PermissionRequest nests once more: `decision: {behavior, message, updatedInput}`. */
const DECIDED: ResponseLevel = {
  path: "hookSpecificOutput.decision.",
  isOpen: true,
  closeTo: closeTo("hookSpecificOutput.decision.behavior"),
  rows: [decisionKey("behavior"), textKey("message", (reason) => ({ reason })), valueKey("updatedInput", changedInput)],
};

const SPECIFIC: ResponseLevel = {
  path: "hookSpecificOutput.",
  isOpen: true,
  closeTo: closeTo("hookSpecificOutput.permissionDecision"),
  rows: [
    decisionKey("permissionDecision"),
    textKey("permissionDecisionReason", (reason) => ({ reason })),
    textsKey("additionalContext", (context) => ({ context })),
    valueKey("updatedInput", changedInput),
    valueKey("updatedToolOutput", (raw, row) => (row.target === "tool_output" ? { change: raw } : {})),
    nestedKey("decision", () => DECIDED),
  ],
};

/** The nested objects of a response, the inner one first. */
export const NESTED_LEVELS: readonly ResponseLevel[] = [DECIDED, SPECIFIC];

function nestedKey(key: string, level: () => ResponseLevel): ResponseKey {
  return {
    key,
    isDeciding: true,
    expected: "an object",
    // The object itself decides nothing; `readKeys` replaces `false` if a key inside decides.
    read: (value, row, _members, event) =>
      value.kind === "object"
        ? { decides: false, ...readKeys(allMembersOf(value), { level: level(), row, event, nullReplaces: false }) }
        : null,
  };
}

export function decisionKey(key: string): ResponseKey {
  return { key, isDeciding: true, expected: "allow, ask or deny", read: decisionPart };
}

function decisionPart(value: JsonSpan): ResponsePart | null {
  const word = value.kind === "string" ? stringOf(value) : "";
  const decision = Object.hasOwn(DECISION, word) ? DECISION[word] : undefined;
  return decision === undefined ? null : { decision };
}

function changedInput(raw: string, row: EventRow): ResponsePart {
  return row.phase === "pre" ? { change: raw } : {};
}
