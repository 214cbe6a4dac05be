import { expect, test } from "vitest";
import { redactSecrets } from "../../../src/guards/redact/redact-secrets.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const cost = (text: string): number => cpuMs(() => redactSecrets(text));

export function testCost(pieces: readonly string[]): void {
  test.each(pieces)("eight times as much of %j takes about eight times as long", (piece) => {
    const ofSize = (bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length));
    // The square would be 64 times.
    expect(cost(ofSize(400_000))).toBeLessThan(24 * cost(ofSize(50_000)) + 50);
  });
}
