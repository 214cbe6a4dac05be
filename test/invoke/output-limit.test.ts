import fc from "fast-check";
import { expect, test } from "vitest";
import { outputLimit } from "../../src/invoke/hook-result.ts";

test("a hook may print at least four times its payload, however many bytes its characters have", () => {
  const payload = fc
    .tuple(fc.constantFrom("a", "é", "€", "😀"), fc.integer({ min: 0, max: 2_000_000 }))
    .map(([char, count]) => char.repeat(count));
  fc.assert(
    fc.property(payload, (text) => {
      expect(outputLimit({ outputLimit: null }, [text])).toBe(Math.max(4 * 1024 * 1024, 4 * Buffer.byteLength(text)));
    }),
    { numRuns: 50 },
  );
});

test("a limit of its own counts instead", () => {
  expect(outputLimit({ outputLimit: 10 }, ["a".repeat(100)])).toBe(10);
});
