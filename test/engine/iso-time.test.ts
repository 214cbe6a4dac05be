import { expect, test } from "vitest";
import { isoTime } from "../../src/engine/iso-time.ts";

const times = [0, 1, 999, 951_782_400_000, 1_709_164_799_999, 1_763_700_546_012, 253_402_300_799_999];

test.each(times)("%d ms is written as Date writes it", (ms) => {
  expect(isoTime(ms)).toBe(new Date(ms).toISOString());
});
