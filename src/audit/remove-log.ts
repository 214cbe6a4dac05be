import { appendFileSync, existsSync, statSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errnoCode } from "../protocol/errno.ts";
import { isProblemError } from "../protocol/result.ts";
import { linesFromStart } from "./log-files.ts";

/** The file with the position of `hookctl export`. */
export const exportCursorFile = (auditFile: string): string => join(dirname(auditFile), "export.json");

/** Lists the files that were removed from an exported log. A separate file, because the log loses its oldest lines. */
export const removalsFile = (auditFile: string): string => join(dirname(auditFile), "export-removed.jsonl");

/** A file that was removed from the log, with its number of lines. */
export interface RemovedFile {
  readonly inode: number;
  readonly lines: number;
}

/** Removes a file of a log. If it is the audit log, and exported, notes what is gone, so that lost runs are counted. */
export function removeLogFile(log: string, path: string): void {
  const isExported = basename(log) === "audit.jsonl" && existsSync(exportCursorFile(log));
  const removed = isExported ? countLines(path) : null;
  try {
    // Of two processes that remove the same file, only one gets past this.
    unlinkSync(path);
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return;
    throw error;
  }
  if (removed !== null) appendFileSync(removalsFile(log), `${JSON.stringify(removed)}\n`, { mode: 0o600 });
}

function countLines(path: string): RemovedFile | null {
  const inode = statSync(path, { throwIfNoEntry: false })?.ino;
  if (inode === undefined) return null;
  let lines = 0;
  try {
    for (const _line of linesFromStart(path)) lines += 1;
  } catch (error) {
    // A file that cannot be read is removed all the same, so that the log keeps its limits.
    if (!isProblemError(error)) throw error;
  }
  return { inode, lines };
}
