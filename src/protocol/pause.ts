import { shellQuote } from "./text/shell-quote.ts";

/** A time range in which a hook does not run (`hookctl off`). */
export interface Pause {
  /** The name of the hook or built-in guard, as `list` shows it. */
  readonly name: string;
  /** The outermost folder of the project in which the pause applies; null for all projects. */
  readonly project: string | null;
  readonly startMs: number;
  readonly endMs: number;
  /** The uptime of the machine at its start. */
  readonly startUptimeMs: number;
  /** The user who started it. */
  readonly by: string;
}

/** The time of day, and the uptime of the machine, which nobody can set back. */
export interface PauseClock {
  readonly nowMs: number;
  readonly uptimeMs: number;
}

export const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** True if it has ended by either clock: a time of day that is set back must not prolong it. A restart ends it. */
export function isOver({ startMs, endMs, startUptimeMs }: Pause, { nowMs, uptimeMs }: PauseClock): boolean {
  const elapsedMs = uptimeMs - startUptimeMs;
  return nowMs >= endMs || elapsedMs < 0 || elapsedMs >= endMs - startMs;
}

export const isInEffect = (pause: Pause, clock: PauseClock): boolean =>
  clock.nowMs >= pause.startMs && !isOver(pause, clock);

/** Why a hook does not run for some time. */
export interface OffReason {
  readonly by: "hookctl off" | "HOOKCTL_SKIP";
  /** The same text wherever hooks are shown: `off until 14:32 (hookctl off)`. */
  readonly reason: string;
}

/** The command that resumes the hook. */
export const turnOnHint = ({ by }: Pick<OffReason, "by">, hook: string): string =>
  by === "HOOKCTL_SKIP" ? "Unset HOOKCTL_SKIP." : `To end that now: hookctl on ${shellQuote(hook)}`;
