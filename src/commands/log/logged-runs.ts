import { type AuditEntry, numberField, readAuditLog, textField } from "../../audit/read.ts";
import { clockText } from "../../engine/clock-text.ts";
import { PAUSE_KINDS, SHELL_EXECUTED } from "../../protocol/logged-run.ts";
import type { PauseRow, RunRow, ShellRow } from "../../report/log-text.ts";

const isShell = (entry: AuditEntry): boolean => textField(entry, "kind") === SHELL_EXECUTED;
const isPause = (entry: AuditEntry): boolean => PAUSE_KINDS.some((kind) => kind === textField(entry, "kind"));
/** An entry with a kind was written for something else than a run, perhaps by a later version. */
const isRun = ({ members }: AuditEntry): boolean => !members.has("kind");

/** Returns the latest matching runs with the shell commands they started and the pauses between them, oldest first. */
export function latestEntries(
  file: string,
  count: number,
  isWanted: (entry: AuditEntry) => boolean,
): readonly AuditEntry[] {
  const found: AuditEntry[] = [];
  let runs = 0;
  for (const entry of readAuditLog(file)) {
    if (!isWanted(entry) || (!isRun(entry) && !isShell(entry) && !isPause(entry))) continue;
    found.push(entry);
    // A run's commands follow it in the file, so they were read before it.
    if (isRun(entry) && ++runs === count) break;
  }
  return found.reverse();
}

export const runsIn = (entries: readonly AuditEntry[]): readonly AuditEntry[] => entries.filter(isRun);

/** The pauses that began or ended; each stands before the run that followed it. */
export const loggedPauses = (entries: readonly AuditEntry[], nowMs: number): readonly PauseRow[] =>
  entries.flatMap((entry, at) => {
    if (!isPause(entry)) return [];
    const next = entries.slice(at).find(isRun);
    const hook = textField(entry, "hook") ?? "";
    const project = textField(entry, "project");
    return [
      {
        time: timeText(textField(entry, "time") ?? "", nowMs),
        hook,
        endText: textField(entry, "kind") === "hook_paused" ? timeText(textField(entry, "until") ?? "", nowMs) : null,
        project,
        by: textField(entry, "by") ?? "",
        nextRunId: next === undefined ? null : textField(next, "run_id"),
      },
    ];
  });

export function loggedRun(entry: AuditEntry, nowMs: number): RunRow {
  return {
    time: timeText(textField(entry, "time") ?? "", nowMs),
    runId: textField(entry, "run_id") ?? "",
    event: textField(entry, "event") ?? "",
    tool: textField(entry, "tool") ?? "",
    decision: textField(entry, "decision") ?? "",
    decidedBy: textField(entry, "decided_by") ?? "",
    durationMs: numberField(entry, "duration_ms") ?? 0,
  };
}

export const loggedShells = (entries: readonly AuditEntry[]): readonly ShellRow[] =>
  entries.filter(isShell).map((entry) => ({
    runId: textField(entry, "run_id") ?? "",
    scheme: textField(entry, "scheme") ?? "",
    command: textField(entry, "command") ?? "",
    rc: numberField(entry, "rc") ?? 0,
  }));

function timeText(isoTime: string, nowMs: number): string {
  const atMs = Date.parse(isoTime);
  return Number.isNaN(atMs) ? "--:--:--" : clockText(atMs, nowMs, { hasSeconds: true });
}
