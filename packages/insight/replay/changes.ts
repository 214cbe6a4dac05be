import type { AlarmKind, JudgedRecord } from "./judge-records.ts";
import { type CallPlace, habitOf } from "./tally.ts";

type Judged = Extract<JudgedRecord, { readonly kind: "judged" }>;

/** Calls of one form about which two revisions of the hooks decide differently. */
export interface DecisionChange {
  readonly before: AlarmKind | null;
  readonly after: AlarmKind | null;
  /** The hook that decides in one revision or both; the current one is preferred. */
  readonly hook: string | null;
  readonly habit: string;
  readonly count: number;
  readonly example: string;
  readonly place: CallPlace;
}

/** Collects the calls about which two revisions decide differently, in bounded memory. */
export interface Changes {
  readonly add: (before: Judged, after: Judged, call: { readonly shown: string; readonly place: CallPlace }) => void;
  readonly calls: () => number;
  /** The most frequent first. */
  readonly all: () => readonly DecisionChange[];
}

const MOST_CHANGES = 5_000;

export function collectChanges(redact: (text: string) => string): Changes {
  const changes = new Map<string, { -readonly [Key in keyof DecisionChange]: DecisionChange[Key] }>();
  let calls = 0;
  return {
    add: (before, after, { shown, place }) => {
      calls += 1;
      const alarm = [...after.alarms, ...before.alarms].find(({ isObserved }) => !isObserved);
      const habit = habitOf(redact(alarm?.part ?? shown));
      const change = { before: before.decision, after: after.decision, hook: alarm?.hook ?? null, habit };
      const key = JSON.stringify(change);
      const known = changes.get(key);
      if (known !== undefined) known.count += 1;
      else if (changes.size < MOST_CHANGES) changes.set(key, { ...change, count: 1, example: shown, place });
    },
    calls: () => calls,
    all: () => [...changes.values()].sort((a, b) => b.count - a.count),
  };
}

/** True if two revisions make the same decision and the same change. */
export const isSameDecision = (before: Judged, after: Judged): boolean =>
  before.decision === after.decision && before.change === after.change;
