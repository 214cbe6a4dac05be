import { sha256Of } from "../../../src/fs/hash.ts";
import { objectOr, stringOr } from "../../../src/protocol/json/read.ts";
import { readPayload } from "../../../src/protocol/payload/payload.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import type { Step, Verdict } from "../../../src/protocol/verdict.ts";
import type { Replay } from "./open-replay.ts";
import type { SessionRecord } from "./sessions/session-record.ts";

export const ALARM_KINDS = ["block", "ask", "change"] as const;
export type AlarmKind = (typeof ALARM_KINDS)[number];

/** An objection of a hook to a call: a block, a question or a change. */
export interface Alarm {
  readonly hook: string;
  readonly kind: AlarmKind;
  /** The rule of a built-in guard; null for other hooks. */
  readonly rule: string | null;
  /** The part of the call that a built-in guard objects to; null for the whole call. */
  readonly part: string | null;
  readonly reason: string;
  /** True if the hook only observes, so that the call would have run. */
  readonly isObserved: boolean;
}

/** What the hooks would have done about a recorded call. */
export interface JudgedRecord {
  readonly decision: AlarmKind | null;
  /** The objections of hooks, in run order. */
  readonly alarms: readonly Alarm[];
  /** The new input of the tool as raw JSON; null if no hook changed the input. */
  readonly change: string | null;
  readonly isByDefaults: boolean;
}

const MOST_REMEMBERED = 200_000;
const SHORT = 200;

/** Judges calls; equal calls are judged once. A text is the reason why a call could not be judged. */
export function recordJudge({ judge }: Replay): (record: SessionRecord) => Promise<JudgedRecord | string> {
  const known = new Map<string, JudgedRecord>();
  return async (record) => {
    const { likeness, madeIn } = record;
    const whole = madeIn === null ? likeness : JSON.stringify([likeness, madeIn]);
    const key = whole.length <= SHORT ? whole : sha256Of(whole);
    const before = known.get(key);
    if (before !== undefined) return before;
    const recorded = record.recorded();
    if (recorded === null) return "its agent has no such event";
    const replayed = await judge({ ...record, ...recorded });
    if (replayed.kind === "unjudged") return explain(replayed.problem).summary;
    const { verdict, isByDefaults, isRepeatable } = replayed;
    const judged = {
      decision: decisionOf(verdict),
      alarms: alarmsIn(verdict),
      change: verdict.change,
      isByDefaults,
    };
    if (known.size >= MOST_REMEMBERED) known.clear();
    if (isRepeatable) known.set(key, judged);
    return judged;
  };
}

function decisionOf({ decision, change }: Verdict): AlarmKind | null {
  if (decision === "block" || decision === "halt") return "block";
  if (decision === "ask") return "ask";
  return change === null ? null : "change";
}

/** The members of a call's payload, or null if no hook could read the payload. */
export function membersOfRecord({ recorded, cwd }: SessionRecord) {
  const found = recorded();
  const payload = found === null ? null : readPayload(found.event, found.payload, cwd);
  return payload?.ok ? payload.value.members : null;
}

function alarmsIn({ steps, decision, decidedBy, reason }: Verdict): readonly Alarm[] {
  const alarms = steps.flatMap(alarmOf);
  const isExplained = decision === "continue" || alarms.some(({ hook }) => hook === decidedBy);
  if (isExplained || decidedBy === null) return alarms;
  // A fail-closed hook that failed has blocked without a response.
  const failed = { hook: decidedBy, rule: null, part: null, reason: reason ?? "", isObserved: false };
  return [...alarms, { ...failed, kind: decision === "ask" ? "ask" : "block" }];
}

function alarmOf({ hook, result, change }: Step): readonly Alarm[] {
  const response = result?.response.ok === true ? result.response.value : null;
  if (response === null) return [];
  const { decision, reason, metadata } = response;
  const isChange = change !== null || (hook.observe && response.change !== null);
  const kind = decision === "block" || decision === "ask" ? decision : isChange ? "change" : null;
  if (kind === null) return [];
  // A built-in guard names the rule and the part of the call in its metadata.
  const found = objectOr(hook.kind === "guard" && metadata !== null ? JSON.parse(metadata) : null);
  const [rule, part] = [stringOr(found.rule) || null, stringOr(found.part) || null];
  return [{ hook: hook.name, kind, rule, part, reason: reason ?? "", isObserved: hook.observe }];
}
