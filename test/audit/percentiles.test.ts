import fc from "fast-check";
import { expect, test } from "vitest";
import { addTime, emptyHistogram, percentile } from "../../packages/insight/totals/hook-totals.ts";

const histogramOf = (times: readonly number[]) => {
  const histogram = emptyHistogram();
  for (const ms of times) addTime(histogram, ms);
  return histogram;
};

/** By the definition of the nearest rank. */
const exact = (times: readonly number[], percent: number): number =>
  [...times].sort((a, b) => a - b)[Math.ceil((percent / 100) * times.length) - 1] ?? Number.NaN;

test("a percentile is within one percent of the exact one", () => {
  const tenths = fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 864_000_000 }));
  const times = fc.array(
    tenths.map((units) => units / 10),
    { minLength: 1, maxLength: 300 },
  );
  fc.assert(
    fc.property(times, fc.constantFrom(50, 90, 95, 99, 100), (all, percent) => {
      const expected = exact(all, percent);
      expect(Math.abs((percentile(histogramOf(all), percent) ?? Number.NaN) - expected)).toBeLessThanOrEqual(
        expected <= 12.8 ? 0 : expected * 0.01,
      );
    }),
  );
});

test("short times are exact, and no percentile exceeds the longest time", () => {
  const histogram = histogramOf([0, 0.1, 7, 12.7, 60_001]);
  expect([1, 20, 40, 60, 80, 99].map((percent) => percentile(histogram, percent))).toEqual([
    0, 0, 0.1, 7, 12.7, 60_001,
  ]);
});

test("without times there is no percentile", () => {
  expect(percentile(emptyHistogram(), 50)).toBeNull();
});

test("a million times take no more memory than some thousand", () => {
  const histogram = emptyHistogram();
  for (let index = 0; index < 1_000_000; index++) addTime(histogram, index / 3);
  expect(histogram.count).toBe(1_000_000);
  expect(histogram.steps.size).toBeLessThan(1100);
});
