import { eventRow } from "../../contract/event.ts";
import { type JsonObject, readJson } from "../../contract/json.ts";
import { cut, type JsonOut, type JsonRecord } from "../../contract/json-text.ts";
import type { Verdict } from "../../contract/verdict.ts";
import type { Agent, Answers, NativeEvent } from "./agent.ts";

/** What is to be told beside the verdict itself. */
export interface Telling {
  /** Stands behind the reason of a block, so that it can be looked up. */
  readonly signature: string;
  /** For the person: what hookctl itself has to say. */
  readonly notices: readonly string[];
  /** The agent is already going on because of a hook, and may not be asked to again. */
  readonly mayFollowUp: boolean;
}

export interface NativeAnswer {
  /** The agent's own object; without members: nothing is printed. */
  readonly answer: JsonRecord;
  /** What the agent has no words for. */
  readonly unsaid: readonly string[];
}

/**
 * Verdict out, in the agent's own words: the smallest object that says it. What it has no words for becomes the
 * stricter thing where somebody is protected by it, and is named otherwise (SPEC 13).
 */
export function nativeAnswer(
  agent: Agent,
  { answers }: NativeEvent,
  verdict: Verdict,
  native: JsonObject,
  telling: Telling,
): NativeAnswer {
  const parts: JsonRecord[] = [];
  const unsaid: string[] = [];
  const say = (part: JsonRecord | null | undefined, what: string): void => {
    if (part == null) unsaid.push(what);
    else parts.push(part);
  };
  const change = changePart(answers, verdict, native);
  const stop = stopReason(verdict, change);
  if (stop !== null) say(stopPart(answers, verdict, `${stop} ${telling.signature}`), `${verdict.decision}: ${stop}`);
  else {
    if (change !== undefined) say(change, "the changed value");
    if (verdict.isAllowed) say(answers.allow?.(), "allow");
  }
  const context = cut(verdict.context.join("\n\n"), agent.contextLimit);
  if (context !== "") say(answers.context?.(context), "the added context");
  if (verdict.followUps.length > 0) {
    const text = verdict.followUps.join("\n\n");
    say(telling.mayFollowUp ? answers.followUp?.(text) : null, "the follow-up");
  }
  const told = [...(verdict.systemMessage === null ? [] : [verdict.systemMessage]), ...telling.notices];
  if (told.length > 0 && answers.tell !== undefined) parts.push(answers.tell(told.join("\n")));
  return { answer: parts.reduce<JsonRecord>(merged, {}), unsaid };
}

/** Undefined: nothing was changed. Null: it was, and the agent has no words for it. */
function changePart(answers: Answers, { change, isAllowed, decision }: Verdict, native: JsonObject) {
  if (change === null || decision !== "continue") return undefined;
  const value = readJson(change, Number.POSITIVE_INFINITY);
  return (value.ok ? answers.change?.({ value: value.value, native, isAllowed }) : null) ?? null;
}

/** Why the thing must not go on: a verdict, or a rewrite of a call that could only be made as it was. */
function stopReason({ decision, reason, event, change }: Verdict, part: JsonRecord | null | undefined): string | null {
  if (decision !== "continue") return reason ?? "stopped by a hook";
  if (part !== null || eventRow(event).target !== "tool_input") return null;
  return `a hook wants this call with other arguments: ${cut(change ?? "", 2000)}`;
}

function stopPart({ deny, ask, halt }: Answers, { decision }: Verdict, reason: string): JsonRecord | undefined {
  if (decision === "ask") return (ask ?? deny ?? halt)?.(reason);
  return (decision === "halt" ? (halt ?? deny) : (deny ?? halt))?.(reason);
}

/** Objects inside are merged too: a decision and a context stand in one `hookSpecificOutput`. */
function merged(all: JsonRecord, part: JsonRecord): JsonRecord {
  const members = Object.entries(part).map(([key, value]): [string, JsonOut | undefined] => {
    const before = all[key];
    return [key, isRecord(before) && isRecord(value) ? merged(before, value) : value];
  });
  return { ...all, ...Object.fromEntries(members) };
}

const isRecord = (value: JsonOut | undefined): value is JsonRecord =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getOwnPropertySymbols(value).length === 0;
