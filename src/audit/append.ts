import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { isUsersOwn } from "../fs/permissions.ts";
import { NOT_REGULAR } from "../fs/read-file.ts";
import { makeFolder } from "../fs/write-file.ts";
import { errnoCode } from "../protocol/errno.ts";
import { DEFAULT_LOG_LIMITS, type LogLimits } from "../protocol/run-record.ts";
import { listLogFiles } from "./log-files.ts";
import { removeLogFile } from "./remove-log.ts";

const MIB = 1024 * 1024;
const LARGEST_FILE_BYTES = 16 * MIB;
/** Whole files are removed to stay below a limit, so there are at least this many. */
const LEAST_FILES = 8;
const DAY_MS = 86_400_000;

/** A file that is larger is rotated. */
const rotateAtBytes = ({ sizeBytes }: LogLimits): number => Math.min(LARGEST_FILE_BYTES, sizeBytes / LEAST_FILES);

/** How often a line is appended that another process's partial line has corrupted. */
const MAX_ATTEMPTS = 8;
const LINE_BREAK = 0x0a;

/**
 * Appends one line with one write, so that lines of two processes do not mix. Returns null, or why it failed: a lost
 * line never changes a decision.
 */
export function appendLine(file: string, line: string, limits = DEFAULT_LOG_LIMITS): string | null {
  try {
    const descriptor = openLog(file);
    try {
      const stats = fstatSync(descriptor);
      // A write to a pipe that nobody reads would hold the tool call up for ever.
      if (!stats.isFile()) return NOT_REGULAR;
      if (!isUsersOwn(stats)) return "EPERM";
      const cause = appendWhole(descriptor, stats, Buffer.from(`\n${line}\n`, "utf8"));
      if (cause === null && isFull(stats, limits)) rotateLog(file, descriptor, limits);
      return cause;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return errnoCode(error) ?? "unknown";
  }
}

/** A file whose first line is old is rotated, too, because only rotated files are removed. */
function isFull({ size, birthtimeMs }: Stats, limits: LogLimits): boolean {
  if (size > rotateAtBytes(limits)) return true;
  // Some file systems do not know when a file was created.
  return limits.days !== null && birthtimeMs > 0 && Date.now() - birthtimeMs > (limits.days * DAY_MS) / LEAST_FILES;
}

/** A symbolic link is not followed: it could let another user choose which file is written. */
const APPENDING =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Creates the folder if it is missing, which is rare. */
function openLog(file: string): number {
  try {
    return openSync(file, APPENDING, 0o600);
  } catch (error) {
    if (errnoCode(error) !== "ENOENT") throw error;
    makeFolder(dirname(file));
    return openSync(file, APPENDING, 0o600);
  }
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
    if (isWholeLine(descriptor, stats.size, lineInBreaks)) return null;
    stats = fstatSync(descriptor);
  }
  return "EIO";
}

/** True if the file ends with a line break. After a full disk or a crash it may not. */
const endsWithLineBreak = (descriptor: number, size: number): boolean =>
  size === 0 || readAt(descriptor, size - 1, 1)[0] === LINE_BREAK;

/** True if the line is whole in the file, at or after the position `size`. */
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
export function rotateLog(file: string, descriptor: number, limits = DEFAULT_LOG_LIMITS): void {
  try {
    if (statSync(file).ino !== fstatSync(descriptor).ino) return;
    const stamp = new Date().toISOString().replaceAll(":", "-");
    renameSync(
      file,
      unusedName((count) => file.replace(/\.jsonl$/, `.${stamp}.${process.pid}${count}.jsonl`)),
    );
    removeOverLimits(file, limits);
  } catch {
    // Another process has rotated the file, or the next line will try again.
  }
}

/** A process may rotate twice in a millisecond. The later name sorts after the earlier one. */
function unusedName(nameOf: (count: string) => string): string {
  let count = 0;
  while (existsSync(nameOf(count === 0 ? "" : `_${count}`))) count += 1;
  return nameOf(count === 0 ? "" : `_${count}`);
}

/**
 * Removes the oldest rotated files until the next file to be written fits, too, even if several processes make it larger
 * than planned. Returns how many.
 */
export function removeOverLimits(file: string, limits: LogLimits): number {
  const rotated = listLogFiles(file).filter(({ path }) => path !== file);
  const oldestMs = limits.days === null ? Number.NEGATIVE_INFINITY : Date.now() - limits.days * DAY_MS;
  let room = limits.sizeBytes - 2 * rotateAtBytes(limits);
  let removed = 0;
  for (const { path, size, rotatedMs } of rotated.toReversed()) {
    room -= size;
    if (room >= 0 && (rotatedMs === null || rotatedMs >= oldestMs)) continue;
    removeLogFile(file, path);
    removed += 1;
  }
  return removed;
}
