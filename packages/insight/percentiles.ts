/**
 * The distribution of many times in little memory. Times up to 12.8 ms are exact to 0.1 ms, longer ones are counted in
 * 64 equal steps from each power of two to the next, so a percentile is off by at most 0.8 %.
 */
export interface Histogram {
  /** Index of a step -> how many times are in it. */
  readonly steps: Map<number, number>;
  count: number;
  maxMs: number;
}

const UNITS_PER_MS = 10;
const STEPS = 64;
const EXACT = 2 * STEPS;

export const emptyHistogram = (): Histogram => ({ steps: new Map(), count: 0, maxMs: 0 });

export function addTime(histogram: Histogram, ms: number): void {
  const step = stepOf(Math.max(0, Math.round(ms * UNITS_PER_MS)));
  histogram.steps.set(step, (histogram.steps.get(step) ?? 0) + 1);
  histogram.count += 1;
  histogram.maxMs = Math.max(histogram.maxMs, ms);
}

/** The shortest time that at least this percentage of all times does not exceed (nearest rank). Null: there are no times. */
export function percentile({ steps, count, maxMs }: Histogram, percent: number): number | null {
  const rank = Math.ceil((percent / 100) * count);
  let passed = 0;
  for (const step of [...steps.keys()].sort((a, b) => a - b)) {
    passed += steps.get(step) ?? 0;
    if (passed >= rank) return Math.min(maxMs, middleOf(step) / UNITS_PER_MS);
  }
  return null;
}

function stepOf(units: number): number {
  if (units < EXACT) return units;
  const doublings = Math.floor(Math.log2(units)) - Math.log2(STEPS);
  return doublings * STEPS + Math.floor(units / 2 ** doublings);
}

function middleOf(step: number): number {
  if (step < EXACT) return step;
  const doublings = Math.floor(step / STEPS) - 1;
  const width = 2 ** doublings;
  return (step - doublings * STEPS) * width + (width - 1) / 2;
}
