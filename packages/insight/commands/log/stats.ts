import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { hasAsked, hasRun, type LoggedHook, type LoggedRun } from "../../../../src/protocol/logged-run.ts";
import { globMatches } from "../../../../src/protocol/match.ts";
import { ok } from "../../../../src/protocol/result.ts";
import { addTime, emptyHistogram, type Histogram, percentile } from "../../percentiles.ts";
import { type HookStats, statsJson, statsText } from "../../report/stats-text.ts";
import { readLineFilter } from "./line-filter.ts";
import { nothingRecorded, readingProgress, wantedRuns } from "./selected-lines.ts";

/** `hookctl stats`: counts and durations of each hook. */
export async function stats({ options }: CommandLine<"stats">, host: Host): Promise<CommandResult> {
  const started = await createRunContext(options, host, false);
  if (!started.ok) return started;
  const filter = readLineFilter(options, host);
  if (!filter.ok) return filter;

  const { context } = started.value;
  const untilMs = host.nowMs();
  const collector = statsCollector({ sinceMs: filter.value.sinceMs, untilMs, glob: options.only });
  const progress = readingProgress(options, host);
  for (const run of wantedRuns(context.auditFile, filter.value, progress.onProgress)) collector.add(run);
  progress.end();
  const collected = collector.result();
  if (options.json) return print(`${statsJson({ ...collected, untilMs, isoTime })}\n`, host);
  if (collected.hooks.length > 0) {
    const view = { ...collected, lengthMs: untilMs - collected.sinceMs, width: host.stdoutColumns() };
    return print(statsText(view, await stdoutStyle(options, host)), host);
  }
  if (!options.quiet) host.err(nothingRecorded(context));
  return ok(EXIT.ok);
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Sums up runs one at a time, in memory proportional to the number of hooks. */
export interface StatsCollector {
  readonly add: (run: LoggedRun) => void;
  readonly result: () => CollectedStats;
}

export interface CollectedStats {
  readonly runs: number;
  readonly sinceMs: number;
  readonly hooks: readonly HookStats[];
}

export interface StatsRange {
  /** The start of the range; null for the time of the first run. */
  readonly sinceMs: number | null;
  readonly untilMs: number;
  /** Only hooks with a matching name; null for all hooks. */
  readonly glob: string | null;
}

interface Collected {
  readonly counts: { runs: number; blocks: number; asks: number; failures: number; refused: number };
  readonly times: Histogram;
  readonly overTime: number[];
}

/** The number of parts of the time range. */
const SLOTS = 16;
/** Names are hostile: more hooks than this are counted as one. */
const MOST_HOOKS = 10_000;
const OTHER_HOOKS = "(other hooks)";

export function statsCollector({ sinceMs, untilMs, glob }: StatsRange): StatsCollector {
  const hooks = new Map<string, Collected>();
  let runs = 0;
  let startMs = sinceMs;
  const collectedOf = (name: string): Collected => {
    const key = hooks.has(name) || hooks.size < MOST_HOOKS ? name : OTHER_HOOKS;
    const collected = hooks.get(key) ?? newCollected();
    hooks.set(key, collected);
    return collected;
  };
  return {
    add: (run) => {
      runs += 1;
      startMs ??= run.timeMs;
      const slot = slotOf(run.timeMs ?? untilMs, startMs ?? untilMs, untilMs);
      for (const hook of run.hooks)
        if (glob === null || globMatches(glob, hook.name)) addHook({ hook, run, slot }, collectedOf);
    },
    result: () => ({
      runs,
      sinceMs: startMs ?? untilMs,
      hooks: [...hooks].map(([name, collected]) => statsOf(name, collected)).sort(byRuns),
    }),
  };
}

const newCollected = (): Collected => ({
  counts: { runs: 0, blocks: 0, asks: 0, failures: 0, refused: 0 },
  times: emptyHistogram(),
  overTime: Array.from({ length: SLOTS }, () => 0),
});

function slotOf(timeMs: number, startMs: number, endMs: number): number {
  const part = (timeMs - startMs) / Math.max(1, endMs - startMs);
  return Math.max(0, Math.min(SLOTS - 1, Math.floor(part * SLOTS)));
}

/** One hook of one run, and the part of the time range in which it ran. */
interface HookRun {
  readonly hook: LoggedHook;
  readonly run: LoggedRun;
  readonly slot: number;
}

function addHook({ hook, run, slot }: HookRun, collectedOf: (name: string) => Collected): void {
  if (hook.outcome === "refused") collectedOf(hook.name).counts.refused += 1;
  if (!hasRun(hook)) return;
  const { counts, times, overTime } = collectedOf(hook.name);
  counts.runs += 1;
  if (hook.outcome === "block") counts.blocks += 1;
  if (hasAsked(hook, run)) counts.asks += 1;
  if (hook.failure !== null || hook.outcome === "failed") counts.failures += 1;
  addTime(times, hook.durationMs);
  overTime[slot] = (overTime[slot] ?? 0) + 1;
}

const statsOf = (name: string, { counts, times, overTime }: Collected): HookStats => ({
  name,
  ...counts,
  p50Ms: percentile(times, 50),
  p95Ms: percentile(times, 95),
  p99Ms: percentile(times, 99),
  maxMs: times.count === 0 ? null : times.maxMs,
  overTime,
});

const byRuns = (a: HookStats, b: HookStats): number => b.runs - a.runs || (a.name < b.name ? -1 : 1);
