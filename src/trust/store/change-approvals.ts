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
 * Reads, changes and writes the store under a lock, by a temporary file and a rename: two changes at once are both
 * kept, and a KILL at any point leaves the old store or the new one. A store that cannot be read is set aside, so
 * that nothing in it is lost. The fault is in words.
 */
export async function changeApprovals(
  file: string,
  change: (approvals: Approvals) => Approvals,
  moment: ChangeContext,
): Promise<Result<Approvals, string>> {
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
    const before = readApprovals(file, moment.userId);
    const after = change(before.ok ? before.value : NO_APPROVALS);
    write(draft, after);
    // Who was stopped for long may have been given up: what another has written since would be lost, a denial with it.
    if (!lock.isOurs()) return fail("another process took its lock over");
    if (!before.ok) renameSync(file, `${file}.broken-${moment.nowMs()}`);
    renameSync(draft, file);
    return ok(after);
  } catch (error) {
    return fail(errnoOf(error));
  } finally {
    rmSync(draft, { force: true });
    lock.release();
  }
}

/** Whole and on the disk: what is left is one rename. */
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
