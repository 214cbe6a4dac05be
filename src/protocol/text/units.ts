import { fail, ok, type Result } from "../result.ts";

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;
/** As a pattern for the JSON Schema. */
export const DURATION_PATTERN = DURATION.source;

/** Parses `500ms`, `5s`, `2m`, `1h` or `1d` into milliseconds. Without a unit it would be a guess. `orElse`: what else is valid. */
export function parseDuration(text: string, orElse = ""): Result<number, string> {
  const ms = valueIn(text, DURATION, UNIT_MS);
  if (ms === null) return fail(`a duration needs a unit: 500ms, 5s, 2m, 1h; it is at most 24h${orElse}`);
  if (ms < 1 || ms > UNIT_MS.d) return fail(`a duration must be between 1ms and 24h${orElse}`);
  return ok(ms);
}

/** Milliseconds with one decimal, as JSON shows them. */
export const roundedMs = (ms: number): number => Math.round(ms * 10) / 10;

/** Formats 3000 as `3 s` and 250 as `250 ms`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`;
  if (ms % UNIT_MS.h === 0) return `${ms / UNIT_MS.h} h`;
  return `${Number((ms / 60_000).toFixed(1))} min`;
}

const UNIT_BYTES = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, KB: 1e3, MB: 1e6, GB: 1e9 };
const SIZE = /^(\d{1,9}(?:\.\d{1,3})?) ?(B|KiB|MiB|GiB|KB|MB|GB)$/;
/** As a pattern for the JSON Schema. */
export const SIZE_PATTERN = SIZE.source;
/** V8 cannot hold a longer string. */
const MAX_SIZE_BYTES = 512 * UNIT_BYTES.MiB - 1024;
const MIN_SIZE_BYTES = UNIT_BYTES.KiB;

/** Parses `64MiB`, or a number of bytes. */
export function parseSize(size: string | number): Result<number, string> {
  const bytes = typeof size === "number" ? size : valueIn(size, SIZE, UNIT_BYTES);
  if (bytes === null) return fail("a size must be a number of bytes or have a unit: 500KiB, 64MiB");
  if (!Number.isInteger(bytes) || bytes < MIN_SIZE_BYTES || bytes > MAX_SIZE_BYTES) {
    return fail("a size must be between 1KiB and 511MiB");
  }
  return ok(bytes);
}

/** Formats 4194304 as `4 MiB`. */
export const formatSize = (bytes: number): string =>
  bytes < 1024 ** 2 ? `${Number((bytes / 1024).toFixed(1))} KiB` : `${Number((bytes / 1024 ** 2).toFixed(1))} MiB`;

/** The rounded value of a number with a unit; null for any other text. */
function valueIn(text: string, pattern: RegExp, units: Readonly<Record<string, number>>): number | null {
  const [, number, unit = ""] = pattern.exec(text) ?? [];
  return number === undefined ? null : Math.round(Number(number) * (units[unit] ?? 0));
}
