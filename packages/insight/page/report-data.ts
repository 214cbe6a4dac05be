import type { Outcome, VerdictDecision } from "../../../src/protocol/verdict.ts";

/** A decision as the record has it; `other`: one that this version does not know. */
export type RunDecision = VerdictDecision | "other";
export const RUN_DECISIONS: readonly RunDecision[] = ["continue", "other", "ask", "halt", "block"];

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

/** Local time with its offset: `2026-11-22T14:02:11+01:00`. */
export type LocalTime = string;

export type DecisionCounts = Readonly<Record<RunDecision, number>>;

/** All data of a report, as `report --json` prints it. Lists are truncated; `omitted` counts the rest. */
export interface ReportData {
  readonly schema: "hookctl.report/1";
  readonly version: string;
  readonly made: LocalTime;
  /** The requested range; null without a bound. */
  readonly asked: {
    readonly since: LocalTime | null;
    readonly until: LocalTime | null;
    readonly project: string | null;
    /** Runs in which a hook of this name took part. */
    readonly hook: string | null;
  };
  /** The first and the last run that has a time. */
  readonly first: LocalTime | null;
  readonly last: LocalTime | null;
  readonly runs: number;
  readonly decisions: DecisionCounts;
  /** How often a hook failed, and how often one was refused. */
  readonly failures: number;
  readonly refusals: number;
  readonly timeline: Timeline;
  /** Hooks that took part in a run; those with most runs first. */
  readonly hooks: readonly HookFigures[];
  readonly tools: readonly ToolFigures[];
  readonly slowest: readonly RunFigures[];
  /** The last runs that were blocked, halted or asked about, newest first. */
  readonly stopped: readonly RunFigures[];
  readonly omitted: { readonly hooks: number; readonly tools: number };
}

/** Buckets of equal width without gaps; runs without a time are in none. */
export interface Timeline {
  readonly bucket_minutes: number;
  readonly buckets: readonly Bucket[];
}

export interface Bucket {
  readonly start: LocalTime;
  readonly decisions: DecisionCounts;
}

export interface HookFigures {
  readonly name: string;
  /** How often it was started. */
  readonly runs: number;
  /** How often it was in the chain with this outcome, `skipped` included. */
  readonly outcomes: Readonly<Record<HookOutcome, number>>;
  /** The latency of its runs; null if it was never started. */
  readonly latency: Latency | null;
  readonly last_failure: LastFailure | null;
}

export interface LastFailure {
  readonly code: string;
  readonly time: LocalTime | null;
  readonly run_id: string;
}

export interface Latency {
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
  /** The number of runs in each of `LATENCY_BINS`. */
  readonly distribution: readonly number[];
}

/** The upper ends of the latency bins in milliseconds, four for each power of ten; the last has none. */
export const LATENCY_BINS: readonly number[] = Array.from({ length: 23 }, (_, at) => 10 ** ((at - 3) / 4));

export interface ToolFigures {
  /** The name of the tool; null for runs without a tool. */
  readonly name: string | null;
  readonly decisions: DecisionCounts;
}

/** One run, with its chain for the waterfall. */
export interface RunFigures {
  readonly run_id: string;
  readonly time: LocalTime | null;
  readonly event: string;
  readonly tool: string | null;
  readonly call: string | null;
  readonly agent: string | null;
  readonly project: string | null;
  readonly decision: RunDecision;
  readonly decided_by: string | null;
  readonly reason: string | null;
  readonly duration_ms: number;
  /** In chain order; offsets are null in records of older versions. */
  readonly hooks: readonly ChainedHook[];
  /** Hooks that are omitted here, because they were skipped or because the chain is long. */
  readonly skipped_hooks: number;
  readonly hidden_hooks: number;
}

export interface ChainedHook {
  readonly name: string;
  readonly outcome: HookOutcome;
  readonly failure: string | null;
  readonly start_ms: number | null;
  readonly duration_ms: number;
}
