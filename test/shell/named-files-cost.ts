import { test } from "vitest";
import { PROJECT } from "../../src/shell/findings.ts";
import { namedFiles } from "../../src/shell/named-files.ts";
import { cpuMs, expectGrowth } from "../support/cpu-time.ts";

export function testCost(units: readonly string[]): void {
  test.each(units)("eight times as much of %j takes no square of the time", (unit) => {
    const place = { folder: PROJECT, home: "/home/user" };
    const count = { small: 50, large: 400 };
    // About 8 times as long; the square would be 64 times.
    expectGrowth(24, (size) => cpuMs(() => namedFiles(unit.repeat(count[size]), place)));
  });
}
