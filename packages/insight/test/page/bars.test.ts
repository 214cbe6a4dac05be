import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { axisTop, type Share, shareBars, spanBar, stackedBars } from "../../page/figures.ts";

const anyShares: fc.Arbitrary<readonly Share[]> = fc.array(
  fc.record({ look: fc.constantFrom("block", "ask", "continue"), count: fc.nat({ max: 1_000_000 }) }),
  { maxLength: 6 },
);
const total = (shares: readonly Share[]): number => shares.reduce((sum, { count }) => sum + count, 0);
const sizes = (bars: readonly { readonly size: number }[]): number => bars.reduce((sum, { size }) => sum + size, 0);

describe("parts of a row", () => {
  test("fill it exactly, one after another, and each that is not nothing can be seen", () => {
    fc.assert(
      fc.property(anyShares, (shares) => {
        const bars = shareBars(shares);
        expect(bars.map(({ look }) => look)).toEqual(shares.filter(({ count }) => count > 0).map(({ look }) => look));
        if (bars.length === 0) return;
        expect(sizes(bars)).toBeCloseTo(100, 6);
        let end = 0;
        for (const { start, size } of bars) {
          expect(start).toBeCloseTo(end, 6);
          expect(size).toBeGreaterThan(0.79);
          end = start + size;
        }
      }),
      propertyRuns(1000),
    );
  });

  test("have their share of the width", () => {
    const counts = [1, 2, 5].map((count) => ({ look: "x", count }));
    expect(shareBars(counts).map(({ size }) => size)).toEqual([12.5, 25, 62.5]);
  });
});

describe("a column", () => {
  test("stays in its frame and is as high as its runs, from the ground up", () => {
    fc.assert(
      fc.property(anyShares, fc.nat({ max: 1_000_000 }), (shares, more) => {
        const most = axisTop(total(shares) + more);
        const bars = stackedBars(shares, most, 132);
        if (total(shares) === 0) return void expect(bars).toEqual([]);
        expect(sizes(bars)).toBeCloseTo(Math.max(1.5, (total(shares) / most) * 132), 6);
        let bottom = 132;
        for (const { start, size } of bars) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(start + size).toBeCloseTo(bottom, 6);
          bottom = start;
        }
      }),
      propertyRuns(1000),
    );
  });
});

test("the top of an axis is a whole number, not below the most and not far above", () => {
  fc.assert(
    fc.property(fc.nat({ max: 10_000_000 }), (most) => {
      const top = axisTop(most);
      expect(Number.isInteger(top)).toBe(true);
      expect(top).toBeGreaterThanOrEqual(most);
      expect(top).toBeLessThanOrEqual(Math.max(1, most * 2));
    }),
    propertyRuns(1000),
  );
});

test("a span is inside the frame of its run, whatever was recorded", () => {
  const anyMs = fc.double({ min: 0, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(anyMs, anyMs, anyMs, (start, duration, whole) => {
      const bar = spanBar(start, duration, whole);
      expect(bar.start).toBeGreaterThanOrEqual(0);
      expect(bar.size).toBeGreaterThanOrEqual(0.4);
      expect(bar.start + bar.size).toBeLessThanOrEqual(100 + 1e-9);
    }),
    propertyRuns(2000),
  );
  expect(spanBar(10, 20, 40)).toEqual({ start: 25, size: 50 });
});
