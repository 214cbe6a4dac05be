import { hasFailed, hasRun, type LoggedHook, type LoggedRun } from "../../../src/protocol/logged-run.ts";
import type { Outcome } from "../../../src/protocol/verdict.ts";

/** The outcome of a hook; `ask`: it asked for confirmation; `other`: an outcome unknown to this version. */
export type HookOutcome = Outcome | "ask" | "other";
export const HOOK_OUTCOMES: readonly HookOutcome[] = [
  "continue",
  "block",
  "ask",
  "modify",
  "replace",
  "observed",
  "failed",
  "refused",
  "skipped",
  "other",
];

/** A hook that asks has the outcome `continue`; only its run shows the question. */
export const outcomeOf = ({ name, outcome }: LoggedHook, { decision, decidedBy }: LoggedRun): HookOutcome =>
  decision === "ask" && decidedBy === name && outcome === "continue"
    ? "ask"
    : (HOOK_OUTCOMES.find((known) => known === outcome) ?? "other");

/** The totals of one hook; their size does not depend on the number of runs. */
export interface HookTotals {
  /** How often it was started. */
  runs: number;
  failures: number;
  /** How often it was in the chain with this outcome, `skipped` included. */
  readonly outcomes: Record<HookOutcome, number>;
  readonly times: Histogram;
  lastFailure: { readonly hook: LoggedHook; readonly run: LoggedRun } | null;
}

export const noHookTotals = (): HookTotals => ({
  runs: 0,
  failures: 0,
  outcomes: zeros(HOOK_OUTCOMES),
  times: emptyHistogram(),
  lastFailure: null,
});

export const zeros = <Name extends string>(names: readonly Name[]): Record<Name, number> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;

export function addHook(totals: HookTotals, hook: LoggedHook, run: LoggedRun): void {
  const outcome = outcomeOf(hook, run);
  totals.outcomes[outcome] += 1;
  if (outcome === "failed" || outcome === "refused") totals.lastFailure = { hook, run };
  if (!hasRun(hook)) return;
  totals.runs += 1;
  if (hasFailed(hook)) totals.failures += 1;
  addTime(totals.times, plausibleDuration(hook.durationMs));
}

const LONGEST_MS = 1e9;
/** A duration that can be added up and drawn: no run takes twelve days. */
export const plausibleDuration = (ms: number): number => Math.min(LONGEST_MS, Math.max(0, ms));

interface NameLimit<Entry> {
  readonly most: number;
  readonly others: string;
  readonly create: () => Entry;
}

/** The entry of a name. Names are hostile: beyond a number of names, the others share one entry. */
export function entryOf<Entry>(all: Map<string, Entry>, name: string, { most, others, create }: NameLimit<Entry>) {
  const key = all.has(name) || all.size < most ? name : others;
  const entry = all.get(key) ?? create();
  all.set(key, entry);
  return entry;
}

/**
 * The distribution of many times in little memory. Times up to 12.8 ms are exact to 0.1 ms, longer ones are counted in
 * 64 equal steps from each power of two to the next, so a percentile is off by at most 0.8 %.
 */
export interface Histogram {
  /** Index of a step -> how many times are in it. */
  readonly steps: Map<number, number>;
  count: number;
  maxMs: number;
}

const UNITS_PER_MS = 10;
const STEPS = 64;
const EXACT = 2 * STEPS;

export const emptyHistogram = (): Histogram => ({ steps: new Map(), count: 0, maxMs: 0 });

export function addTime(histogram: Histogram, ms: number): void {
  const step = stepOf(Math.max(0, Math.round(ms * UNITS_PER_MS)));
  histogram.steps.set(step, (histogram.steps.get(step) ?? 0) + 1);
  histogram.count += 1;
  histogram.maxMs = Math.max(histogram.maxMs, ms);
}

/** The shortest time that at least this percentage of all times does not exceed (nearest rank); null without times. */
export function percentile({ steps, count, maxMs }: Histogram, percent: number): number | null {
  const rank = Math.ceil((percent / 100) * count);
  let passed = 0;
  for (const step of [...steps.keys()].sort((a, b) => a - b)) {
    passed += steps.get(step) ?? 0;
    if (passed >= rank) return Math.min(maxMs, middleOf(step) / UNITS_PER_MS);
  }
  return null;
}

function stepOf(units: number): number {
  if (units < EXACT) return units;
  const doublings = Math.floor(Math.log2(units)) - Math.log2(STEPS);
  return doublings * STEPS + Math.floor(units / 2 ** doublings);
}

function middleOf(step: number): number {
  if (step < EXACT) return step;
  const doublings = Math.floor(step / STEPS) - 1;
  const width = 2 ** doublings;
  return (step - doublings * STEPS) * width + (width - 1) / 2;
}
