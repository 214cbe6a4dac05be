import { hasRun, type LoggedHook, type LoggedRun } from "../../../../src/protocol/logged-run.ts";
import { truncate } from "../../../../src/protocol/text/text.ts";
import {
  type ChainedHook,
  type HookFigures,
  type ReportData,
  RUN_DECISIONS,
  type RunDecision,
  type RunFigures,
  type ToolFigures,
} from "../../page/report-data.ts";
import { type AllHookTotals, addHook, hookFigures, keyIn, NAME_LENGTH, outcomeOf } from "./hook-totals.ts";
import {
  addTimedRun,
  type Counts,
  localTime,
  noCounts,
  noTimes,
  plausibleDuration,
  plausibleMs,
  type TimeCounts,
  timelineOf,
} from "./timeline-buckets.ts";

/** The counts while the log is read. Their size does not depend on the number of runs. */
interface ReportTotals {
  runs: number;
  readonly decisions: Counts;
  firstMs: number | null;
  lastMs: number | null;
  readonly times: TimeCounts;
  readonly hooks: AllHookTotals;
  readonly tools: Map<string, Counts>;
  /** Of runs without a tool. */
  readonly toolless: Counts;
  readonly slowest: RunFigures[];
  readonly stopped: RunFigures[];
}

/** The number of slow runs, and of blocks, to show. */
const SHOWN_RUNS = 10;
/** The number of hooks, and of tools, to show. */
const SHOWN_ROWS = 60;

export const noRuns = (): ReportTotals => ({
  runs: 0,
  decisions: noCounts(),
  firstMs: null,
  lastMs: null,
  times: noTimes(),
  hooks: new Map(),
  tools: new Map(),
  toolless: noCounts(),
  slowest: [],
  stopped: [],
});

export function addRun(totals: ReportTotals, run: LoggedRun): void {
  const decision = decisionOf(run);
  totals.runs += 1;
  totals.decisions[decision] += 1;
  toolCounts(totals, run.tool)[decision] += 1;
  for (const hook of run.hooks) addHook(totals.hooks, hook, run);
  const ms = plausibleMs(run.timeMs);
  if (ms !== null) {
    addTimedRun(totals.times, ms, decision);
    totals.firstMs = Math.min(totals.firstMs ?? ms, ms);
    totals.lastMs = Math.max(totals.lastMs ?? ms, ms);
  }
  keepSlowest(totals.slowest, run);
  if (decision === "block" || decision === "halt" || decision === "ask") keepLast(totals.stopped, run);
}

function toolCounts({ tools, toolless }: ReportTotals, tool: string | null): Counts {
  if (tool === null) return toolless;
  const key = keyIn(tools, tool, "(other tools)");
  const counts = tools.get(key) ?? noCounts();
  tools.set(key, counts);
  return counts;
}

function keepSlowest(slowest: RunFigures[], run: LoggedRun): void {
  const last = slowest.at(-1);
  if (slowest.length === SHOWN_RUNS && last !== undefined && run.durationMs <= last.duration_ms) return;
  const at = slowest.findIndex(({ duration_ms }) => duration_ms < run.durationMs);
  slowest.splice(at < 0 ? slowest.length : at, 0, runFigures(run));
  slowest.splice(SHOWN_RUNS);
}

function keepLast(stopped: RunFigures[], run: LoggedRun): void {
  stopped.unshift(runFigures(run));
  stopped.splice(SHOWN_RUNS);
}

/** The fields of a report beside its runs. */
export type ReportHead = Pick<ReportData, "version" | "made" | "asked">;

export function reportData(totals: ReportTotals, head: ReportHead): ReportData {
  const { firstMs, lastMs } = totals;
  const [hooks, tools] = [hookFigures(totals.hooks), toolFigures(totals)];
  const timesOf = (outcome: "failed" | "refused"): number =>
    hooks.reduce((sum, { outcomes }) => sum + outcomes[outcome], 0);
  return {
    schema: "hookctl.report/1",
    ...head,
    first: firstMs === null ? null : localTime(firstMs),
    last: lastMs === null ? null : localTime(lastMs),
    runs: totals.runs,
    decisions: totals.decisions,
    failures: timesOf("failed"),
    refusals: timesOf("refused"),
    timeline: timelineOf(totals.times),
    hooks: shownHooks(hooks),
    tools: tools.slice(0, SHOWN_ROWS),
    slowest: totals.slowest,
    stopped: totals.stopped,
    omitted: { hooks: Math.max(0, hooks.length - SHOWN_ROWS), tools: Math.max(0, tools.length - SHOWN_ROWS) },
  };
}

/** Failing hooks are shown before hooks that ran more often. */
function shownHooks(hooks: readonly HookFigures[]): readonly HookFigures[] {
  if (hooks.length <= SHOWN_ROWS) return hooks;
  const failures = ({ outcomes }: HookFigures): number => outcomes.failed + outcomes.refused;
  const shown = new Set([...hooks].sort((a, b) => failures(b) - failures(a)).slice(0, SHOWN_ROWS));
  return hooks.filter((hook) => shown.has(hook));
}

function toolFigures({ tools, toolless }: ReportTotals): readonly ToolFigures[] {
  const sum = ({ decisions }: ToolFigures): number => Object.values(decisions).reduce((all, one) => all + one, 0);
  const named: readonly ToolFigures[] = [...tools].map(([name, decisions]) => ({ name, decisions }));
  return [...named, { name: null, decisions: toolless }]
    .filter((tool) => sum(tool) > 0)
    .sort((a, b) => sum(b) - sum(a));
}

const TEXT_LENGTH = 1000;
/** A longer chain shows the hooks that took longest, in their order. */
const MOST_HOOKS = 20;

const decisionOf = ({ decision }: LoggedRun): RunDecision =>
  RUN_DECISIONS.find((known) => known === decision) ?? "other";

/** One run of the report. Its texts are truncated to limit memory. */
function runFigures(run: LoggedRun): RunFigures {
  const started = run.hooks.filter(hasRun);
  const longest = [...started].sort((a, b) => b.durationMs - a.durationMs).slice(0, MOST_HOOKS);
  const ms = plausibleMs(run.timeMs);
  return {
    run_id: truncate(run.runId, NAME_LENGTH),
    time: ms === null ? null : localTime(ms),
    event: truncate(run.event, NAME_LENGTH),
    tool: cut(run.tool, NAME_LENGTH),
    call: cut(run.call, NAME_LENGTH),
    agent: cut(run.agent, NAME_LENGTH),
    project: cut(run.project, TEXT_LENGTH),
    decision: decisionOf(run),
    decided_by: cut(run.decidedBy, NAME_LENGTH),
    reason: cut(run.reason, TEXT_LENGTH),
    duration_ms: plausibleDuration(run.durationMs),
    hooks: started.filter((hook) => longest.includes(hook)).map((hook) => chainedHook(hook, run)),
    skipped_hooks: run.hooks.length - started.length,
    hidden_hooks: started.length - longest.length,
  };
}

const cut = (text: string | null, limit: number): string | null => (text === null ? null : truncate(text, limit));

const chainedHook = (hook: LoggedHook, run: LoggedRun): ChainedHook => ({
  name: truncate(hook.name, NAME_LENGTH),
  outcome: outcomeOf(hook, run),
  failure: cut(hook.failure, NAME_LENGTH),
  start_ms: hook.startMs === null ? null : plausibleDuration(hook.startMs),
  duration_ms: plausibleDuration(hook.durationMs),
});
