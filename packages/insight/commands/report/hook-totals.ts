import { hasAsked, hasRun, type LoggedHook, type LoggedRun } from "../../../../src/protocol/logged-run.ts";
import { truncate } from "../../../../src/protocol/text/text.ts";
import {
  HOOK_OUTCOMES,
  type HookFigures,
  type HookOutcome,
  LATENCY_BINS,
  type LastFailure,
  type Latency,
} from "../../page/report-data.ts";
import { addTime, emptyHistogram, type Histogram, percentile } from "../../percentiles.ts";
import { localTime, plausibleDuration, plausibleMs } from "./timeline-buckets.ts";

/** The counts of one hook; their size does not depend on the number of runs. */
interface HookTotals {
  runs: number;
  readonly outcomes: Record<HookOutcome, number>;
  readonly times: Histogram;
  readonly distribution: number[];
  lastFailure: { readonly hook: LoggedHook; readonly run: Pick<LoggedRun, "timeMs" | "runId"> } | null;
}

export type AllHookTotals = Map<string, HookTotals>;

/** Names from a file may be endless, and too many. Those that come later are counted together. */
export const NAME_LENGTH = 200;
const MOST_NAMES = 500;
export const keyIn = (known: ReadonlyMap<string, unknown>, name: string, others: string): string => {
  const key = truncate(name, NAME_LENGTH);
  return known.has(key) || known.size < MOST_NAMES ? key : others;
};

export function addHook(all: AllHookTotals, hook: LoggedHook, run: LoggedRun): void {
  const key = keyIn(all, hook.name, "(other hooks)");
  const totals = all.get(key) ?? noTotals();
  all.set(key, totals);
  const outcome = outcomeOf(hook, run);
  totals.outcomes[outcome] += 1;
  if (outcome === "failed" || outcome === "refused") totals.lastFailure = { hook, run };
  if (!hasRun(hook)) return;
  const ms = plausibleDuration(hook.durationMs);
  totals.runs += 1;
  addTime(totals.times, ms);
  const bin = binOf(ms);
  totals.distribution[bin] = (totals.distribution[bin] ?? 0) + 1;
}

const noTotals = (): HookTotals => ({
  runs: 0,
  outcomes: {
    continue: 0,
    block: 0,
    ask: 0,
    modify: 0,
    replace: 0,
    observed: 0,
    failed: 0,
    refused: 0,
    skipped: 0,
    other: 0,
  },
  times: emptyHistogram(),
  distribution: Array.from({ length: LATENCY_BINS.length + 1 }, () => 0),
  lastFailure: null,
});

export const outcomeOf = (hook: LoggedHook, run: LoggedRun): HookOutcome =>
  hasAsked(hook, run) ? "ask" : (HOOK_OUTCOMES.find((known) => known === hook.outcome) ?? "other");

function binOf(ms: number): number {
  const bin = LATENCY_BINS.findIndex((end) => ms <= end);
  return bin < 0 ? LATENCY_BINS.length : bin;
}

/** Sorted by the number of runs. */
export const hookFigures = (all: AllHookTotals): readonly HookFigures[] =>
  [...all]
    .map(([name, totals]) => ({
      name,
      runs: totals.runs,
      outcomes: totals.outcomes,
      latency: latencyOf(totals),
      last_failure: totals.lastFailure === null ? null : failureOf(totals.lastFailure),
    }))
    .sort((a, b) => b.runs - a.runs);

function latencyOf({ times, distribution }: HookTotals): Latency | null {
  if (times.count === 0) return null;
  const at = (percent: number): number => rounded(percentile(times, percent) ?? 0);
  return { p50_ms: at(50), p95_ms: at(95), p99_ms: at(99), max_ms: rounded(times.maxMs), distribution };
}

const rounded = (ms: number): number => Number(ms.toFixed(1));

const failureOf = ({ hook, run }: NonNullable<HookTotals["lastFailure"]>): LastFailure => {
  const ms = plausibleMs(run.timeMs);
  return {
    code: truncate(hook.failure ?? hook.outcome, NAME_LENGTH),
    time: ms === null ? null : localTime(ms),
    run_id: truncate(run.runId, NAME_LENGTH),
  };
};
