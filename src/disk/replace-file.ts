import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "./make-folder.ts";

/** Writes a file of our own in one step: a reader finds the old one or the new one, whole. Throws what the disk says. */
export function replaceFile(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${process.pid}`;
  makeFolder(dirname(file));
  try {
    writeFileSync(draft, content, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
