import { closeSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { NOT_REGULAR, openRegularFile } from "../fs/read-file.ts";
import { errnoCode } from "../protocol/errno.ts";
import { ProblemError } from "../protocol/result.ts";
import { decodeUtf8 } from "../protocol/text/text.ts";

const CHUNK_BYTES = 64 * 1024;
/** A longer line was not written by hookctl. It is skipped, which bounds the memory. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;
const LINE_BREAK = 0x0a;
const NO_BYTES = Buffer.alloc(0);

/** One file of a log: the one that is written, or one that was rotated. */
export interface LogFile {
  readonly path: string;
  /** Rotation does not change the inode. */
  readonly inode: number;
  readonly size: number;
  /** When it was rotated, by its name; null if it is still written, or if the name has no time. */
  readonly rotatedMs: number | null;
}

/** A line as text, and the offset at which it ends. */
export interface FileLine {
  readonly text: string;
  readonly end: number;
}

/** The files of a log, oldest first. A file that is rotated meanwhile is listed once. */
export function listLogFiles(file: string): readonly LogFile[] {
  const current = logFileAt(file, null);
  const rotated = rotatedPaths(file).flatMap((path) => logFileAt(path, rotatedAt(path)) ?? []);
  const others = rotated.filter(({ inode }) => inode !== current?.inode);
  // The current file was looked up first: if it was rotated since, it is the newest of the rotated ones.
  return current === null ? others : [...others, rotated.find(({ inode }) => inode === current.inode) ?? current];
}

function logFileAt(path: string, rotatedMs: number | null): LogFile | null {
  const stats = nullIfAbsent(path, () => statSync(path));
  if (stats === null) return null;
  if (!stats.isFile()) throw notRead(path, NOT_REGULAR);
  return { path, inode: stats.ino, size: stats.size, rotatedMs };
}

/** Returns null if there is no such file. Any other error ends the command: an unreadable log is not empty. */
export function nullIfAbsent<T>(path: string, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const cause = errnoCode(error) ?? NOT_REGULAR;
    if (cause === "ENOENT" || cause === "ENOTDIR") return null;
    throw notRead(path, cause);
  }
}

const notRead = (path: string, cause: string): ProblemError => new ProblemError({ code: "LOG_NOT_READ", path, cause });

/** Their names contain the time, so they sort by it. */
function rotatedPaths(file: string): readonly string[] {
  const [folder, stem] = [dirname(file), basename(file, ".jsonl")];
  const names = nullIfAbsent(folder, () => readdirSync(folder)) ?? [];
  const rotated = names.filter((name) => name.startsWith(`${stem}.2`) && name.endsWith(".jsonl"));
  return rotated.sort().map((name) => join(folder, name));
}

/** `audit.2026-03-04T14-02-11.000Z.4711.jsonl` */
function rotatedAt(path: string): number | null {
  const [, day, hours, minutes, seconds] = /\.(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)/.exec(path) ?? [];
  const ms = Date.parse(`${day}T${hours}:${minutes}:${seconds}`);
  return Number.isNaN(ms) ? null : ms;
}

/** Reads the lines of a file from an offset on. A line that is not UTF-8, or too long, is skipped. */
export function* linesFromStart(path: string, from = 0): Generator<FileLine> {
  const open = nullIfAbsent(path, () => openRegularFile(path));
  if (open === null) return;
  try {
    for (const { bytes, end } of readLines(open.descriptor, MAX_LINE_BYTES, from)) {
      const line = bytes === null ? null : lineOf(bytes, end);
      if (line !== null) yield line;
    }
  } finally {
    closeSync(open.descriptor);
  }
}

/** The bytes of a line are valid only until the next line is read; null for a line that is too long. */
interface LineBytes {
  readonly bytes: Buffer | null;
  /** The offset after its line break. */
  readonly end: number;
  /** False for the rest of a file after its last line break. */
  readonly isWhole: boolean;
}

/** Reads a file line by line, from an offset on, in bounded memory. */
export function* readLines(descriptor: number, longest: number, from = 0): Generator<LineBytes> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let rest: Buffer[] = [];
  let restBytes = 0;
  const joined = (last: Buffer): Buffer | null => {
    if (restBytes + last.length > longest) return null;
    return rest.length === 0 ? last : Buffer.concat([...rest, last]);
  };
  for (let at = from; ; ) {
    const count = readSync(descriptor, chunk, 0, CHUNK_BYTES, at);
    if (count === 0) {
      if (restBytes > 0) yield { bytes: joined(NO_BYTES), end: at, isWhole: false };
      return;
    }
    const read = chunk.subarray(0, count);
    let start = 0;
    for (let cut = read.indexOf(LINE_BREAK); cut >= 0; cut = read.indexOf(LINE_BREAK, start)) {
      yield { bytes: joined(read.subarray(start, cut)), end: at + cut + 1, isWhole: true };
      rest = [];
      restBytes = 0;
      start = cut + 1;
    }
    restBytes += count - start;
    // A line that is too long is discarded. The rest is copied, because the next read overwrites the chunk.
    if (restBytes > longest) rest = [];
    else if (start < count) rest.push(Buffer.from(read.subarray(start)));
    at += count;
  }
}

/** Reads the lines of a file, the last one first. */
export function* linesFromEnd(path: string): Generator<FileLine> {
  const open = nullIfAbsent(path, () => openRegularFile(path));
  if (open === null) return;
  try {
    let rest: Buffer = NO_BYTES;
    let isTooLong = false;
    for (let at = open.stats.size; at > 0; ) {
      const from = Math.max(0, at - CHUNK_BYTES);
      const chunk = Buffer.alloc(at - from);
      const bytes = Buffer.concat([chunk.subarray(0, readSync(open.descriptor, chunk, 0, chunk.length, from)), rest]);
      at = from;
      let end = bytes.length;
      for (let cut = lastBreak(bytes, end); cut >= 0; cut = lastBreak(bytes, cut)) {
        const line = isTooLong ? null : lineOf(bytes.subarray(cut + 1, end), at + end);
        if (line !== null) yield line;
        isTooLong = false;
        end = cut;
      }
      isTooLong ||= end > MAX_LINE_BYTES;
      rest = isTooLong ? NO_BYTES : bytes.subarray(0, end);
    }
    const first = isTooLong ? null : lineOf(rest, rest.length);
    if (first !== null) yield first;
  } finally {
    closeSync(open.descriptor);
  }
}

const lastBreak = (bytes: Buffer, before: number): number =>
  before === 0 ? -1 : bytes.lastIndexOf(LINE_BREAK, before - 1);

function lineOf(bytes: Buffer, end: number): FileLine | null {
  const text = bytes.length === 0 || bytes.length > MAX_LINE_BYTES ? null : decodeUtf8(bytes);
  return text === null ? null : { text, end };
}
