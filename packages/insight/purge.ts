import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { linesFromStart, listLogFiles } from "../../src/audit/log-files.ts";
import { removeLogFile } from "../../src/audit/remove-log.ts";
import { isUsersOwn } from "../../src/fs/permissions.ts";
import { errnoCode } from "../../src/protocol/errno.ts";

export interface Purged {
  /** Files that were removed as a whole. */
  readonly files: number;
  /** Lines that were erased in files with newer lines. */
  readonly lines: number;
  /** Why old lines could not be removed; null: all were. */
  readonly cause: string | null;
}

const SPACE = 0x20;
const LINE_BREAK = 0x0a;

/** Removes the lines of a log that are older than a time; null: all of them. */
export function purgeLog(file: string, beforeMs: number | null): Purged {
  let [files, lines, cause]: [number, number, string | null] = [0, 0, null];
  for (const { path, rotatedMs } of listLogFiles(file)) {
    try {
      // Its newest line was written before it was rotated.
      if (beforeMs === null || (rotatedMs !== null && rotatedMs < beforeMs)) {
        removeLogFile(file, path);
        files += 1;
      } else lines += eraseLines(path, beforeMs);
    } catch (error) {
      cause = errnoCode(error) ?? "unknown";
    }
  }
  return { files, lines, cause };
}

/**
 * Overwrites the old lines with spaces, so that the newer lines keep their position: other processes may append to the
 * file meanwhile, or continue to read it.
 */
function eraseLines(path: string, beforeMs: number): number {
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isUsersOwn(stats)) throw Object.assign(new Error(path), { code: "EPERM" });
    let lines = 0;
    for (const { text, end } of linesFromStart(path)) {
      const timeMs = timeOf(text);
      if (timeMs === null || timeMs >= beforeMs) continue;
      const length = Buffer.byteLength(text);
      // The last line of a file may lack its line break.
      const start = end - length - (byteAt(descriptor, end - 1) === LINE_BREAK ? 1 : 0);
      writeSync(descriptor, Buffer.alloc(length, SPACE), 0, length, start);
      lines += 1;
    }
    return lines;
  } finally {
    closeSync(descriptor);
  }
}

function byteAt(descriptor: number, position: number): number | undefined {
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, position);
  return byte[0];
}

function timeOf(line: string): number | null {
  const [, time] = /"time":"([^"]{1,40})"/.exec(line.slice(0, 200)) ?? [];
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? null : ms;
}
