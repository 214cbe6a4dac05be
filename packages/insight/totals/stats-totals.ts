import { hasRun, type LoggedRun } from "../../../src/protocol/logged-run.ts";
import { globMatches } from "../../../src/protocol/match.ts";
import { addHook, entryOf, type HookTotals, noHookTotals, percentile } from "./hook-totals.ts";

interface StatsRange {
  /** The start of the range; null for the time of the first run. */
  readonly sinceMs: number | null;
  readonly untilMs: number;
  /** Only hooks with a matching name; null for all hooks. */
  readonly glob: string | null;
}

interface TimedTotals extends HookTotals {
  /** The number of runs in each part of the time range, oldest first. */
  readonly overTime: number[];
}

/** The number of parts of the time range. */
const SLOTS = 16;
const HOOK_NAMES = {
  most: 10_000,
  others: "(other hooks)",
  create: (): TimedTotals => ({ ...noHookTotals(), overTime: Array.from({ length: SLOTS }, () => 0) }),
};

/** Adds up runs one at a time, in memory proportional to the number of hooks. */
export function collectStats(logged: Iterable<LoggedRun>, { sinceMs, untilMs, glob }: StatsRange) {
  const hooks = new Map<string, TimedTotals>();
  let runs = 0;
  let startMs = sinceMs;
  for (const run of logged) {
    runs += 1;
    startMs ??= run.timeMs;
    const slot = slotOf(run.timeMs ?? untilMs, startMs ?? untilMs, untilMs);
    const started = run.hooks.filter((hook) => hasRun(hook) || hook.outcome === "refused");
    for (const hook of started.filter(({ name }) => glob === null || globMatches(glob, name))) {
      const totals = entryOf(hooks, hook.name, HOOK_NAMES);
      addHook(totals, hook, run);
      if (hasRun(hook)) totals.overTime[slot] = (totals.overTime[slot] ?? 0) + 1;
    }
  }
  return { runs, sinceMs: startMs ?? untilMs, hooks: [...hooks].map(statsOf).sort(byRuns) };
}

function slotOf(timeMs: number, startMs: number, endMs: number): number {
  const part = (timeMs - startMs) / Math.max(1, endMs - startMs);
  return Math.max(0, Math.min(SLOTS - 1, Math.floor(part * SLOTS)));
}

/** Statistics of a hook, as `stats --json` prints them. Percentiles of its time are null if it never ran. */
export type HookStats = ReturnType<typeof statsOf>;

const statsOf = ([name, { runs, outcomes, failures, times, overTime }]: readonly [string, TimedTotals]) => ({
  name,
  runs,
  blocks: outcomes.block,
  asks: outcomes.ask,
  failures,
  refused: outcomes.refused,
  p50_ms: percentile(times, 50),
  p95_ms: percentile(times, 95),
  p99_ms: percentile(times, 99),
  max_ms: times.count === 0 ? null : times.maxMs,
  runs_over_time: overTime,
});

const byRuns = (a: HookStats, b: HookStats): number => b.runs - a.runs || (a.name < b.name ? -1 : 1);
