import fc from "fast-check";
import { expect, test } from "vitest";
import { isoTimeOf } from "../../src/audit/run-stamp.ts";

const LAST_YEAR_MS = Date.parse("9999-12-31T23:59:59.999Z");
const FIRST_MS = 0;

test("is what a Date says", () => {
  fc.assert(
    fc.property(fc.integer({ min: FIRST_MS, max: LAST_YEAR_MS }), (ms) => {
      expect(isoTimeOf(ms)).toBe(new Date(ms).toISOString());
    }),
  );
});

test.each([FIRST_MS, LAST_YEAR_MS, Date.parse("2000-02-29"), Date.parse("2024-12-31"), 1.5e12 + 0.75])(
  "is what a Date says at %d",
  (ms) => {
    expect(isoTimeOf(ms)).toBe(new Date(ms).toISOString());
  },
);
