import { hasRun, type LoggedHook, type LoggedRun } from "../../../src/protocol/logged-run.ts";
import { truncate } from "../../../src/protocol/text/text.ts";
import {
  addHook,
  entryOf,
  type HookTotals,
  noHookTotals,
  outcomeOf,
  percentile,
  plausibleDuration,
} from "./hook-totals.ts";
import {
  addTimedRun,
  type DecisionCounts,
  localTimeOrNull,
  noDecisions,
  noTimes,
  plausibleMs,
  RUN_DECISIONS,
  timelineOf,
} from "./timeline.ts";

/** The upper ends of the latency bins in milliseconds, four for each power of ten; the last bin has no upper end. */
export const LATENCY_BINS: readonly number[] = Array.from({ length: 23 }, (_, at) => 10 ** ((at - 3) / 4));

interface ReportedHook extends HookTotals {
  /** The number of runs in each of `LATENCY_BINS`. */
  readonly distribution: number[];
}

/** The number of slow runs, and of blocks, to show. */
const SHOWN_RUNS = 10;
/** The number of hooks, and of tools, to show. */
const SHOWN_ROWS = 60;

/** The totals while the log is read. Their size does not depend on the number of runs. */
export const noRuns = () => ({
  runs: 0,
  decisions: noDecisions(),
  firstMs: null as number | null,
  lastMs: null as number | null,
  times: noTimes(),
  hooks: new Map<string, ReportedHook>(),
  tools: new Map<string, DecisionCounts>(),
  /** Of runs without a tool. */
  toolless: noDecisions(),
  /** The runs for each note of the cage. */
  cage: new Map<string, { runs: number }>(),
  slowest: [] as RunFigures[],
  /** The last runs that were blocked, halted or asked about, newest first. */
  stopped: [] as RunFigures[],
});

type ReportTotals = ReturnType<typeof noRuns>;

/** Texts of a log may be endless, and names too many. */
const NAME_LENGTH = 200;
const TEXT_LENGTH = 1000;
const MOST_NAMES = 500;
const HOOK_NAMES = {
  most: MOST_NAMES,
  others: "(other hooks)",
  create: (): ReportedHook => ({
    ...noHookTotals(),
    distribution: Array.from({ length: LATENCY_BINS.length + 1 }, () => 0),
  }),
};
const CAGE_NOTES = { most: MOST_NAMES, others: "(other notes)", create: () => ({ runs: 0 }) };
const TOOL_NAMES = { most: MOST_NAMES, others: "(other tools)", create: noDecisions };

export function addRun(totals: ReportTotals, run: LoggedRun): void {
  const decision = decisionOf(run);
  totals.runs += 1;
  totals.decisions[decision] += 1;
  const tool = run.tool === null ? totals.toolless : entryOf(totals.tools, truncate(run.tool, NAME_LENGTH), TOOL_NAMES);
  tool[decision] += 1;
  for (const hook of run.hooks) addReportedHook(totals, hook, run);
  if (run.guardWarnings.some(({ code }) => code.startsWith("CAGE_")))
    for (const text of run.warnings.filter((one) => one.startsWith("the cage ")))
      entryOf(totals.cage, truncate(text, NAME_LENGTH), CAGE_NOTES).runs += 1;
  const ms = plausibleMs(run.timeMs);
  if (ms !== null) {
    addTimedRun(totals.times, ms, decision);
    totals.firstMs = Math.min(totals.firstMs ?? ms, ms);
    totals.lastMs = Math.max(totals.lastMs ?? ms, ms);
  }
  addSlowest(totals.slowest, run);
  if (!["block", "halt", "ask"].includes(decision)) return;
  totals.stopped.unshift(runFigures(run));
  totals.stopped.splice(SHOWN_RUNS);
}

function addReportedHook({ hooks }: ReportTotals, hook: LoggedHook, run: LoggedRun): void {
  const totals = entryOf(hooks, truncate(hook.name, NAME_LENGTH), HOOK_NAMES);
  addHook(totals, hook, run);
  if (!hasRun(hook)) return;
  const ms = plausibleDuration(hook.durationMs);
  const found = LATENCY_BINS.findIndex((end) => ms <= end);
  const bin = found < 0 ? LATENCY_BINS.length : found;
  totals.distribution[bin] = (totals.distribution[bin] ?? 0) + 1;
}

function addSlowest(slowest: RunFigures[], run: LoggedRun): void {
  const at = slowest.findIndex(({ duration_ms }) => duration_ms < run.durationMs);
  if (at < 0 && slowest.length === SHOWN_RUNS) return;
  slowest.splice(at < 0 ? slowest.length : at, 0, runFigures(run));
  slowest.splice(SHOWN_RUNS);
}

/** The fields of a report beside its runs. */
export interface ReportHead {
  readonly version: string;
  /** The local time with its offset: `2026-11-22T14:02:11+01:00`. */
  readonly made: string;
  /** The requested range, project and hook; null without a limit. */
  readonly asked: Readonly<Record<"since" | "until" | "project" | "hook", string | null>>;
}

/** All data of a report, as `report --json` prints it. Lists are truncated; `omitted` is the number of further items. */
export type ReportData = ReturnType<typeof reportData>;
export type HookFigures = ReportData["hooks"][number];
export type RunFigures = ReturnType<typeof runFigures>;

export function reportData(totals: ReportTotals, head: ReportHead) {
  // Sorted by the number of runs.
  const hooks = [...totals.hooks].map(hookFigures).sort((a, b) => b.runs - a.runs);
  const tools = toolFigures(totals);
  const cage = [...totals.cage].map(([text, { runs }]) => ({ text, runs })).sort((a, b) => b.runs - a.runs);
  const sumOf = (outcome: "failed" | "refused"): number =>
    hooks.reduce((sum, { outcomes }) => sum + outcomes[outcome], 0);
  return {
    schema: "hookctl.report/1",
    ...head,
    first: localTimeOrNull(totals.firstMs),
    last: localTimeOrNull(totals.lastMs),
    runs: totals.runs,
    decisions: totals.decisions,
    failures: sumOf("failed"),
    refusals: sumOf("refused"),
    timeline: timelineOf(totals.times),
    hooks: shownHooks(hooks),
    tools: tools.slice(0, SHOWN_ROWS),
    cage: cage.slice(0, SHOWN_ROWS),
    slowest: totals.slowest,
    stopped: totals.stopped,
    omitted: { hooks: Math.max(0, hooks.length - SHOWN_ROWS), tools: Math.max(0, tools.length - SHOWN_ROWS) },
  };
}

const hookFigures = ([name, totals]: readonly [string, ReportedHook]) => ({
  name,
  runs: totals.runs,
  outcomes: totals.outcomes,
  latency: latencyOf(totals),
  last_failure: failureOf(totals),
});

function latencyOf({ times, distribution }: ReportedHook) {
  if (times.count === 0) return null;
  const rounded = (ms: number | null): number => Number((ms ?? 0).toFixed(1));
  const [p50, p95, p99] = [50, 95, 99].map((percent) => rounded(percentile(times, percent)));
  return { p50_ms: p50 ?? 0, p95_ms: p95 ?? 0, p99_ms: p99 ?? 0, max_ms: rounded(times.maxMs), distribution };
}

function failureOf({ lastFailure }: ReportedHook) {
  if (lastFailure === null) return null;
  const { hook, run } = lastFailure;
  const code = truncate(hook.failure ?? hook.outcome, NAME_LENGTH);
  return { code, time: localTimeOrNull(run.timeMs), run_id: truncate(run.runId, NAME_LENGTH) };
}

/** The number of times that a hook protected nothing. */
export const failuresOf = ({ outcomes }: Pick<HookTotals, "outcomes">): number => outcomes.failed + outcomes.refused;

/** Failing hooks are shown before hooks that ran more often. */
function shownHooks(hooks: readonly ReturnType<typeof hookFigures>[]) {
  if (hooks.length <= SHOWN_ROWS) return hooks;
  const shown = new Set([...hooks].sort((a, b) => failuresOf(b) - failuresOf(a)).slice(0, SHOWN_ROWS));
  return hooks.filter((hook) => shown.has(hook));
}

function toolFigures({ tools, toolless }: ReportTotals) {
  const all = [...tools, [null, toolless] as const].map(([name, decisions]) => ({ name, decisions }));
  const runsOf = ({ decisions }: { readonly decisions: DecisionCounts }): number =>
    RUN_DECISIONS.reduce((sum, decision) => sum + decisions[decision], 0);
  return all.filter((tool) => runsOf(tool) > 0).sort((a, b) => runsOf(b) - runsOf(a));
}

/** A longer chain shows the hooks that took longest, in their order. */
const MOST_HOOKS = 20;

const decisionOf = ({ decision }: LoggedRun) => RUN_DECISIONS.find((known) => known === decision) ?? "other";

/** One run of the report. Its texts are truncated to limit memory. */
function runFigures(run: LoggedRun) {
  const started = run.hooks.filter(hasRun);
  const longest = [...started].sort((a, b) => b.durationMs - a.durationMs).slice(0, MOST_HOOKS);
  return {
    run_id: truncate(run.runId, NAME_LENGTH),
    time: localTimeOrNull(run.timeMs),
    event: truncate(run.event, NAME_LENGTH),
    tool: cut(run.tool, NAME_LENGTH),
    call: cut(run.call, NAME_LENGTH),
    agent: cut(run.agent, NAME_LENGTH),
    project: cut(run.project, TEXT_LENGTH),
    decision: decisionOf(run),
    decided_by: cut(run.decidedBy, NAME_LENGTH),
    reason: cut(run.reason, TEXT_LENGTH),
    duration_ms: plausibleDuration(run.durationMs),
    /** In chain order. */
    hooks: started
      .filter((hook) => longest.includes(hook))
      .map((hook) => ({
        name: truncate(hook.name, NAME_LENGTH),
        outcome: outcomeOf(hook, run),
        failure: cut(hook.failure, NAME_LENGTH),
        /** Null in records of older versions. */
        start_ms: hook.startMs === null ? null : plausibleDuration(hook.startMs),
        duration_ms: plausibleDuration(hook.durationMs),
      })),
    skipped_hooks: run.hooks.length - started.length,
    /** Hooks that are omitted here because the chain is long. */
    hidden_hooks: started.length - longest.length,
  };
}

const cut = (text: string | null, limit: number): string | null => (text === null ? null : truncate(text, limit));
