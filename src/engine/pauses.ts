import type { Scopes } from "../discover/scopes.ts";
import { unrepeatable } from "../fs/disk.ts";
import { isInEffect, isOver, type Pause, type PauseClock } from "../protocol/pause.ts";
import { fail } from "../protocol/result.ts";
import type { Warning } from "../protocol/warning.ts";
import { changePauses, readPauses } from "../trust/store/pauses.ts";
import type { RunContext } from "./run-context.ts";
import type { UserPaths } from "./user-paths.ts";

/** The hooks that are paused in this call. */
export interface PausedHooks {
  /** Name -> reason, as every command shows it. */
  readonly pauses: ReadonlyMap<string, string>;
  readonly warnings: readonly Warning[];
}

type PauseContext = Pick<RunContext, "userId" | "nowMs"> & Pick<Scopes, "rootDir">;

/** Reads the pauses of this project that are in effect. A file that cannot be trusted pauses nothing and is reported. */
export async function pausesInEffect(
  { path, cause }: NonNullable<UserPaths["pausesFile"]>,
  { userId, nowMs, rootDir }: PauseContext,
): Promise<PausedHooks> {
  const stored = cause === null ? readPauses(path, userId) : fail(cause);
  if (!stored.ok) return { pauses: new Map(), warnings: [{ code: "PAUSES_REFUSED", path, cause: stored.error }] };
  // They begin and end without a change on the disk.
  if (stored.value.length > 0) unrepeatable.count++;
  const clock = pauseClock(nowMs);
  const isOverNow = (pause: Pause): boolean => isOver(pause, clock);
  // Then the next call finds no file. If another process changes it now, one of the next calls tries again.
  if (stored.value.every(isOverNow)) await changePauses(path, userId, (all) => all.filter((one) => !isOverNow(one)), 0);
  const here = stored.value.filter((pause) => isInEffect(pause, clock) && countsIn(pause, rootDir));
  // A hook that is paused both here and everywhere is paused until the later end.
  const byEnd = here.toSorted((one, other) => one.endMs - other.endMs);
  return { pauses: new Map(byEnd.map((pause) => [pause.name, pauseReason(pause, nowMs)])), warnings: [] };
}

export const pauseReason = ({ endMs }: Pick<Pause, "endMs">, nowMs: number): string =>
  `off until ${clockText(endMs, nowMs)} (hookctl off)`;

export const countsIn = ({ project }: Pick<Pause, "project">, rootDir: string): boolean =>
  project === null || project === rootDir;

export const pauseClock = (nowMs: number): PauseClock => ({
  nowMs,
  uptimeMs: Math.floor(process.getBuiltinModule("node:os").uptime() * 1000),
});

/** The local time of day, `14:32` or `14:32:05`, with the date if it is not today. */
export function clockText(atMs: number, nowMs: number, { hasSeconds = false } = {}): string {
  const clock = timeOfDayText(atMs, { hasSeconds });
  const day = dayText(atMs);
  return day === dayText(nowMs) ? clock : `${day} ${clock}`;
}

/** The local time of day without the date. */
export function timeOfDayText(atMs: number, { hasSeconds = false } = {}): string {
  const at = new Date(atMs);
  const parts = [at.getHours(), at.getMinutes(), ...(hasSeconds ? [at.getSeconds()] : [])];
  return parts.map(twoDigits).join(":");
}

/** The local date: `2026-03-04`. */
export function dayText(atMs: number): string {
  const at = new Date(atMs);
  return [String(at.getFullYear()), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-");
}

const twoDigits = (value: number): string => String(value).padStart(2, "0");
