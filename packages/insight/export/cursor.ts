import { readIfPresent } from "../../../src/fs/read-file.ts";
import { writeFileAtomic } from "../../../src/fs/write-file.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { isObject } from "../../../src/protocol/json/read.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import type { Totals } from "./metrics.ts";

const SCHEMA = "hookctl.export/1";

/** The position in one file of the audit log up to which it is exported. */
export interface FilePosition {
  /**
   * Rotation does not change the inode. A new file may reuse the inode of a removed file; `last` tells them apart.
   */
  readonly inode: number;
  readonly offset: number;
  /** Lines before the offset. */
  readonly lines: number;
  /** The length in bytes, with the line break, and the hash of the last line before the offset; null if the offset is 0. */
  readonly last: { readonly length: number; readonly hash: string } | null;
  /** Its size at the last check, and whether lines were still appended to it. */
  readonly size: number;
  readonly isLive: boolean;
}

/** The state of the exporter between batches. */
export interface Cursor {
  readonly schema: typeof SCHEMA;
  /** Distinguishes the totals of this machine and user from those of others in the same collector. */
  readonly instance: string;
  /** The time at which the totals were zero. */
  readonly sinceMs: number;
  readonly files: readonly FilePosition[];
  /** A batch whose traces were acknowledged, but not its logs; it is read again up to the same offset. */
  readonly half: { readonly inode: number; readonly end: number } | null;
  readonly totals: Totals;
  /** True if the collector does not have the latest totals. */
  readonly areTotalsNew: boolean;
  /** The time of the last run that was exported. */
  readonly lastRun: string | null;
  /** Records that the collector rejected for good. */
  readonly rejected: number;
  /** Lines that were removed from the log before they could be exported, as far as that is known. */
  readonly lost: number;
  /** The position up to which the notes of removed files are read. */
  readonly removalsRead: number;
  /** The number of times that another program removed files, with an unknown loss. */
  readonly gaps: number;
  /** Why the last export stopped early; null after a complete export. */
  readonly problem: { readonly time: string; readonly text: string } | null;
}

export const newCursor = (instance: string, nowMs: number): Cursor => ({
  schema: SCHEMA,
  instance,
  sinceMs: nowMs,
  files: [],
  half: null,
  totals: {},
  areTotalsNew: false,
  lastRun: null,
  rejected: 0,
  lost: 0,
  removalsRead: 0,
  gaps: 0,
  problem: null,
});

/**
 * Reads the cursor, or null before the first export. A broken cursor is an error: without it every run would be sent
 * again.
 */
export function readCursor(file: string): Result<Cursor | null, string> {
  const read = readIfPresent(file);
  if (!read.ok || read.value === null) return read.ok ? ok(null) : read;
  try {
    const found: unknown = JSON.parse(read.value.toString("utf8"));
    // Only hookctl writes the file, and replaces it as a whole, so checking `schema` is enough.
    const isCursor = isObject(found) && found.schema === SCHEMA && Array.isArray(found.files) && isObject(found.totals);
    return isCursor ? ok(found as unknown as Cursor) : fail("it was not written by this version of hookctl");
  } catch {
    return fail("it is not JSON");
  }
}

/**
 * Replaces the cursor. Returns the errno, or null. The write survives a power cut, because an older cursor would send runs
 * twice.
 */
export function writeCursor(file: string, cursor: Cursor, isOurs: () => boolean): string | null {
  try {
    const beforeRename = (): void => {
      if (!isOurs()) throw Object.assign(new Error("the lock was lost"), { code: LOCK_LOST });
    };
    writeFileAtomic(file, JSON.stringify(cursor), { isFlushed: true, beforeRename });
    return null;
  } catch (error) {
    return errnoCode(error) ?? "unknown";
  }
}

export const LOCK_LOST = "LOCK_LOST";
