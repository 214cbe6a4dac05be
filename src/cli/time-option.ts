import { fail, ok, type Result } from "../protocol/result.ts";

/** The moments that a typed time stands for, from the first to the last: a date is a whole day. */
export interface TimeSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** A time as it was typed; what it stands for may depend on the present. */
export type TimeOption = (nowMs: number) => TimeSpan;

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const AGO = /^(\d{1,6})([smhdw])$/;
const CLOCK = /^(\d\d):(\d\d)(?::(\d\d))?$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)(?:(:\d\d)(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;
const DETAIL = "it must be a duration (30m, 2d), date (2026-11-20), time (14:03, 2026-11-20T14:03), today or yesterday";

/** Reads `30m`, `2d`, `today`, `14:03`, `2026-11-20` or an ISO time. Without a zone a time is local. */
export function readTime(text: string): Result<TimeOption, string> {
  const time = durationIn(text) ?? dayIn(text) ?? clockIn(text) ?? dateIn(text);
  return time === null ? fail(DETAIL) : ok(time);
}

function durationIn(text: string): TimeOption | null {
  const [, count, unit] = AGO.exec(text) ?? [];
  if (count === undefined) return null;
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return (nowMs) => ({ startMs: nowMs - ms, endMs: nowMs - ms });
}

function dayIn(text: string): TimeOption | null {
  const daysAgo = ["today", "yesterday"].indexOf(text);
  if (daysAgo < 0) return null;
  return (nowMs) => {
    const now = new Date(nowMs);
    return daySpan(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
  };
}

/** Midnight to midnight; a day may have 23 or 25 hours. */
const daySpan = (year: number, month: number, day: number): TimeSpan => ({
  startMs: new Date(year, month, day).getTime(),
  endMs: new Date(year, month, day + 1).getTime() - 1,
});

function clockIn(text: string): TimeOption | null {
  const [match, hours, minutes, seconds] = CLOCK.exec(text) ?? [];
  if (match === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59) return null;
  const lengthMs = seconds === undefined ? UNIT_MS.m : UNIT_MS.s;
  return (nowMs) => {
    const startMs = new Date(nowMs).setHours(Number(hours), Number(minutes), Number(seconds ?? 0), 0);
    return { startMs, endMs: startMs + lengthMs - 1 };
  };
}

function dateIn(text: string): TimeOption | null {
  const [match, year, month, day, clock, seconds, fraction, zone = ""] = DATE.exec(text) ?? [];
  if (match === undefined || !isDate(Number(year), Number(month), Number(day))) return null;
  if (clock === undefined) {
    const span = daySpan(Number(year), Number(month) - 1, Number(day));
    return () => span;
  }
  const startMs = Date.parse(`${year}-${month}-${day}T${clock}${seconds ?? ":00"}${fraction ?? ""}${zone}`);
  const lengthMs = seconds === undefined ? UNIT_MS.m : fraction === undefined ? UNIT_MS.s : 1;
  return Number.isNaN(startMs) ? null : () => ({ startMs, endMs: startMs + lengthMs - 1 });
}

/** The 31st of February is none. */
const isDate = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
};
