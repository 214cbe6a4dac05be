import { renameSync } from "node:fs";
import { dirname } from "node:path";
import { takeLock } from "../../fs/lock.ts";
import { makeFolder, writeFileAtomic } from "../../fs/write-file.ts";
import { type Approvals, NO_APPROVALS } from "../../protocol/approval.ts";
import { errnoCode } from "../../protocol/errno.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { readApprovals, STORE_VERSION } from "./trust-store.ts";

export interface ChangeContext {
  readonly userId: number;
  readonly nowMs: () => number;
}

/**
 * Reads, changes and writes the store under a lock: two concurrent changes are both kept, and a process that is killed
 * leaves the old store or the new one. An unreadable store is renamed, so that nothing in it is lost. `change` returns
 * null to leave the store as it is.
 */
export async function changeApprovals(
  file: string,
  change: (approvals: Approvals) => Approvals | null,
  { userId, nowMs }: ChangeContext,
): Promise<Result<Approvals | null, string>> {
  try {
    makeFolder(dirname(file));
    const lock = await takeLock(`${file}.lock`);
    if (lock === null) return fail(`${file}.lock is held by another process`);
    try {
      const before = readApprovals(file, userId);
      const after = change(before.ok ? before.value : NO_APPROVALS);
      if (after === null) return ok(null);
      const beforeRename = (): void => {
        // A process that was stopped for long may have lost the lock: it must not overwrite a denial written since.
        if (!lock.isOurs()) throw new Error("another process took its lock over");
        if (!before.ok) renameSync(file, `${file}.broken-${nowMs()}`);
      };
      writeFileAtomic(file, storeText(after), { isFlushed: true, beforeRename });
      return ok(after);
    } finally {
      lock.release();
    }
  } catch (error) {
    return fail(errnoCode(error) ?? (error instanceof Error ? error.message : String(error)));
  }
}

const storeText = ({ approved, denied }: Approvals): string =>
  `${JSON.stringify({ version: STORE_VERSION, approvals: approved, denials: denied }, null, 1)}\n`;
