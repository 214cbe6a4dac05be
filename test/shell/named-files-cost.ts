import { expect, test } from "vitest";
import { PROJECT } from "../../src/shell/findings.ts";
import { namedFiles } from "../../src/shell/named-files.ts";
import { cpuMs } from "../support/cpu-time.ts";

export function testCost(units: readonly string[]): void {
  test.each(units)("eight times as much of %j takes no square of the time", (unit) => {
    const place = { folder: PROJECT, home: "/home/user" };
    const cost = (count: number): number => cpuMs(() => namedFiles(unit.repeat(count), place));
    // About 8 times as long; the square would be 64 times.
    expect(cost(400)).toBeLessThan(24 * cost(50) + 50);
  });
}
