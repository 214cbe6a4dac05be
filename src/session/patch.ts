import type { StatePatch } from "../protocol/reply.ts";

/** A session's shared values: key -> raw JSON, so that every digit stays. */
export type Values = ReadonlyMap<string, string>;

export interface Patched {
  readonly values: Values;
  /** Keys that could not be counted up: they hold something else than a number, or the sum is none. */
  readonly notCounted: readonly string[];
}

/** What a patch makes of the values: first what it sets, then what it deletes, then what it counts up. */
export function patched(before: Values, { set, remove, increment }: StatePatch): Patched {
  const values = new Map([...before, ...set]);
  for (const key of remove) values.delete(key);
  const notCounted: string[] = [];
  for (const [key, by] of increment) {
    const sum = sumOf(values.get(key) ?? "0", by);
    if (sum === null) notCounted.push(key);
    else values.set(key, sum);
  }
  return { values, notCounted };
}

/** Longer ones would take long to add. */
const WHOLE = /^-?\d{1,400}$/;
const NUMBER = /^-?\d/;

/** The sum of two JSON numbers; whole ones keep every digit. Null: one is no number, or the sum is beyond them. */
function sumOf(a: string, b: string): string | null {
  if (WHOLE.test(a) && WHOLE.test(b)) return String(BigInt(a) + BigInt(b));
  const sum = NUMBER.test(a) && NUMBER.test(b) ? Number(a) + Number(b) : Number.NaN;
  return Number.isFinite(sum) ? JSON.stringify(sum) : null;
}
