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
export type Cursor = Readonly<ReturnType<typeof newCursor>>;

export const newCursor = (instance: string, nowMs: number) => ({
  schema: SCHEMA,
  /** Distinguishes the totals of this machine and user from those of others in the same collector. */
  instance,
  /** The time at which the totals were zero. */
  sinceMs: nowMs,
  files: [] as readonly FilePosition[],
  /** A batch whose traces were acknowledged, but not its logs; it is read again up to the same offset. */
  half: null as { readonly inode: number; readonly end: number } | null,
  totals: {} as Totals,
  /** True if the collector does not have the latest totals. */
  areTotalsNew: false,
  /** The time of the last run that was exported. */
  lastRun: null as string | null,
  /** Records that the collector rejected for good. */
  rejected: 0,
  /** Lines that were removed from the log before they could be exported, as far as that is known. */
  lost: 0,
  /** The position up to which the notes of removed files are read. */
  removalsRead: 0,
  /** The number of times that another program removed files, with an unknown loss. */
  gaps: 0,
  /** Why the last export stopped early; null after a complete export. */
  problem: null as { readonly time: string; readonly text: string } | null,
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
