import { test } from "vitest";
import { redactSecrets } from "../../src/redact/redact-secrets.ts";
import { cpuMs, expectGrowth } from "../support/cpu-time.ts";

export function testCost(pieces: readonly string[]): void {
  test.each(pieces)("eight times as much of %j takes about eight times as long", (piece) => {
    const ofSize = (bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length));
    const texts = { small: ofSize(50_000), large: ofSize(400_000) };
    // The square would be 64 times.
    expectGrowth(24, (size) => cpuMs(() => redactSecrets(texts[size])));
  });
}
