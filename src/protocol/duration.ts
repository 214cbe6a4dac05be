import { fail, ok, type Result } from "./result.ts";

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/;
/** For other readers than ours, such as a JSON Schema. */
export const DURATION_PATTERN = DURATION.source;
const LONGEST_MS = 24 * UNIT_MS.h;

/** `500ms`, `5s`, `2m`, `1h` -> milliseconds. A bare number is refused: 30 of what? */
export function readDuration(text: string): Result<number, string> {
  const match = DURATION.exec(text);
  if (match === null) return fail("a duration carries a unit: 500ms, 5s, 2m");
  const ms = Math.round(Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]);
  if (ms < 1 || ms > LONGEST_MS) return fail("a duration lies between 1ms and 24h");
  return ok(ms);
}

/** 3000 -> `3 s`, 250 -> `250 ms`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`;
  return `${Number((ms / 60_000).toFixed(1))} min`;
}
