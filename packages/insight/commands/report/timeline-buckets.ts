import type { Bucket, LocalTime, RunDecision, Timeline } from "../../page/report-data.ts";

export type Counts = Record<RunDecision, number>;
export const noCounts = (): Counts => ({ continue: 0, other: 0, ask: 0, halt: 0, block: 0 });

/** Runs by time, in at most `MOST_BUCKETS` buckets: they widen as the covered time grows. */
export interface TimeCounts {
  widthMinutes: number;
  /** Number of the bucket since the Monday before 1970 -> its runs. */
  byBucket: Map<number, Counts>;
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
  const bucketNow = (): number => Math.floor(wallMs / (times.widthMinutes * MINUTE_MS));
  while (spanWith(times, bucketNow()) > MOST_BUCKETS) widen(times);
  const bucket = bucketNow();
  const counts = times.byBucket.get(bucket) ?? noCounts();
  counts[decision] += 1;
  times.byBucket.set(bucket, counts);
  times.first = Math.min(times.first, bucket);
  times.last = Math.max(times.last, bucket);
}

const spanWith = ({ first, last }: TimeCounts, bucket: number): number =>
  Math.max(last, bucket) - Math.min(first, bucket) + 1;

function widen(times: TimeCounts): void {
  const wider = WIDTHS.find((width) => width > times.widthMinutes) ?? times.widthMinutes * 4;
  const factor = wider / times.widthMinutes;
  const merged = new Map<number, Counts>();
  for (const [bucket, counts] of times.byBucket) {
    const sum = merged.get(Math.floor(bucket / factor)) ?? noCounts();
    for (const [decision, count] of Object.entries(counts)) sum[decision as RunDecision] += count;
    merged.set(Math.floor(bucket / factor), sum);
  }
  times.byBucket = merged;
  times.widthMinutes = wider;
  times.first = Math.floor(times.first / factor);
  times.last = Math.floor(times.last / factor);
}

/** All buckets from the first to the last run, including empty ones. */
export function timelineOf({ widthMinutes, byBucket, first, last }: TimeCounts): Timeline {
  if (byBucket.size === 0) return { bucket_minutes: widthMinutes, buckets: [] };
  const begin = Math.min(first, last - LEAST_BUCKETS + 1);
  const bucketAt = (bucket: number): Bucket => ({
    start: localTimeOnWall(bucket * widthMinutes * MINUTE_MS - SHIFT_MS),
    decisions: byBucket.get(bucket) ?? noCounts(),
  });
  return {
    bucket_minutes: widthMinutes,
    buckets: Array.from({ length: last - begin + 1 }, (_, at) => bucketAt(begin + at)),
  };
}

/** Milliseconds of the local calendar, in which every day has 24 hours. */
const wallClockMs = (ms: number): number => ms - new Date(ms).getTimezoneOffset() * MINUTE_MS;

/** `2026-11-22T14:02:11+01:00` */
export const localTime = (ms: number): LocalTime => isoText(wallClockMs(ms), -new Date(ms).getTimezoneOffset());

/** The ISO time of such milliseconds. */
function localTimeOnWall(wallMs: number): LocalTime {
  const wall = new Date(wallMs);
  const day = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()] as const;
  return isoText(wallMs, -new Date(...day, wall.getUTCHours(), wall.getUTCMinutes()).getTimezoneOffset());
}

function isoText(wallMs: number, offsetMinutes: number): LocalTime {
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
  const offset = [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":");
  return `${new Date(wallMs).toISOString().slice(0, 19)}${offsetMinutes < 0 ? "-" : "+"}${offset}`;
}

const FIRST_MS = 0;
const LAST_MS = Date.UTC(9999, 0, 1);

/** A time with a year of four digits; anything else in a record was written by a broken clock. */
export const plausibleMs = (ms: number | null): number | null =>
  ms !== null && ms >= FIRST_MS && ms < LAST_MS ? ms : null;

const LONGEST_MS = 1e9;
/** A duration that can be added up and drawn: no run takes twelve days. */
export const plausibleDuration = (ms: number): number => Math.min(LONGEST_MS, Math.max(0, ms));
