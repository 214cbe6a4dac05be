import { expect } from "vitest";

/** Processor time of this process in ms, the least of three tries: other programs that keep the machine busy do not count. */
export const cpuMs = (work: () => void): number => Math.min(...[1, 2, 3].map(() => cpuMsOnce(work)));

function cpuMsOnce(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return cpuMsSince(before);
}

/**
 * That the large work takes at most `times` what the small one takes; 50 ms are left to the engine, which compiles and
 * collects when it likes. Measured again while it does not hold: a busy machine disturbs a round, a square shows in each.
 */
export function expectGrowth(times: number, costOf: (size: "small" | "large") => number): void {
  const rounds = Array.from({ length: 5 }, () => () => costOf("large") - (times * costOf("small") + 50));
  expect(rounds.some((excessMs) => excessMs() < 0)).toBe(true);
}

/** For work that is waited for: `before` is `process.cpuUsage()`. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
