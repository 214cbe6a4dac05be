import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { errnoCode } from "../../../src/protocol/errno.ts";

/** Collects the paths that are written in some folders. */
export interface FolderWatch {
  /** Watches these folders from now on; returns those that cannot be watched, with the reason. */
  readonly update: (folders: readonly string[]) => readonly string[];
  /** Settles when files were written and it has been quiet for a moment. */
  readonly saved: () => Promise<readonly string[]>;
  readonly close: () => void;
}

/** Editors save in several steps: they write a new file, rename it and change its mode. */
const QUIET_MS = 80;

export function watchFolders(): FolderWatch {
  let watchers: FSWatcher[] = [];
  const paths = new Set<string>();
  let waiting: ((paths: readonly string[]) => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    if (waiting === null || paths.size === 0) return;
    const [done, all] = [waiting, [...paths]];
    waiting = null;
    paths.clear();
    done(all);
  };
  const settleWhenQuiet = (): void => {
    clearTimeout(timer);
    timer = setTimeout(settle, QUIET_MS);
  };
  const add = (folder: string): readonly string[] => {
    try {
      const watcher = watch(folder, (_, name) => {
        paths.add(name === null ? folder : join(folder, name));
        settleWhenQuiet();
      });
      watcher.on("error", () => watcher.close());
      watchers.push(watcher);
      return [];
    } catch (error) {
      return [`${folder}: ${errnoCode(error) ?? "unknown"}`];
    }
  };
  return {
    update: (folders) => {
      const before = watchers;
      watchers = [];
      const faults = folders.flatMap(add);
      // A recreated folder needs a new watcher; all are replaced, so that no pending event of an old one is lost.
      for (const watcher of before) watcher.close();
      return faults;
    },
    saved: () =>
      new Promise((done) => {
        waiting = done;
        if (timer !== undefined) settleWhenQuiet();
      }),
    close: () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
