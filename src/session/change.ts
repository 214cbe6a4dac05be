import { join } from "node:path";
import { takeLock } from "../fs/lock.ts";
import { makeFolder } from "../fs/make-folder.ts";
import { codeOf } from "../protocol/place-error.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import type { Warning } from "../protocol/warning.ts";
import { readSessionFile, type SessionFile, setAside, writeSessionFile } from "./file.ts";

/** The files of one session while nobody else may change them. */
export interface Held {
  readonly read: <T>(file: SessionFile<T>) => T;
  readonly write: <T>(file: SessionFile<T>, value: T) => void;
}

export interface Done<T> {
  readonly value: T;
  /** Files that could not be read and were set aside. */
  readonly warnings: readonly Warning[];
}

/**
 * Changes a session's files under its lock, for which it waits so long at most. The fault says in words why they could
 * not be changed.
 */
export async function changeSession<T>(
  folder: string,
  work: (held: Held) => T | Promise<T>,
  patienceMs?: number,
): Promise<Result<Done<T>, string>> {
  const warnings: Warning[] = [];
  try {
    makeFolder(folder);
    const lock = await takeLock(join(folder, "lock"), patienceMs);
    if (lock === null) return fail("another process holds its lock");
    try {
      const value = await work({
        read: (file) => readOrSetAside(folder, file, warnings),
        write: (file, next) => {
          if (!lock.isOurs()) throw new Error("another process took its lock over");
          writeSessionFile(folder, file, next);
        },
      });
      return ok({ value, warnings });
    } finally {
      lock.release();
    }
  } catch (error) {
    return fail(causeOf(error));
  }
}

/** What one file holds, without the lock: a rename never shows half a file. A broken one is set aside under the lock. */
export async function lookInto<T>(folder: string, file: SessionFile<T>): Promise<Result<Done<T>, string>> {
  try {
    const value = readSessionFile(folder, file);
    return value === null ? await changeSession(folder, ({ read }) => read(file)) : ok({ value, warnings: [] });
  } catch (error) {
    return fail(causeOf(error));
  }
}

function readOrSetAside<T>(folder: string, file: SessionFile<T>, warnings: Warning[]): T {
  const value = readSessionFile(folder, file);
  if (value !== null) return value;
  const aside = setAside(folder, file.name);
  warnings.push({ code: "SESSION_FILE_SET_ASIDE", path: join(folder, file.name), aside });
  return file.empty;
}

const causeOf = (error: unknown): string => codeOf(error) ?? (error instanceof Error ? error.message : String(error));
