import { type JsonObject, membersOf, readJson, stringOf } from "../protocol/json/read.ts";
import { type LoggedLine, parseLoggedLine, RECORD_SCHEMA } from "../protocol/logged-run.ts";
import { type LogFile, linesFromEnd, linesFromStart, listLogFiles } from "./log-files.ts";

/** One line of the audit log: what it says, its text, and where it ends. */
export interface ScannedLine {
  readonly line: LoggedLine;
  readonly text: string;
  readonly position: LogPosition;
}

/** A place in a log that stays valid when the file is rotated. */
export interface LogPosition {
  readonly inode: number;
  readonly offset: number;
}

/** Null, or not given: without a limit. A line without a readable time is in no range that has a limit. */
export interface ScanOptions {
  readonly sinceMs?: number | null;
  readonly untilMs?: number | null;
  /** Only what was written after this position; if its file is gone, everything. */
  readonly after?: LogPosition | null;
  /** Called often, with the part of the bytes that was read, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
}

/** Reads the audit log, newest first, through its rotated files. Other lines are skipped. */
export function* newestFirst(
  file: string,
  range: Pick<ScanOptions, "sinceMs" | "untilMs"> = {},
): Generator<Pick<ScannedLine, "line" | "text">> {
  for (const { path } of filesInRange(listLogFiles(file), range).toReversed()) {
    for (const text of linesFromEnd(path)) {
      const line = parseLoggedLine(text);
      if (line !== null && isInRange(line, range)) yield { line, text };
    }
  }
}

/** How many lines are read between two calls of `onProgress`. */
const PROGRESS_LINES = 1000;

/** Reads the audit log, oldest first, through its rotated files, one line at a time. Other lines are skipped. */
export function* scanLog(file: string, options: ScanOptions): Generator<ScannedLine> {
  const { after = null, onProgress } = options;
  const files = filesInRange(filesAfter(listLogFiles(file), after), options);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let [doneBytes, count] = [0, 0];
  for (const { path, inode, size } of files) {
    // A shorter file was truncated: what is in it is new.
    const from = after?.inode === inode && after.offset <= size ? after.offset : 0;
    for (const { text, end } of linesFromStart(path, from)) {
      count += 1;
      if (count % PROGRESS_LINES === 0) onProgress?.(Math.min(1, (doneBytes + end) / total));
      const line = parseLoggedLine(text);
      if (line !== null && isInRange(line, options)) yield { line, text, position: { inode, offset: end } };
    }
    doneBytes += size;
  }
}

function filesAfter(files: readonly LogFile[], after: LogPosition | null): readonly LogFile[] {
  const at = files.findIndex(({ inode }) => inode === after?.inode);
  return at < 0 ? files : files.slice(at);
}

/** A run has the time of its start and is written at its end, in the worst case this much later. */
const LONGEST_RUN_MS = 24 * 3_600_000;

/** A rotated file holds no line that is newer than its rotation, and none that is older than the rotation before it. */
function filesInRange(files: readonly LogFile[], { sinceMs = null, untilMs = null }: ScanOptions): readonly LogFile[] {
  return files.filter(({ rotatedMs }, index) => {
    const beganMs = files[index - 1]?.rotatedMs ?? null;
    const isTooOld = sinceMs !== null && rotatedMs !== null && rotatedMs < sinceMs;
    const isTooNew = untilMs !== null && beganMs !== null && beganMs - LONGEST_RUN_MS > untilMs;
    return !isTooOld && !isTooNew;
  });
}

function isInRange({ timeMs }: LoggedLine, { sinceMs = null, untilMs = null }: ScanOptions): boolean {
  if (sinceMs === null && untilMs === null) return true;
  return timeMs !== null && timeMs >= (sinceMs ?? timeMs) && timeMs <= (untilMs ?? timeMs);
}

const LINE_DEPTH = 100;

/** One line of the audit log: its members and its raw text. */
export interface AuditEntry {
  readonly raw: string;
  readonly members: JsonObject;
}

/** Reads the audit log, newest first, through its rotated files. Invalid lines are skipped. */
export function* readAuditLog(file: string): Generator<AuditEntry> {
  for (const { path } of listLogFiles(file).toReversed()) {
    for (const text of linesFromEnd(path)) {
      const entry = parseEntry(text);
      if (entry !== null) yield entry;
    }
  }
}

/** The text of a member; null if it has none. */
export function textField({ members }: Pick<AuditEntry, "members">, key: string): string | null {
  const span = members.get(key);
  return span?.kind === "string" ? stringOf(span) : null;
}

export function numberField({ members }: Pick<AuditEntry, "members">, key: string): number | null {
  const span = members.get(key);
  return span?.kind === "number" ? Number(span.raw) : null;
}

function parseEntry(text: string): AuditEntry | null {
  const read = readJson(text, LINE_DEPTH);
  if (!read.ok || read.value.kind !== "object") return null;
  const entry = { raw: read.value.raw, members: membersOf(read.value) };
  return textField(entry, "schema") === RECORD_SCHEMA ? entry : null;
}
