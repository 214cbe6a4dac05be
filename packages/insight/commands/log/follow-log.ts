import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { type ScannedLine, scanLog } from "../../../../src/audit/read.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { Interrupt } from "../../../../src/process/process-request.ts";
import { signalExitCode } from "../../../../src/protocol/exit-code.ts";
import { ok } from "../../../../src/protocol/result.ts";
import type { LineFilter } from "./line-filter.ts";
import { latestLines, lineSelector } from "./selected-lines.ts";

interface FollowedLog {
  readonly file: string;
  readonly filter: LineFilter;
  /** The number of runs to show at first. */
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

/** Reports that the log may have changed. */
interface LogChanges {
  /** Settles after a change since the last call or a signal, and at the latest after `FALLBACK_MS`. */
  readonly next: () => Promise<void>;
  readonly close: () => void;
}

/** Lines that are written together are read together. */
const SETTLE_MS = 50;
/** Network file systems report no changes, and a folder that does not exist yet cannot be watched. */
const FALLBACK_MS = 2000;

function logChanges(file: string, interrupt: Interrupt): LogChanges {
  const stem = basename(file, ".jsonl");
  let hasChanged = false;
  let watcher: FSWatcher | null = null;
  let timer: NodeJS.Timeout | undefined;
  let wake = (): void => undefined;
  const wakeIn = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => wake(), ms);
  };
  const note = (name: string | null): void => {
    // Only the first change starts the timer, so that a busy log is read, too.
    if (hasChanged || (name !== null && !name.startsWith(stem))) return;
    hasChanged = true;
    wakeIn(SETTLE_MS);
  };
  const stopWatching = (): void => {
    watcher?.close();
    watcher = null;
  };
  const stopListening = interrupt.listen(() => wake());
  return {
    next: async () => {
      watcher ??= watchFolder(dirname(file), note, stopWatching);
      await new Promise<void>((settle) => {
        wake = settle;
        wakeIn(interrupt.raised() !== null ? 0 : hasChanged ? SETTLE_MS : FALLBACK_MS);
      });
      hasChanged = false;
    },
    close: () => {
      clearTimeout(timer);
      stopListening();
      stopWatching();
    },
  };
}

/** Returns null if the folder does not exist, or if the system's limit of watches is reached. */
function watchFolder(folder: string, note: (name: string | null) => void, onError: () => void): FSWatcher | null {
  try {
    return watch(folder, (_, name) => note(name)).on("error", onError);
  } catch {
    return null;
  }
}
