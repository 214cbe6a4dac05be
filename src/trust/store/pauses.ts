import { constants, rmSync } from "node:fs";
import { dirname } from "node:path";
import { disk } from "../../fs/disk.ts";
import { takeLock } from "../../fs/lock.ts";
import { NOT_REGULAR, withRegularFile } from "../../fs/read-file.ts";
import { makeFolder, writeFileAtomic } from "../../fs/write-file.ts";
import { errnoCode } from "../../protocol/errno.ts";
import { isObject } from "../../protocol/json/read.ts";
import { LONGEST_PAUSE_MS, type Pause } from "../../protocol/pause.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";

const VERSION = 1;
/** More than any person pauses. */
const MAX_BYTES = 256 * 1024;
const OTHERS = 0o077;

/**
 * Reads the pauses, over or not. The error says why the file is not used. It must be the user's own and closed to all
 * others: a file that came with a clone or an archive is not.
 */
export function readPauses(file: string, userId: number): Result<readonly Pause[], string> {
  try {
    const text = withRegularFile(
      file,
      ({ descriptor, stats }) => {
        if (stats.uid !== userId) return fail(`it belongs to another user (uid ${stats.uid})`);
        if ((stats.mode & OTHERS) !== 0) return fail("other users can read or change it");
        return stats.size > MAX_BYTES ? fail("it is too large") : ok(disk.readFileSync(descriptor, "utf8"));
      },
      constants.O_NOFOLLOW,
    );
    return text.ok ? parsePauses(text.value) : text;
  } catch (error) {
    const code = errnoCode(error);
    return code === "ENOENT" ? ok([]) : fail(code === "ELOOP" ? "it is a symbolic link" : (code ?? NOT_REGULAR));
  }
}

function parsePauses(text: string): Result<readonly Pause[], string> {
  try {
    const found: unknown = JSON.parse(text);
    if (!isObject(found) || found.version !== VERSION) return fail("it was written by another version");
    const { pauses } = found;
    return Array.isArray(pauses) && pauses.every(isPause) ? ok(pauses) : fail("it does not contain pauses");
  } catch {
    return fail("it is not JSON");
  }
}

function isPause(value: unknown): value is Pause {
  if (!isObject(value)) return false;
  const { name, project, startMs, endMs, startUptimeMs, by } = value;
  if (!isNumber(startMs) || !isNumber(endMs) || !isNumber(startUptimeMs)) return false;
  const lasts = endMs - startMs;
  const isPlace = project === null || typeof project === "string";
  return typeof name === "string" && typeof by === "string" && isPlace && lasts > 0 && lasts <= LONGEST_PAUSE_MS;
}

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value);

/**
 * Changes the pauses under a lock, so that two changes at once both survive. A file that is not used is replaced. Returns
 * why that failed, or null.
 */
export async function changePauses(
  file: string,
  userId: number,
  change: (pauses: readonly Pause[]) => readonly Pause[],
  lockTimeoutMs?: number,
): Promise<string | null> {
  try {
    makeFolder(dirname(file));
    const lock = await takeLock(`${file}.lock`, lockTimeoutMs);
    if (lock === null) return `${file}.lock is held by another process`;
    try {
      const before = readPauses(file, userId);
      const after = change(before.ok ? before.value : []);
      if (!lock.isOurs()) return "another process took over its lock";
      if (after.length === 0) rmSync(file, { force: true });
      else writeFileAtomic(file, `${JSON.stringify({ version: VERSION, pauses: after })}\n`);
      return null;
    } finally {
      lock.release();
    }
  } catch (error) {
    return errnoCode(error) ?? String(error);
  }
}
