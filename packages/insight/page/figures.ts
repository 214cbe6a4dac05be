import { groupDigits, pluralize } from "../../../src/protocol/text/count.ts";
import { truncate } from "../../../src/protocol/text/text.ts";

export const NAME_LIMIT = 80;

/** A text from outside on one line. It is cut before it is escaped, so that a long text costs nothing. */
export const clip = (text: string, limit: number): string =>
  truncate(
    text
      .trim()
      .slice(0, limit * 2)
      .replaceAll(/[\t\r\n]+/g, " "),
    limit,
  );

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Milliseconds without a unit: `0.4`, `12`, `1,204`. */
export const msText = (ms: number): string => (ms < 9.95 ? ms.toFixed(1) : groupDigits(Math.round(ms)));

/** `1.2 %`; a share that is neither nothing nor everything is never rounded to either. */
export function shareText(part: number, whole: number): string {
  if (part === 0 || whole === 0) return "0 %";
  if (part === whole) return "100 %";
  const percent = (part / whole) * 100;
  if (percent < 0.1) return "<0.1 %";
  return percent > 99.9 ? ">99.9 %" : `${Number(percent.toFixed(1))} %`;
}

/** `22 Nov`. Times are local: `2026-11-22T14:02:11+01:00`. */
export const dayText = (time: string): string =>
  `${Number(time.slice(8, 10))} ${MONTHS[Number(time.slice(5, 7)) - 1] ?? ""}`;

/** `22 Nov 2026`. */
export const dateText = (time: string): string => `${dayText(time)} ${time.slice(0, 4)}`;

/** `14:02`. */
export const clockText = (time: string): string => time.slice(11, 16);

export const momentText = (time: string): string => `${dayText(time)}, ${clockText(time)}`;

/** `15 – 22 Nov 2026`, or the hours of a single day. */
export function periodText(first: string, last: string): string {
  if (first.slice(0, 10) !== last.slice(0, 10)) return `${dateRange(first, last)} ${last.slice(0, 4)}`;
  const [from, to] = [clockText(first), clockText(last)];
  return `${dateText(first)}, ${from === to ? from : `${from} – ${to}`}`;
}

function dateRange(first: string, last: string): string {
  if (first.slice(0, 4) !== last.slice(0, 4)) return `${dateText(first)} – ${dayText(last)}`;
  if (first.slice(0, 7) !== last.slice(0, 7)) return `${dayText(first)} – ${dayText(last)}`;
  return `${Number(first.slice(8, 10))} – ${dayText(last)}`;
}

const UNITS: readonly (readonly [string, number])[] = [
  ["week", 10_080],
  ["day", 1440],
  ["hour", 60],
];

/** `minute`, `5 minutes`, `hour`, `day`, `week`. */
export function widthText(minutes: number): string {
  const [unit, size] = UNITS.find(([, length]) => minutes % length === 0) ?? ["minute", 1];
  const count = minutes / size;
  return count === 1 ? unit : pluralize(count, unit);
}

/** One part of a bar and its class, before the bar is laid out. */
export interface Share {
  readonly look: string;
  readonly count: number;
}

/** A part of a row or of a column, in the unit of its frame. */
interface Bar {
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
