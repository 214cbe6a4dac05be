import { eventRow } from "../protocol/event.ts";
import { type JsonObject, type JsonSpan, readJson } from "../protocol/json/read.ts";
import type { JsonRecord, JsonValue } from "../protocol/json/write.ts";
import { truncate } from "../protocol/text.ts";
import type { Verdict } from "../protocol/verdict.ts";
import type { Agent, AnswerFormats, NativeEvent } from "./agent.ts";

/** Who is answered, and about what it sent. */
export interface AnswerContext {
  readonly agent: Agent;
  readonly row: NativeEvent;
  readonly native: JsonObject;
}

/** What is to be told beside the verdict itself. */
export interface AnswerExtras {
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
  /** Without it the agent would do what a hook stopped, or do it in the way that a hook changed. */
  readonly mustArrive: boolean;
  /** What the agent has no words for. */
  readonly unsupported: readonly string[];
}

/**
 * Verdict out, in the agent's own words: the smallest object that says it. What it has no words for becomes the
 * stricter thing where somebody is protected by it, and is named otherwise (SPEC 13).
 */
export function nativeAnswer(
  { agent, row, native }: AnswerContext,
  verdict: Verdict,
  telling: AnswerExtras,
): NativeAnswer {
  const { answers } = row;
  const parts: JsonRecord[] = [];
  const unsupported: string[] = [];
  const say = (part: JsonRecord | null | undefined, what: string): void => {
    if (part == null) unsupported.push(what);
    else parts.push(part);
  };
  const change = changePart(answers, verdict, native);
  const isLost = isLostRewrite(answers, verdict, change);
  // Before the stop: where both need the same words, those of the stop count.
  if (change !== undefined && !isLost) say(change, "the changed value");
  const stop = stopReason(verdict, isLost);
  if (stop !== null)
    say(stopFormat(answers, verdict, isLost)?.(`${stop} ${telling.signature}`), `${verdict.decision}: ${stop}`);
  else if (verdict.isAllowed) say(answers.allow?.(), "allow");
  const context = truncate(verdict.context.join("\n\n"), agent.contextLimit);
  if (context !== "") say(answers.context?.(context), "the added context");
  if (verdict.followUps.length > 0) {
    const text = verdict.followUps.join("\n\n");
    say(telling.mayFollowUp ? answers.followUp?.(text) : null, "the follow-up");
  }
  const told = [...(verdict.systemMessage === null ? [] : [verdict.systemMessage]), ...telling.notices];
  if (told.length > 0 && answers.notify !== undefined) parts.push(answers.notify(told.join("\n")));
  return {
    answer: parts.reduce<JsonRecord>(deepMerged, {}),
    mustArrive: stop !== null || change != null,
    unsupported: unsupported,
  };
}

/** Undefined: nothing is changed. Null: it is, and the agent has no words for it. */
function changePart(answers: AnswerFormats, verdict: Verdict, native: JsonObject) {
  const { change, isAllowed, decision } = verdict;
  if (change === null || (decision !== "continue" && decision !== "ask")) return undefined;
  const value = readJson(change, Number.POSITIVE_INFINITY);
  if (!value.ok || isNoArguments(value.value, verdict)) return null;
  return answers.change?.({ value: value.value, native, isAllowed }) ?? null;
}

/** Agents take an object of arguments. Any other value they would ignore, and make the call as it was. */
const isNoArguments = ({ kind }: JsonSpan, { event, sent }: Verdict): boolean =>
  eventRow(event).target === "tool_input" && sent.members.get("tool_input")?.kind === "object" && kind !== "object";

/** A rewrite of a call that the agent would make as it was, or about which the person would be asked as it was. */
function isLostRewrite(
  answers: AnswerFormats,
  { decision, event }: Verdict,
  change: JsonRecord | null | undefined,
): boolean {
  if (change === undefined || eventRow(event).target !== "tool_input") return false;
  return change === null || (decision === "ask" && answers.canAskWithChange !== true);
}

/** Why the thing must not go on: a verdict, or a rewrite of a call that could only be made as it was. */
function stopReason({ decision, reason, change }: Verdict, isLost: boolean): string | null {
  if (decision === "continue" && !isLost) return null;
  const decided = decision === "continue" ? [] : [reason ?? "stopped by a hook"];
  const wanted = isLost ? [`a hook changed the arguments of this call: ${truncate(change ?? "", 2000)}`] : [];
  return [...decided, ...wanted].join("; ");
}

/** How an agent is kept from what happens, or from going on after it. Undefined: it cannot be. */
export const blockFormat = ({ deny, halt }: AnswerFormats): AnswerFormats["deny"] => deny ?? halt;

/** The words for a stop: the stricter ones where the agent lacks those that were meant. */
function stopFormat({ deny, ask, halt }: AnswerFormats, { decision }: Verdict, isLost: boolean) {
  if (decision === "ask" && !isLost) return ask ?? deny ?? halt;
  return decision === "halt" ? (halt ?? deny) : (deny ?? halt);
}

/** Objects inside are merged too: a decision and a context stand in one `hookSpecificOutput`. */
function deepMerged(all: JsonRecord, part: JsonRecord): JsonRecord {
  const members = Object.entries(part).map(([key, value]): [string, JsonValue | undefined] => {
    const before = all[key];
    return [key, isRecord(before) && isRecord(value) ? deepMerged(before, value) : value];
  });
  return { ...all, ...Object.fromEntries(members) };
}

const isRecord = (value: JsonValue | undefined): value is JsonRecord =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getOwnPropertySymbols(value).length === 0;
