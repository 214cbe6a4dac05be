import { SHELL_EXECUTED } from "../../audit/log-lines.ts";
import { type AuditEntry, numberField, readAuditLog, textField } from "../../audit/read.ts";
import { clockText } from "../../engine/clock-text.ts";
import type { LoggedRun, LoggedShell } from "../../report/log-text.ts";

const isShell = (entry: AuditEntry): boolean => textField(entry, "kind") === SHELL_EXECUTED;
/** An entry with a kind was written for something else than a run, perhaps by a later version. */
const isRun = ({ members }: AuditEntry): boolean => !members.has("kind");

/** Returns the latest matching runs with the shell commands they started, oldest first. */
export function latestEntries(
  file: string,
  count: number,
  isWanted: (entry: AuditEntry) => boolean,
): readonly AuditEntry[] {
  const found: AuditEntry[] = [];
  let runs = 0;
  for (const entry of readAuditLog(file)) {
    if (!isWanted(entry) || (!isRun(entry) && !isShell(entry))) continue;
    found.push(entry);
    // A run's commands follow it in the file, so they were read before it.
    if (isRun(entry) && ++runs === count) break;
  }
  return found.reverse();
}

export const runsIn = (entries: readonly AuditEntry[]): readonly AuditEntry[] => entries.filter(isRun);

export function loggedRun(entry: AuditEntry, nowMs: number): LoggedRun {
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

export const loggedShells = (entries: readonly AuditEntry[]): readonly LoggedShell[] =>
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
