import { spanAt } from "../../src/dialects/field-paths.ts";
import { EVENT_ROWS } from "../../src/protocol/event.ts";
import { type JsonObject, type JsonSpan, membersOrNone, objectOf, readJson } from "../../src/protocol/json/read.ts";
import type { JsonRecord, JsonValue } from "../../src/protocol/json/write.ts";
import { truncate } from "../../src/protocol/text/text.ts";
import { restoredInput } from "../../src/protocol/tools/restore.ts";
import type { Verdict } from "../../src/protocol/verdict.ts";
import type { Agent, AnswerFormats, NativeEvent } from "./agent.ts";
import { translatedCall } from "./native-payload.ts";

/** The agent, event and payload that are answered. */
export interface AnswerContext {
  readonly agent: Agent;
  readonly row: NativeEvent;
  readonly native: JsonObject;
}

/** Added to the verdict in the answer. */
export interface AnswerExtras {
  /** Appended to the reason of a block: the hook and the command that explains the run. */
  readonly signature: string;
  /** Messages of hookctl itself for the person. */
  readonly notices: readonly string[];
  /** False if the agent may not be given another instruction. */
  readonly mayFollowUp: boolean;
}

export interface NativeAnswer {
  /** The agent's answer object; empty: nothing is printed. */
  readonly answer: JsonRecord;
  /** True if the agent would run a blocked or unchanged call without this answer. */
  readonly mustArrive: boolean;
  /** The parts of the verdict that the agent does not support. */
  readonly unsupported: readonly string[];
}

/**
 * The verdict in the agent's format. A part that protects becomes a stricter one if the agent does not support it; any
 * other part is listed in `unsupported`. See docs/agents.md.
 */
export function nativeAnswer(context: AnswerContext, verdict: Verdict, extras: AnswerExtras): NativeAnswer {
  const { agent, row, native } = context;
  const { answers } = row;
  const { isAllowed } = verdict;
  const parts: JsonRecord[] = [];
  const unsupported: string[] = [];
  const addPart = (part: JsonRecord | null | undefined, description: string): void => {
    if (part == null) unsupported.push(description);
    else parts.push(part);
  };
  const wanted = wantedValue(context, verdict);
  const change = wanted == null ? wanted : (answers.change?.({ value: wanted, native, isAllowed }) ?? null);
  const isUnsupported = isUnsupportedChange(answers, verdict, change);
  // Before the block: if both set the same key, the block's value wins.
  if (change !== undefined && !isUnsupported) addPart(change, "the changed value");
  const stop = stopReason(verdict, isUnsupported ? (wanted?.raw ?? verdict.change) : null);
  if (stop !== null)
    addPart(
      stopFormat(answers, verdict, isUnsupported)?.(`${stop} ${extras.signature}`),
      `${verdict.decision}: ${stop}`,
    );
  else if (verdict.isAllowed) addPart(answers.allow?.(), "allow");
  const added = truncate(verdict.context.join("\n\n"), agent.contextLimit);
  if (added !== "") addPart(answers.context?.(added), "the added context");
  if (verdict.followUps.length > 0) {
    const text = verdict.followUps.join("\n\n");
    addPart(extras.mayFollowUp ? answers.followUp?.(text) : null, "the follow-up");
  }
  const messages = [...(verdict.systemMessage === null ? [] : [verdict.systemMessage]), ...extras.notices];
  if (messages.length > 0 && answers.notify !== undefined) parts.push(answers.notify(messages.join("\n")));
  return {
    answer: parts.reduce<JsonRecord>(mergeDeep, {}),
    mustArrive: stop !== null || change != null,
    unsupported,
  };
}

/** Returns the new value in the agent's form: undefined if nothing was changed, null if the agent cannot express the change. */
function wantedValue(context: AnswerContext, verdict: Verdict): JsonSpan | null | undefined {
  const { change, decision } = verdict;
  if (change === null || (decision !== "continue" && decision !== "ask")) return undefined;
  const value = readJson(change, Number.POSITIVE_INFINITY);
  return value.ok ? nativeValue(value.value, context, verdict) : null;
}

/** Returns the changed value in the agent's form, or null if the agent cannot express it. */
function nativeValue(value: JsonSpan, { agent, row, native }: AnswerContext, verdict: Verdict): JsonSpan | null {
  const { event, sent } = verdict;
  const { target } = EVENT_ROWS[event];
  if (target === "tool_output") return changedOutput(value, sent.members.get("tool_output"));
  if (target !== "tool_input") return value;
  // Agents ignore a changed input that is not an object, and run the original call.
  if (sent.members.get("tool_input")?.kind === "object" && value.kind !== "object") return null;
  const raised = row.raises.find((one) => one.event === event);
  const call = raised === undefined ? null : translatedCall(agent, raised, native);
  if (call === null) return value;
  const { portable } = call;
  return restoredInput({ row: portable.row, native: call.native, portable: portable.input }, value);
}

/** kodelet's hooks change the text in `metadata`; hookctl's `result` has the same text. */
function changedOutput(value: JsonSpan, sent: JsonSpan | undefined): JsonSpan {
  const before = membersOrNone(sent);
  const now = membersOrNone(value);
  const text = spanAt(now, "metadata.output");
  const isMoved = text !== undefined && text.raw !== spanAt(before, "metadata.output")?.raw;
  return isMoved && now.get("result")?.raw === before.get("result")?.raw
    ? objectOf(new Map([...now, ["result", text]]))
    : value;
}

/** True if the agent would run, or ask about, the original call instead of the changed one. */
function isUnsupportedChange(
  answers: AnswerFormats,
  { decision, event }: Verdict,
  change: JsonRecord | null | undefined,
): boolean {
  if (change === undefined || EVENT_ROWS[event].target !== "tool_input") return false;
  return change === null || (decision === "ask" && answers.canAskWithChange !== true);
}

/** Why the call is blocked: by the verdict, or because the agent cannot take the changed arguments (`wanted`). */
function stopReason({ decision, reason }: Verdict, wanted: string | null): string | null {
  if (decision === "continue" && wanted === null) return null;
  const decided = decision === "continue" ? [] : [reason ?? "stopped by a hook"];
  const unsupported = wanted === null ? [] : [`a hook changed the arguments of this call: ${truncate(wanted, 2000)}`];
  return [...decided, ...unsupported].join("; ");
}

/** The format for the decision, or a stricter one if the agent does not support it. */
function stopFormat({ deny, ask, halt }: AnswerFormats, { decision }: Verdict, isUnsupported: boolean) {
  if (decision === "ask" && !isUnsupported) return ask ?? deny ?? halt;
  return decision === "halt" ? (halt ?? deny) : (deny ?? halt);
}

/** Nested objects are merged: a decision and a context share one `hookSpecificOutput`. */
function mergeDeep(all: JsonRecord, part: JsonRecord): JsonRecord {
  const members = Object.entries(part).map(([key, value]): [string, JsonValue | undefined] => {
    const before = all[key];
    return [key, isRecord(before) && isRecord(value) ? mergeDeep(before, value) : value];
  });
  return { ...all, ...Object.fromEntries(members) };
}

const isRecord = (value: JsonValue | undefined): value is JsonRecord =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getOwnPropertySymbols(value).length === 0;
