import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Writes a file in one step: a reader finds the old text or the new one. Throws what the disk says. */
export function swap(file: string, text: string, mode: number): void {
  const draft = `${file}.hookctl-${process.pid}`;
  try {
    writeFileSync(draft, text, { mode, flag: "wx" });
    chmodSync(draft, mode);
    renameSync(draft, file);
  } catch (error) {
    // One that was there already is somebody else's.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(draft, { force: true });
    throw error;
  }
}
