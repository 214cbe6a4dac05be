import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import {
  type LogFile,
  linesFromStart,
  listLogFiles,
  MAX_LINE_BYTES,
  nullIfAbsent,
  readLines,
} from "../../../src/audit/log-files.ts";
import { type RemovedFile, removalsFile } from "../../../src/audit/remove-log.ts";
import { withRegularFile } from "../../../src/fs/read-file.ts";
import { objectOr, parsedOrUndefined } from "../../../src/protocol/json/read.ts";
import { decodeUtf8Lossy } from "../../../src/protocol/text/text.ts";
import type { FilePosition } from "./cursor.ts";

/** The size of a request: about 700 runs, in a body of 2 MiB before compression. */
const BATCH_BYTES = 512 * 1024;
/** So many bytes at the end tell a line that does not fit into memory from others. */
const LONG_LINE_END = 64;

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
  const bytes = inFile(path, inode, (descriptor) => bytesAt(descriptor, offset - last.length, last.length));
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
  return inFile(path, inode, (descriptor) => {
    const most = end ?? position.offset + BATCH_BYTES;
    const lines: string[] = [];
    let [offset, length] = [position.offset, 0];
    for (const line of readLines(descriptor, MAX_LINE_BYTES, offset)) {
      // A killed writer left half a line. In a file that was rotated it stays half.
      if (!line.isWhole && isLive) break;
      if (line.end > most && offset > position.offset) break;
      const text = line.bytes === null ? "(too long)" : decodeUtf8Lossy(line.bytes).text;
      if (text !== "") lines.push(text);
      length = line.bytes === null ? LONG_LINE_END : line.end - offset;
      offset = line.end;
    }
    if (offset === position.offset) return null;
    const last = { length, hash: digest(bytesAt(descriptor, offset - length, length)) };
    return { lines, after: { ...position, size, offset, lines: position.lines + lines.length, last } };
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

/** Null if the path now leads to another file, or to none. */
const inFile = <T>(path: string, inode: number, read: (descriptor: number) => T): T | null =>
  nullIfAbsent(path, () =>
    withRegularFile(path, ({ descriptor, stats }) => (stats.ino === inode ? read(descriptor) : null)),
  );

function bytesAt(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, from));
}

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 32);
