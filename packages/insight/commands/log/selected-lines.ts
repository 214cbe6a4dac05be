import { type LogPosition, newestFirst, type ScannedLine, scanLog } from "../../../../src/audit/read.ts";
import type { CommonOptions } from "../../../../src/cli/command-table.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { isUnmatched, LONGEST_RUN_MS, type LoggedLine, type LoggedRun } from "../../../../src/protocol/logged-run.ts";
import type { UsageProblem } from "../../../../src/protocol/problem.ts";
import { explain } from "../../../../src/protocol/problem-messages/explain.ts";
import { progressLine } from "../../../screen/progress-line.ts";
import type { LineFilter } from "./line-filter.ts";

export interface LatestLines {
  /** Oldest first. */
  readonly lines: readonly ScannedLine[];
  /** The end of the newest line of the log, selected or not; null if the log is empty. */
  readonly end: LogPosition | null;
  /** True if the log has older ones; looked for only if it is asked for, because it may take reading the whole log. */
  readonly hasMore: boolean;
}

/** The latest selected runs with the shell commands that they started, and the pauses between them. */
export function latestLines(
  file: string,
  filter: LineFilter,
  count: number,
  { onProgress }: ReadingProgress,
  seeksMore = false,
): LatestLines {
  const found: ScannedLine[] = [];
  // A run's commands follow it in the file, so they are read before it.
  const shells = new Map<string, ScannedLine[]>();
  let end: LogPosition | null = null;
  let runs = 0;
  for (const one of newestFirst(file, "", onProgress)) {
    const { line, position } = one;
    end ??= position;
    if (isBefore(line, filter)) break;
    if (runs === count) {
      if (line.kind === "run" && filter.isWanted(line)) return { lines: found.reverse(), end, hasMore: true };
      continue;
    }
    if (line.kind === "shell") shells.set(line.runId, [...(shells.get(line.runId) ?? []), one]);
    else if (filter.isWanted(line)) found.push(...(line.kind === "run" ? (shells.get(line.runId) ?? []) : []), one);
    if (line.kind !== "run") continue;
    shells.delete(line.runId);
    if (filter.isWanted(line) && ++runs === count && !seeksMore) break;
  }
  return { lines: found.reverse(), end, hasMore: false };
}

/** True if no earlier line of the log can be in the range. */
const isBefore = ({ timeMs }: LoggedLine, { sinceMs }: LineFilter): boolean =>
  sinceMs !== null && timeMs !== null && timeMs < sinceMs - LONGEST_RUN_MS;

/** All selected lines of the range, oldest first. */
export function* wantedLines(
  file: string,
  filter: LineFilter,
  onProgress: (done: number) => void,
): Generator<ScannedLine> {
  const isSelected = lineSelector(filter);
  const { sinceMs, untilMs } = filter;
  for (const one of scanLog(file, { sinceMs, untilMs, onProgress })) if (isSelected(one.line)) yield one;
}

/** The number of runs that may be written between a run and its last shell command. */
const RECENT_RUNS = 1000;

/** Selects lines that arrive oldest first, each run with its shell commands. */
export function lineSelector(filter: LineFilter): (line: LoggedLine) => boolean {
  const recent = new Set<string>();
  return (line) => {
    if (line.kind === "shell") return recent.has(line.runId);
    if (!filter.isWanted(line)) return false;
    if (line.kind === "run") recent.add(line.runId);
    const [oldest] = recent;
    if (recent.size > RECENT_RUNS && oldest !== undefined) recent.delete(oldest);
    return true;
  };
}

/** All selected runs of the range in which a hook ran or was refused, oldest first. */
export function* wantedRuns(
  file: string | null,
  { sinceMs, untilMs, isRunWanted }: LineFilter,
  onProgress: (done: number) => void,
): Generator<LoggedRun> {
  if (file === null) return;
  for (const { line } of scanLog(file, { sinceMs, untilMs, onProgress }))
    if (line.kind === "run" && !isUnmatched(line) && isRunWanted(line)) yield line;
}

/** A line on the terminal while a long log is read. */
export interface ReadingProgress {
  readonly onProgress: (done: number) => void;
  /** Removes the line, so that something else can be written. */
  readonly clear: () => void;
  readonly end: () => void;
}

export function readingProgress({ quiet }: { readonly quiet: boolean }, host: Host): ReadingProgress {
  let done = 0;
  const { update, clear, end } = progressLine(host, quiet, () => `Reading the audit log: ${Math.floor(done * 100)} %`);
  const onProgress = (now: number): void => {
    done = now;
    update();
  };
  return { onProgress, clear, end };
}

/** Why there is nothing to show, and the next command. */
export async function nothingRecorded(
  { auditFile, settings }: Pick<RunContext, "auditFile" | "settings">,
  options: CommonOptions,
  host: Host,
): Promise<string> {
  if (settings.record === "off") return "• No runs are recorded: your settings say `record: off`.\n";
  if (auditFile === null)
    return "• No runs are recorded: there is no private folder for the audit log. See: hookctl doctor\n";
  if (isEmptyLog(auditFile)) {
    const { summary, hint } = explain(await unrecorded(options, host));
    return `• ${summary} ${hint}\n`;
  }
  return "• No recorded run matches. All runs: hookctl log\n";
}

/** The problem of an empty log. */
export async function unrecorded(options: CommonOptions, host: Host): Promise<UsageProblem> {
  const { connectedAgents } = await import("../../../connect/doctor/agent-checks.ts");
  const isConnected = connectedAgents(options, host).length > 0;
  return { code: "USAGE_UNKNOWN_RUN", run: "", session: null, isConnected };
}

export const isEmptyLog = (file: string): boolean => newestFirst(file).next().done === true;
