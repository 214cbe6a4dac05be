import type { LocalTime } from "../../report/page/report-data.ts";

const MINUTE_MS = 60_000;

/** Milliseconds of the local calendar, in which every day has 24 hours. */
export const wallClockMs = (ms: number): number => ms - new Date(ms).getTimezoneOffset() * MINUTE_MS;

/** `2026-11-22T14:02:11+01:00` */
export const localTime = (ms: number): LocalTime => isoText(wallClockMs(ms), -new Date(ms).getTimezoneOffset());

/** The ISO time of such milliseconds. */
export function localTimeOnWall(wallMs: number): LocalTime {
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
