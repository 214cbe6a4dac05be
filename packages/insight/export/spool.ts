import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import {
  type LogFile,
  linesFromStart,
  listLogFiles,
  MAX_LINE_BYTES,
  nullIfAbsent,
} from "../../../src/audit/log-files.ts";
import { type RemovedFile, removalsFile } from "../../../src/audit/remove-log.ts";
import { withRegularFile } from "../../../src/fs/read-file.ts";
import { objectOr, parsedOrUndefined } from "../../../src/protocol/json/read.ts";
import { decodeUtf8Lossy } from "../../../src/protocol/text/text.ts";
import type { FilePosition } from "./cursor.ts";

/** The size of a request: about 700 runs, in a body of 2 MiB before compression. */
const BATCH_BYTES = 512 * 1024;
const LINE_BREAK = 0x0a;

/** One file of the audit log, and the exported position in it. */
export interface SpoolFile extends LogFile {
  /** True if lines are still appended. */
  readonly isLive: boolean;
  readonly position: FilePosition;
}

export interface Spool {
  /** Oldest first. */
  readonly files: readonly SpoolFile[];
  /** Positions in files that no longer exist. */
  readonly gone: readonly FilePosition[];
}

/** Finds each file of the log again, also after it was rotated, replaced or shortened. */
export function openSpool(auditFile: string, positions: readonly FilePosition[]): Spool {
  const files = listLogFiles(auditFile);
  const kept = files.map((file) => positions.find((one) => one.inode === file.inode && isStillAt(one, file)));
  const missing = positions.filter((one) => !kept.includes(one));
  const found = files.map((file, index) => kept[index] ?? positionIn(file, missing) ?? BEGINNING);
  return {
    files: files.map((file, index) => {
      const isLive = file.path === auditFile;
      const { inode, size } = file;
      return { ...file, isLive, position: { ...(found[index] ?? BEGINNING), inode, size, isLive } };
    }),
    gone: missing.filter(({ last }) => last === null || !found.some((one) => one.last?.hash === last.hash)),
  };
}

const BEGINNING: Pick<FilePosition, "offset" | "lines" | "last"> = { offset: 0, lines: 0, last: null };

/** True if the line before the offset is the one that was exported last, or `log --purge` has erased it since. */
function isStillAt({ offset, last }: FilePosition, { path, inode, size }: LogFile): boolean {
  if (last === null) return offset === 0;
  if (offset > size) return false;
  const bytes = bytesOf(path, inode, { from: offset - last.length, length: last.length });
  return bytes !== null && (digest(bytes) === last.hash || bytes.toString("latin1").trim() === "");
}

/**
 * Searches for the last exported line of a missing file: another program may have moved the rest of it to a new one.
 */
function positionIn(file: LogFile, missing: readonly FilePosition[]): typeof BEGINNING | null {
  const lengths = new Set(missing.map(({ last }) => last?.length));
  if (missing.every(({ last }) => last === null)) return null;
  let found: typeof BEGINNING | null = null;
  let lines = 0;
  for (const { text, end } of linesFromStart(file.path)) {
    lines += 1;
    const bytes = Buffer.from(`${text}\n`, "utf8");
    if (!lengths.has(bytes.length)) continue;
    const hash = digest(bytes);
    if (!missing.some(({ last }) => last?.hash === hash)) continue;
    found = { offset: end, lines, last: { length: bytes.length, hash } };
  }
  return found;
}

/** The next lines of a file, and the position after them. */
export interface Batch {
  readonly lines: readonly string[];
  readonly after: FilePosition;
}

/** Reads the next lines, or null if there is no complete line yet. `end` is the end of a batch that was sent before. */
export function readBatch({ path, inode, size, isLive, position }: SpoolFile, end: number | null): Batch | null {
  const { offset } = position;
  for (let length = end === null ? BATCH_BYTES : end - offset; ; length = Math.min(length * 2, MAX_LINE_BYTES)) {
    const bytes = bytesOf(path, inode, { from: offset, length });
    if (bytes === null || bytes.length === 0) return null;
    const cut = bytes.lastIndexOf(LINE_BREAK) + 1;
    if (cut > 0) return batchOf(bytes.subarray(0, cut), { ...position, size });
    // A killed writer left half a line. In a file that was rotated it stays half.
    if (bytes.length < length) return isLive ? null : batchOf(bytes, { ...position, size });
    if (length >= MAX_LINE_BYTES) return afterLongLine(path, { ...position, size });
  }
}

function batchOf(bytes: Buffer, before: FilePosition): Batch {
  const lines = decodeUtf8Lossy(bytes)
    .text.split("\n")
    .filter((line) => line !== "");
  const lastBreak = bytes.length < 2 ? -1 : bytes.lastIndexOf(LINE_BREAK, bytes.length - 2);
  const last = bytes.subarray(lastBreak + 1);
  const after = {
    ...before,
    offset: before.offset + bytes.length,
    lines: before.lines + lines.length,
    last: { length: last.length, hash: digest(last) },
  };
  return { lines, after };
}

/** Skips a line that does not fit into memory; it counts as one unreadable line. */
function afterLongLine(path: string, before: FilePosition): Batch | null {
  return withRegularFile(path, ({ descriptor }) => {
    const chunk = Buffer.allocUnsafe(BATCH_BYTES);
    for (let at = before.offset; ; at += chunk.length) {
      const count = readSync(descriptor, chunk, 0, chunk.length, at);
      if (count === 0) return null;
      const cut = chunk.subarray(0, count).indexOf(LINE_BREAK);
      if (cut < 0) continue;
      const length = Math.min(cut + 1, 64);
      const hash = digest(chunk.subarray(cut + 1 - length, cut + 1));
      return {
        lines: ["(too long)"],
        after: { ...before, offset: at + cut + 1, lines: before.lines + 1, last: { length, hash } },
      };
    }
  });
}

/** The notes of files that were removed from the log, from an offset on. */
export function readRemovals(
  auditFile: string,
  from: number,
): { readonly removed: readonly RemovedFile[]; readonly end: number } {
  const notes = [...linesFromStart(removalsFile(auditFile), from)];
  const removed = notes.flatMap(({ text }) => {
    const { inode, lines } = objectOr(parsedOrUndefined(text));
    // A half-written note of a killed process is ignored.
    return typeof inode === "number" && typeof lines === "number" ? [{ inode, lines }] : [];
  });
  return { removed, end: notes.at(-1)?.end ?? from };
}

interface Span {
  readonly from: number;
  readonly length: number;
}

/** Null if the path now leads to another file, or to none. */
function bytesOf(path: string, inode: number, { from, length }: Span): Buffer | null {
  return nullIfAbsent(path, () =>
    withRegularFile(path, ({ descriptor, stats }) => {
      if (stats.ino !== inode) return null;
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, stats.size - from)));
      return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from));
    }),
  );
}

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 32);
