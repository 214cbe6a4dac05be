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
import { makeFolder } from "../fs/make-folder.ts";
import { isUsersOwn } from "../fs/permissions.ts";
import { errnoCode } from "../protocol/errno.ts";

const ROTATE_AT_BYTES = 16 * 1024 * 1024;
const MAX_ROTATED_FILES = 5;
/** A file into which others write halves of lines faster than this is no record any more. */
const MAX_ATTEMPTS = 8;
const LINE_BREAK = 0x0a;

/**
 * Appends one line in one write, which the system does not mix with another process's. Null when it is stored, else
 * the errno of why not: a lost line never changes a decision (SPEC 11).
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

/** Not through a link: whoever put it there would choose which file grows. */
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** The folder is made when it is missing: nearly always it is there. */
function openLog(file: string): number {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) makeFolder(dirname(file));
  return openSync(file, APPENDING, 0o600);
}

/**
 * A writer that is killed may leave half a line between our look and our write, and ours is joined to it. So we look
 * again afterwards, and a line that does not stand whole is appended once more.
 */
function appendWhole(descriptor: number, before: Stats, lineInBreaks: Buffer): string | null {
  let stats = before;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const text = endsWithLineBreak(descriptor, stats.size) ? lineInBreaks.subarray(1) : lineInBreaks;
    if (writeSync(descriptor, text) !== text.length) return "ENOSPC";
    // A pipe or a device in the record's place keeps nothing that could be read again.
    if (!stats.isFile() || isWholeLine(descriptor, stats.size, lineInBreaks)) return null;
    stats = fstatSync(descriptor);
  }
  return "EIO";
}

/** A full disk or a crash of the machine may have cut the last line short: ours must not be joined to it. */
const endsWithLineBreak = (descriptor: number, size: number): boolean =>
  size === 0 || readAt(descriptor, size - 1, 1)[0] === LINE_BREAK;

/** Is the line there as a line of its own, at `size` where it was meant to be, or after those that others wrote since? */
function isWholeLine(descriptor: number, size: number, lineInBreaks: Buffer): boolean {
  const from = Math.max(0, size - 1);
  const isIn = (found: Buffer): boolean =>
    found.includes(lineInBreaks) || (from === size && found.indexOf(lineInBreaks.subarray(1)) === 0);
  // Nearly always nobody else has written; then one small read is enough.
  if (isIn(readAt(descriptor, from, lineInBreaks.length + 1))) return true;
  return isIn(readAt(descriptor, from, fstatSync(descriptor).size - from));
}

function readAt(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from));
}

/**
 * A name of its own for each rotation: two processes that rotate at once lose nothing. Only the file that was too large
 * is moved, not the fresh one that another process may have begun meanwhile; and the line is stored either way.
 */
export function rotateLog(file: string, descriptor: number): void {
  try {
    if (statSync(file).ino !== fstatSync(descriptor).ino) return;
    const stamp = new Date().toISOString().replaceAll(":", "-");
    renameSync(file, file.replace(/\.jsonl$/, `.${stamp}.${process.pid}.jsonl`));
    removeOldest(file);
  } catch {
    // Another process has rotated, or the next line tries again.
  }
}

function removeOldest(file: string): void {
  const folder = dirname(file);
  const stem = basename(file, ".jsonl");
  const old = readdirSync(folder).filter((name) => name.startsWith(`${stem}.2`) && name.endsWith(".jsonl"));
  for (const name of old.sort().slice(0, -MAX_ROTATED_FILES)) rmSync(join(folder, name), { force: true });
}
