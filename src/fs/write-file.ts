import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "./make-folder.ts";

/**
 * Writes a file in one step, by default for its owner alone: a reader finds the old content or the new one, whole. Throws
 * what the disk says, and then leaves nothing behind.
 */
export function writeFileAtomic(file: string, content: string | Uint8Array, mode = 0o600): void {
  const draft = `${file}.hookctl-${process.pid}`;
  makeFolder(dirname(file));
  try {
    // What a killed process of the same number has left, or a link that somebody put there.
    rmSync(draft, { force: true });
    writeFileSync(draft, content, { mode, flag: "wx" });
    chmodSync(draft, mode);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
