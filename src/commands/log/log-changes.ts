import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Interrupt } from "../../process/process-request.ts";

/** Tells when a log may have changed. */
export interface LogChanges {
  /** Settles after a change since the last call or a signal, and at the latest after `FALLBACK_MS`. */
  readonly next: () => Promise<void>;
  readonly close: () => void;
}

/** Lines that are written together are read together. */
const SETTLE_MS = 50;
/** Network file systems report no changes, and a folder that does not exist yet cannot be watched. */
const FALLBACK_MS = 2000;

export function logChanges(file: string, interrupt: Interrupt): LogChanges {
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
    // Only the first change sets the timer: a log that is written all the time is read as well.
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

/** Null: the folder does not exist, or the system watches no more folders. */
function watchFolder(folder: string, note: (name: string | null) => void, onError: () => void): FSWatcher | null {
  try {
    return watch(folder, (_, name) => note(name)).on("error", onError);
  } catch {
    return null;
  }
}
