import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isUsersOwn } from "../fs/permissions.ts";
import { makeFolder } from "../fs/write-file.ts";
import { errnoCode } from "../protocol/errno.ts";

const ROTATE_AT_BYTES = 16 * 1024 * 1024;
const MAX_ROTATED_FILES = 5;
/** How often a line is appended that another process's partial line has corrupted. */
const MAX_ATTEMPTS = 8;
const LINE_BREAK = 0x0a;

/**
 * Appends one line with one write, so that lines of two processes do not mix. Returns null, or the errno if it failed: a
 * lost line never changes a decision.
 */
export function appendLine(file: string, line: string, rotateAtBytes = ROTATE_AT_BYTES): string | null {
  try {
    const descriptor = openLog(file);
    try {
      const stats = fstatSync(descriptor);
      if (stats.isFile() && !isUsersOwn(stats)) return "EPERM";
      const cause = appendWhole(descriptor, stats, Buffer.from(`\n${line}\n`, "utf8"));
      if (cause === null && stats.size > rotateAtBytes) rotateLog(file, descriptor);
      return cause;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return errnoCode(error) ?? "unknown";
  }
}

/** A symbolic link is not followed: it could let another user choose which file is written. */
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** Creates the folder only if the file does not exist, which is rare. */
function openLog(file: string): number {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) makeFolder(dirname(file));
  return openSync(file, APPENDING, 0o600);
}

/**
 * A killed process may leave a partial line just before this write. So the line is read back, and appended again if it is
 * not whole.
 */
function appendWhole(descriptor: number, before: Stats, lineInBreaks: Buffer): string | null {
  let stats = before;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const text = endsWithLineBreak(descriptor, stats.size) ? lineInBreaks.subarray(1) : lineInBreaks;
    if (writeSync(descriptor, text) !== text.length) return "ENOSPC";
    // A pipe or a device cannot be read back.
    if (!stats.isFile() || isWholeLine(descriptor, stats.size, lineInBreaks)) return null;
    stats = fstatSync(descriptor);
  }
  return "EIO";
}

/** True if the file ends with a line break. After a full disk or a crash it may not. */
const endsWithLineBreak = (descriptor: number, size: number): boolean =>
  size === 0 || readAt(descriptor, size - 1, 1)[0] === LINE_BREAK;

/** True if the line is in the file as a line of its own, at or after the position `size`. */
function isWholeLine(descriptor: number, size: number, lineInBreaks: Buffer): boolean {
  const from = Math.max(0, size - 1);
  const isIn = (found: Buffer): boolean =>
    found.includes(lineInBreaks) || (from === size && found.indexOf(lineInBreaks.subarray(1)) === 0);
  // Usually no other process has written, and one small read is enough.
  if (isIn(readAt(descriptor, from, lineInBreaks.length + 1))) return true;
  return isIn(readAt(descriptor, from, fstatSync(descriptor).size - from));
}

function readAt(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from));
}

/**
 * Renames a full log. Each rotation has its own name, and only the file that was written is moved, so that two processes
 * that rotate at once lose nothing.
 */
export function rotateLog(file: string, descriptor: number): void {
  try {
    if (statSync(file).ino !== fstatSync(descriptor).ino) return;
    const stamp = new Date().toISOString().replaceAll(":", "-");
    renameSync(file, file.replace(/\.jsonl$/, `.${stamp}.${process.pid}.jsonl`));
    removeOldest(file);
  } catch {
    // Another process has rotated the file, or the next line will try again.
  }
}

function removeOldest(file: string): void {
  const folder = dirname(file);
  const stem = basename(file, ".jsonl");
  const old = readdirSync(folder).filter((name) => name.startsWith(`${stem}.2`) && name.endsWith(".jsonl"));
  for (const name of old.sort().slice(0, -MAX_ROTATED_FILES)) rmSync(join(folder, name), { force: true });
}
