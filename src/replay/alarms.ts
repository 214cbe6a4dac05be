import { isObject, stringOr } from "../protocol/json/read.ts";
import type { Step, Verdict } from "../protocol/verdict.ts";

export const ALARM_KINDS = ["block", "ask", "change"] as const;
export type AlarmKind = (typeof ALARM_KINDS)[number];

/** What a hook would have done to a call beside letting it pass. */
export interface Alarm {
  readonly hook: string;
  readonly kind: AlarmKind;
  /** The rule of a built-in guard; null: of another hook. */
  readonly rule: string | null;
  /** The part of the call that a built-in guard objects to; null: the call as a whole. */
  readonly part: string | null;
  readonly reason: string;
  /** True if the hook only observes, so that the call would have run. */
  readonly isObserved: boolean;
}

/** What the hooks would have done to a call, in run order. */
export function alarmsIn({ steps, decision, decidedBy, reason }: Verdict): readonly Alarm[] {
  const alarms = steps.flatMap(alarmOf);
  const isExplained = decision === "continue" || alarms.some(({ hook }) => hook === decidedBy);
  if (isExplained || decidedBy === null) return alarms;
  // A fail-closed hook that failed has blocked without a word of its own.
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
  const found = hook.kind === "guard" ? findingIn(metadata) : { rule: null, part: null };
  return [{ hook: hook.name, kind, ...found, reason: reason ?? "", isObserved: hook.observe }];
}

/** A built-in guard says in its metadata which rule found what. */
function findingIn(metadata: string | null): Pick<Alarm, "rule" | "part"> {
  const value: unknown = metadata === null ? null : JSON.parse(metadata);
  const { rule, part } = isObject(value) ? value : {};
  return { rule: stringOr(rule) || null, part: stringOr(part) || null };
}
