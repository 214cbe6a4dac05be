import type { Share } from "./decision-look.ts";

/** A part of a row or of a column, in the unit of its frame. */
export interface Bar {
  readonly look: string;
  readonly start: number;
  readonly size: number;
}

/** Less cannot be seen. */
const LEAST = 0.8;

/**
 * Lays parts side by side so that they fill 100 exactly. A part that is not nothing can be seen; the largest gives up what
 * that takes.
 */
export function shareBars(shares: readonly Share[]): readonly Bar[] {
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [];
  const sizes = shares.map(({ count }) => (count === 0 ? 0 : Math.max(LEAST, (count / total) * 100)));
  const excess = sizes.reduce((sum, size) => sum + size, 0) - 100;
  const largest = sizes.indexOf(Math.max(...sizes));
  let start = 0;
  return shares.flatMap(({ look, count }, at) => {
    if (count === 0) return [];
    const size = (sizes[at] ?? 0) - (at === largest ? excess : 0);
    start += size;
    return [{ look, start: start - size, size }];
  });
}

/** Stacks parts from the bottom up in a frame of `height`, where `most` fills it. A column with a run can be seen. */
export function stackedBars(shares: readonly Share[], most: number, height: number): readonly Bar[] {
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [];
  const whole = Math.min(height, Math.max(1.5, (total / most) * height));
  let top = height;
  return shares.flatMap(({ look, count }) => {
    if (count === 0) return [];
    const size = (count / total) * whole;
    top -= size;
    return [{ look, start: Math.max(0, top), size }];
  });
}

/** The next of 1, 2, 3, 4, 5, 6, 8, 10, 20 … that is not below the number: the top of an axis. */
export function axisTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return ([1, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= most) ?? 10) * power;
}

/** A span of a run as percent of the run; always inside, and wide enough to be seen. */
export function spanBar(startMs: number, durationMs: number, wholeMs: number): Omit<Bar, "look"> {
  if (!(wholeMs > 0)) return { start: 0, size: 100 };
  const start = clamp((startMs / wholeMs) * 100, 0, 100 - LEAST / 2);
  return { start, size: clamp((durationMs / wholeMs) * 100, LEAST / 2, 100 - start) };
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** For an attribute: two digits are a fifth of a pixel. */
export const coordinate = (value: number): string => String(Number(value.toFixed(2)));
