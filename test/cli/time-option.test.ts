import { describe, expect, test } from "vitest";
import { readTime } from "../../src/cli/time-option.ts";

const NOW = new Date(2026, 10, 22, 14, 3, 30).getTime();
const MINUTE = 60_000;
const local = (...parts: [number, number, number, number?, number?, number?]): number => new Date(...parts).getTime();

const spanOf = (text: string) => {
  const read = readTime(text);
  return read.ok ? read.value(NOW) : read.error;
};

test.each([
  ["30m", NOW - 30 * MINUTE, NOW - 30 * MINUTE],
  ["90s", NOW - 90_000, NOW - 90_000],
  ["2d", NOW - 2 * 24 * 60 * MINUTE, NOW - 2 * 24 * 60 * MINUTE],
  ["1w", NOW - 7 * 24 * 60 * MINUTE, NOW - 7 * 24 * 60 * MINUTE],
  ["today", local(2026, 10, 22), local(2026, 10, 23) - 1],
  ["yesterday", local(2026, 10, 21), local(2026, 10, 22) - 1],
  ["09:15", local(2026, 10, 22, 9, 15), local(2026, 10, 22, 9, 16) - 1],
  ["09:15:20", local(2026, 10, 22, 9, 15, 20), local(2026, 10, 22, 9, 15, 21) - 1],
  ["2026-02-28", local(2026, 1, 28), local(2026, 2, 1) - 1],
  ["2026-11-20T14:03", local(2026, 10, 20, 14, 3), local(2026, 10, 20, 14, 4) - 1],
  ["2026-11-20 14:03:05", local(2026, 10, 20, 14, 3, 5), local(2026, 10, 20, 14, 3, 6) - 1],
  ["2026-11-20T14:03:05.250Z", Date.UTC(2026, 10, 20, 14, 3, 5, 250), Date.UTC(2026, 10, 20, 14, 3, 5, 250)],
  ["2026-11-20T14:03+02:00", Date.UTC(2026, 10, 20, 12, 3), Date.UTC(2026, 10, 20, 12, 4) - 1],
])("%s", (text, startMs, endMs) => expect(spanOf(text)).toEqual({ startMs, endMs }));

describe("no time", () => {
  test.each([
    "",
    "5",
    "5 m",
    "-5m",
    "tomorrow",
    "2026-02-30",
    "2026-13-01",
    "24:00",
    "12:60",
    "2026-11-20T25:00",
    "x\u001b[2J",
  ])("%j", (text) => expect(spanOf(text)).toContain("it must be a duration (30m, 2d)"));
});
