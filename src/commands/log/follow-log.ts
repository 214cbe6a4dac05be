import { type ScannedLine, scanLog } from "../../audit/read.ts";
import { type CommandResult, print } from "../../cli/command-result.ts";
import type { Host } from "../../host.ts";
import { signalExitCode } from "../../protocol/exit-code.ts";
import { ok } from "../../protocol/result.ts";
import type { LineFilter } from "./line-filter.ts";
import { type LogChanges, logChanges } from "./log-changes.ts";
import { latestLines, lineSelector } from "./selected-lines.ts";

export interface FollowedLog {
  readonly file: string;
  readonly filter: LineFilter;
  /** How many runs are shown at first. */
  readonly count: number;
  readonly show: (lines: readonly ScannedLine[]) => string;
}

/** Prints the latest lines, and new ones as they are written, until a signal. */
export async function followLog(followed: FollowedLog, host: Host): Promise<CommandResult> {
  const changes = logChanges(followed.file, host.interrupt);
  try {
    return await printUntilSignal(followed, changes, host);
  } finally {
    changes.close();
  }
}

async function printUntilSignal(
  { file, filter, count, show }: FollowedLog,
  changes: LogChanges,
  host: Host,
): Promise<CommandResult> {
  const latest = latestLines(file, filter, count);
  const isSelected = lineSelector(filter);
  for (const { line } of latest.lines) isSelected(line);
  let position = latest.end;
  let lines = latest.lines;
  for (;;) {
    const printed = lines.length === 0 ? ok(0) : print(show(lines), host);
    const signal = host.interrupt.raised();
    if (signal !== null) return ok(signalExitCode(signal));
    if (!printed.ok) return printed;
    await changes.next();
    const fresh: ScannedLine[] = [];
    for (const one of scanLog(file, { after: position })) {
      position = one.position;
      if (isSelected(one.line)) fresh.push(one);
    }
    lines = fresh;
  }
}
