import { hasRun, type LoggedHook, type LoggedRun } from "../../protocol/logged-run.ts";
import { truncate } from "../../protocol/text/text.ts";
import { type ChainedHook, RUN_DECISIONS, type RunDecision, type RunFigures } from "../../report/page/report-data.ts";
import { NAME_LENGTH, outcomeOf } from "./hook-totals.ts";
import { localTime, plausibleDuration, plausibleMs } from "./local-time.ts";

const TEXT_LENGTH = 1000;
/** A longer chain shows the hooks that took longest, in their order. */
const MOST_HOOKS = 20;

export const decisionOf = ({ decision }: LoggedRun): RunDecision =>
  RUN_DECISIONS.find((known) => known === decision) ?? "other";

/** One run as the report keeps it. Its texts are cut, so that a few of them stay small. */
export function runFigures(run: LoggedRun): RunFigures {
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
