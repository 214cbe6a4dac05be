import { LONGEST_RUN_MS, type LoggedLine, parseLoggedLine } from "../protocol/logged-run.ts";
import { type LogFile, linesFromEnd, linesFromStart, listLogFiles } from "./log-files.ts";

/** One line of the audit log: its record, its text, and the position of its end. */
export interface ScannedLine {
  readonly line: LoggedLine;
  readonly text: string;
  readonly position: LogPosition;
}

/** A position in a log that stays valid when the file is rotated. */
export interface LogPosition {
  readonly inode: number;
  readonly offset: number;
}

/** A limit that is null or absent does not apply. A line without a readable time is in no range that has a limit. */
export interface ScanOptions {
  readonly sinceMs?: number | null;
  readonly untilMs?: number | null;
  /** Only lines that were written after this position; if its file is gone, all lines. */
  readonly after?: LogPosition | null;
  /** Called for each line, with the part of the log that was read, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
}

/** As `scanLog`, newest first. Skips lines without `contains` before parsing. */
export function* newestFirst(file: string, contains = "", onRead?: ScanOptions["onProgress"]): Generator<ScannedLine> {
  const files = listLogFiles(file).toReversed();
  for (const [at, { path, inode, size }] of files.entries()) {
    for (const { text, end } of linesFromEnd(path)) {
      onRead?.((at + 1 - end / size) / files.length);
      const line = text.includes(contains) ? parseLoggedLine(text) : null;
      if (line !== null) yield { line, text, position: { inode, offset: end } };
    }
  }
}

/** Reads the audit log, oldest first, through its rotated files, one line at a time. Skips lines that are not valid records. */
export function* scanLog(file: string, options: ScanOptions): Generator<ScannedLine> {
  const { after = null, onProgress } = options;
  const files = filesInRange(filesAfter(listLogFiles(file), after), options);
  for (const [at, { path, inode, size }] of files.entries()) {
    // A shorter file was truncated: what is in it is new.
    const from = after?.inode === inode && after.offset <= size ? after.offset : 0;
    for (const { text, end } of linesFromStart(path, from)) {
      onProgress?.((at + Math.min(1, end / size)) / files.length);
      const line = parseLoggedLine(text);
      if (line !== null && isInRange(line, options)) yield { line, text, position: { inode, offset: end } };
    }
  }
}

function filesAfter(files: readonly LogFile[], after: LogPosition | null): readonly LogFile[] {
  const at = files.findIndex(({ inode }) => inode === after?.inode);
  return at < 0 ? files : files.slice(at);
}

/** A rotated file holds no line that is newer than its rotation, and none that is older than the rotation before it. */
function filesInRange(files: readonly LogFile[], { sinceMs = null, untilMs = null }: ScanOptions): readonly LogFile[] {
  return files.filter(({ rotatedMs }, index) => {
    const beganMs = files[index - 1]?.rotatedMs ?? null;
    const isTooOld = sinceMs !== null && rotatedMs !== null && rotatedMs < sinceMs;
    const isTooNew = untilMs !== null && beganMs !== null && beganMs - LONGEST_RUN_MS > untilMs;
    return !isTooOld && !isTooNew;
  });
}

export function isInRange({ timeMs }: LoggedLine, { sinceMs = null, untilMs = null }: ScanOptions): boolean {
  if (sinceMs === null && untilMs === null) return true;
  return timeMs !== null && timeMs >= (sinceMs ?? timeMs) && timeMs <= (untilMs ?? timeMs);
}
