import type { VerdictDecision } from "../../../src/protocol/verdict.ts";
import { zeros } from "./hook-totals.ts";

/** A decision as the record has it; `other`: one that this version does not know. */
export type RunDecision = VerdictDecision | "other";
export const RUN_DECISIONS: readonly RunDecision[] = ["continue", "other", "ask", "halt", "block"];

export type DecisionCounts = Record<RunDecision, number>;
export const noDecisions = (): DecisionCounts => zeros(RUN_DECISIONS);

/** Runs by time, in at most `MOST_BUCKETS` buckets: they widen as the covered time grows. */
export interface TimeCounts {
  widthMinutes: number;
  /** Number of the bucket since the Monday before 1970 -> its runs. */
  byBucket: Map<number, DecisionCounts>;
  first: number;
  last: number;
}

export const MOST_BUCKETS = 96;
/** Fewer would be planks: the time before the first run fills up. */
const LEAST_BUCKETS = 24;
/** Each is a multiple of the one before; beyond the last, widths are multiplied by four. */
const WIDTHS = [1, 5, 15, 60, 180, 720, 1440, 10_080];
const MINUTE_MS = 60_000;
/** 1970 began on a Thursday, and weeks begin on Monday. */
const SHIFT_MS = 3 * 86_400_000;

export const noTimes = (): TimeCounts => ({
  widthMinutes: 1,
  byBucket: new Map(),
  first: Number.POSITIVE_INFINITY,
  last: Number.NEGATIVE_INFINITY,
});

export function addTimedRun(times: TimeCounts, ms: number, decision: RunDecision): void {
  const wallMs = wallClockMs(ms) + SHIFT_MS;
  for (;;) {
    const bucket = Math.floor(wallMs / (times.widthMinutes * MINUTE_MS));
    const [first, last] = [Math.min(times.first, bucket), Math.max(times.last, bucket)];
    if (last - first >= MOST_BUCKETS) widen(times);
    else {
      countsIn(times.byBucket, bucket)[decision] += 1;
      times.first = first;
      times.last = last;
      return;
    }
  }
}

function countsIn(byBucket: TimeCounts["byBucket"], bucket: number): DecisionCounts {
  const counts = byBucket.get(bucket) ?? noDecisions();
  byBucket.set(bucket, counts);
  return counts;
}

function widen(times: TimeCounts): void {
  const wider = WIDTHS.find((width) => width > times.widthMinutes) ?? times.widthMinutes * 4;
  const factor = wider / times.widthMinutes;
  const merged: TimeCounts["byBucket"] = new Map();
  for (const [bucket, counts] of times.byBucket) {
    const sum = countsIn(merged, Math.floor(bucket / factor));
    for (const decision of RUN_DECISIONS) sum[decision] += counts[decision];
  }
  times.byBucket = merged;
  times.widthMinutes = wider;
  times.first = Math.floor(times.first / factor);
  times.last = Math.floor(times.last / factor);
}

/** All buckets from the first to the last run, of equal width and without gaps; runs without a time are in none. */
export function timelineOf({ widthMinutes, byBucket, first, last }: TimeCounts) {
  const begin = Math.min(first, last - LEAST_BUCKETS + 1);
  const bucketAt = (bucket: number) => ({
    start: localTimeOnWall(bucket * widthMinutes * MINUTE_MS - SHIFT_MS),
    decisions: byBucket.get(bucket) ?? noDecisions(),
  });
  const count = byBucket.size === 0 ? 0 : last - begin + 1;
  return { bucket_minutes: widthMinutes, buckets: Array.from({ length: count }, (_, at) => bucketAt(begin + at)) };
}

/** Milliseconds of the local calendar, in which every day has 24 hours. */
const wallClockMs = (ms: number): number => ms - new Date(ms).getTimezoneOffset() * MINUTE_MS;

/** `2026-11-22T14:02:11+01:00` */
export const localTime = (ms: number): string => isoText(wallClockMs(ms), -new Date(ms).getTimezoneOffset());

function localTimeOnWall(wallMs: number): string {
  const wall = new Date(wallMs);
  const day = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()] as const;
  return isoText(wallMs, -new Date(...day, wall.getUTCHours(), wall.getUTCMinutes()).getTimezoneOffset());
}

function isoText(wallMs: number, offsetMinutes: number): string {
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
  const offset = [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":");
  return `${new Date(wallMs).toISOString().slice(0, 19)}${offsetMinutes < 0 ? "-" : "+"}${offset}`;
}

const LAST_MS = Date.UTC(9999, 0, 1);

/** A time with a year of four digits; anything else in a record was written by a broken clock. */
export const plausibleMs = (ms: number | null): number | null => (ms !== null && ms >= 0 && ms < LAST_MS ? ms : null);

/** The local time; null without a plausible time. */
export function localTimeOrNull(ms: number | null): string | null {
  const plausible = plausibleMs(ms);
  return plausible === null ? null : localTime(plausible);
}
