import fc from "fast-check";
import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "../../src/protocol/text/units.ts";

test.each([
  ["500ms", 500],
  ["5s", 5_000],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["1.5s", 1_500],
  ["0.25s", 250],
  ["1ms", 1],
  ["24h", 86_400_000],
])("%s is %i milliseconds", (text, ms) => {
  expect(parseDuration(text)).toEqual({ ok: true, value: ms });
});

test.each([
  "",
  "30",
  "s",
  "5 s",
  " 5s",
  "5s ",
  "5S",
  "-5s",
  "+5s",
  "1e3s",
  ".5s",
  "5.s",
  "5w",
  "5sec",
  "٥s",
  "1.2345s",
  "5s\n",
])("%j is not a duration: it carries a number and a unit", (text) =>
  expect(parseDuration(text)).toEqual({ ok: false, error: expect.stringContaining("unit") }),
);

test.each(["0s", "0ms", "0.4ms", "24.001h", "25h", "999999999h", "86400001ms"])("%s is out of range", (text) => {
  expect(parseDuration(text)).toEqual({ ok: false, error: expect.stringContaining("between") });
});

test("whole milliseconds up to a day are read as they are", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 86_400_000 }), (ms) => {
      expect(parseDuration(`${ms}ms`)).toEqual({ ok: true, value: ms });
    }),
  );
});

test("no text makes the reader throw, and what it reads lies between 1ms and 24h", () => {
  const near = fc.stringMatching(/^[0-9.]{0,6}(ms|s|m|h|x)?$/);
  fc.assert(
    fc.property(fc.oneof(fc.string(), near), (text) => {
      const read = parseDuration(text);
      if (read.ok) expect(read.value >= 1 && read.value <= 86_400_000 && Number.isInteger(read.value)).toBe(true);
    }),
  );
});

test.each([
  [250, "250 ms"],
  [3_000, "3 s"],
  [1_540, "1.5 s"],
  [90_000, "1.5 min"],
  [0, "0 ms"],
])("%i ms is told as %s", (ms, text) => expect(formatDuration(ms)).toBe(text));
