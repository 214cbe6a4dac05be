import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "../fs/lock.ts";
import { readFileBytes } from "../fs/read-file.ts";
import { makeFolder, writeFileAtomic } from "../fs/write-file.ts";
import { errnoCode } from "../protocol/errno.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { decodeUtf8 } from "../protocol/text/text.ts";
import type { Warning } from "../protocol/warning.ts";

/** Describes how one file of a session is parsed and written. */
export interface SessionFile<T> {
  readonly name: "state" | "inbox" | "valve" | "intents" | "written";
  readonly empty: T;
  /** Null if the text is not valid. */
  readonly read: (text: string) => T | null;
  /** Null if the value is empty, so that the file is deleted. */
  readonly write: (value: T) => string | null;
}

/** A larger file would slow down every call. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Reads a file; null if it exists and is broken. Throws system errors. */
function readSessionFile<T>(folder: string, file: SessionFile<T>): T | null {
  try {
    const bytes = readFileBytes(join(folder, file.name));
    const text = bytes.length > MAX_FILE_BYTES ? null : decodeUtf8(bytes);
    return text === null ? null : file.read(text);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoCode(error) ?? "")) return file.empty;
    throw error;
  }
}

/** Called under the session's lock only. */
function writeSessionFile<T>(folder: string, file: SessionFile<T>, value: T): void {
  const path = join(folder, file.name);
  const text = file.write(value);
  if (text === null) rmSync(path, { force: true });
  // Not flushed to the disk: a rename survives a KILL without it, and each hook would wait for it.
  else writeFileAtomic(path, text);
}

/** The files of one session while its lock is held. */
export interface LockedFiles {
  readonly read: <T>(file: SessionFile<T>) => T;
  readonly write: <T>(file: SessionFile<T>, value: T) => void;
}

export interface WithWarnings<T> {
  readonly value: T;
  /** Files that were broken and moved aside. */
  readonly warnings: readonly Warning[];
}

/** Changes a session's files under its lock, and waits at most `patienceMs` for it. The error is a description. */
export async function changeSession<T>(
  folder: string,
  work: (held: LockedFiles) => T | Promise<T>,
  patienceMs?: number,
): Promise<Result<WithWarnings<T>, string>> {
  const warnings: Warning[] = [];
  try {
    makeFolder(folder);
    const lock = await takeLock(join(folder, "lock"), patienceMs);
    if (lock === null) return fail("another process holds its lock");
    try {
      const value = await work({
        read: (file) => readOrSetAside(folder, file, warnings),
        write: (file, next) => {
          if (!lock.isOurs()) throw new Error("another process took over its lock");
          writeSessionFile(folder, file, next);
        },
      });
      return ok({ value, warnings });
    } finally {
      lock.release();
    }
  } catch (error) {
    return fail(errorText(error));
  }
}

/**
 * Reads one file without the lock, which is safe because files are replaced by a rename. A broken file is moved aside
 * under the lock.
 */
export async function readUnlocked<T>(folder: string, file: SessionFile<T>): Promise<Result<WithWarnings<T>, string>> {
  try {
    const value = readSessionFile(folder, file);
    return value === null ? await changeSession(folder, ({ read }) => read(file)) : ok({ value, warnings: [] });
  } catch (error) {
    return fail(errorText(error));
  }
}

/** Reads a file under the lock. A broken file is moved aside. */
function readOrSetAside<T>(folder: string, file: SessionFile<T>, warnings: Warning[]): T {
  const value = readSessionFile(folder, file);
  if (value !== null) return value;
  const path = join(folder, file.name);
  const aside = `${path}.broken-${Date.now()}-${process.pid}`;
  renameSync(path, aside);
  warnings.push({ code: "SESSION_FILE_SET_ASIDE", path, aside });
  return file.empty;
}

const errorText = (error: unknown): string =>
  errnoCode(error) ?? (error instanceof Error ? error.message : String(error));
