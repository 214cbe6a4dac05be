import { sha256Of } from "../fs/hash.ts";
import { readPayload } from "../protocol/payload/payload.ts";
import type { Problem } from "../protocol/problem.ts";
import type { Verdict } from "../protocol/verdict.ts";
import { type Alarm, type AlarmKind, alarmsIn } from "./alarms.ts";
import type { Replay } from "./open-replay.ts";
import type { SessionRecord } from "./sessions/session-record.ts";

/** What hooks make of a call of a session file. */
export type JudgedRecord =
  | {
      readonly kind: "judged";
      readonly decision: AlarmKind | null;
      readonly alarms: readonly Alarm[];
      /** The new input of the tool as raw JSON; null: it is as it was. */
      readonly change: string | null;
      readonly isByDefaults: boolean;
    }
  | { readonly kind: "unjudged"; readonly problem: Problem | null };

const MOST_REMEMBERED = 200_000;
const SHORT = 200;

/** Judges calls, those that are alike only once. */
export function recordJudge({ judge }: Replay): (record: SessionRecord) => Promise<JudgedRecord> {
  const known = new Map<string, JudgedRecord>();
  return async (record) => {
    const { likeness, madeIn } = record;
    const whole = madeIn === null ? likeness : JSON.stringify([likeness, madeIn]);
    const key = whole.length <= SHORT ? whole : sha256Of(whole);
    const before = known.get(key);
    if (before !== undefined) return before;
    const recorded = record.recorded();
    if (recorded === null) return { kind: "unjudged", problem: null };
    const replayed = await judge({ ...record, ...recorded, before: null });
    if (replayed.kind === "unjudged") return replayed;
    const judged: JudgedRecord = {
      kind: "judged",
      decision: decisionOf(replayed.verdict),
      alarms: alarmsIn(replayed.verdict),
      change: replayed.verdict.change,
      isByDefaults: replayed.isByDefaults,
    };
    if (known.size >= MOST_REMEMBERED) known.clear();
    if (replayed.isRepeatable) known.set(key, judged);
    return judged;
  };
}

function decisionOf({ decision, change }: Verdict): AlarmKind | null {
  if (decision === "block" || decision === "halt") return "block";
  if (decision === "ask") return "ask";
  return change === null ? null : "change";
}

/** The members of a call's payload; null: it has none that a hook could read. */
export function membersOfRecord({ recorded, cwd }: SessionRecord) {
  const found = recorded();
  const payload = found === null ? null : readPayload(found.event, found.payload, cwd);
  return payload?.ok ? payload.value.members : null;
}
