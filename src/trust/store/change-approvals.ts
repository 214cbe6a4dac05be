import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Lock, takeLock } from "../../fs/lock.ts";
import { makeFolder } from "../../fs/make-folder.ts";
import { type Approvals, NO_APPROVALS } from "../../protocol/approval.ts";
import { errnoCode } from "../../protocol/errno.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { readApprovals, STORE_VERSION } from "./read-approvals.ts";

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
  let lock: Lock | null;
  try {
    makeFolder(dirname(file));
    lock = await takeLock(`${file}.lock`);
    if (lock === null) return fail(`${file}.lock is held by another process`);
  } catch (error) {
    return fail(errnoOf(error));
  }
  const draft = `${file}.${process.pid}`;
  try {
    const before = readApprovals(file, userId);
    const after = change(before.ok ? before.value : NO_APPROVALS);
    if (after === null) return ok(null);
    write(draft, after);
    // A process that was stopped for long may have lost the lock; it must not overwrite what others wrote since, such as a denial.
    if (!lock.isOurs()) return fail("another process took its lock over");
    if (!before.ok) renameSync(file, `${file}.broken-${nowMs()}`);
    renameSync(draft, file);
    return ok(after);
  } catch (error) {
    return fail(errnoOf(error));
  } finally {
    rmSync(draft, { force: true });
    lock.release();
  }
}

/** Writes the whole file to the disk, so that only a rename is left. */
function write(draft: string, { approved, denied }: Approvals): void {
  const descriptor = openSync(draft, "w", 0o600);
  try {
    writeFileSync(
      descriptor,
      `${JSON.stringify({ version: STORE_VERSION, approvals: approved, denials: denied }, null, 1)}\n`,
    );
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const errnoOf = (error: unknown): string => errnoCode(error) ?? String(error);
