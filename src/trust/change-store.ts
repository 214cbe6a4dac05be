import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { EMPTY_LEDGER, type Ledger } from "../contract/approval.ts";
import { codeOf } from "../contract/place-error.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { type Lock, takeLock } from "../disk/lock.ts";
import { readLedger, STORE_VERSION } from "./store.ts";

export interface Moment {
  readonly userId: number;
  readonly nowMs: () => number;
}

/**
 * Reads, changes and writes the store under a lock, by a temporary file and a rename: two changes at once are both
 * kept, and a KILL at any point leaves the old store or the new one. A store that cannot be read is set aside, so
 * that nothing in it is lost. The fault is in words.
 */
export async function changeLedger(
  file: string,
  change: (ledger: Ledger) => Ledger,
  moment: Moment,
): Promise<Result<Ledger, string>> {
  let lock: Lock | null;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    lock = await takeLock(`${file}.lock`);
    if (lock === null) return fail(`${file}.lock is held by another process`);
  } catch (error) {
    return fail(errnoOf(error));
  }
  try {
    const before = readLedger(file, moment.userId);
    const after = change(before.ok ? before.value : EMPTY_LEDGER);
    const draft = written(file, after);
    // Who was stopped for long may have been given up: what another has written since would be lost, a denial with it.
    if (!lock.isOurs()) {
      unlinkSync(draft);
      return fail("another process took its lock over");
    }
    if (!before.ok) renameSync(file, `${file}.broken-${moment.nowMs()}`);
    renameSync(draft, file);
    return ok(after);
  } catch (error) {
    return fail(errnoOf(error));
  } finally {
    lock.lift();
  }
}

/** The whole store beside its place: what is left is one rename. */
function written(file: string, { approvals, denials }: Ledger): string {
  const draft = `${file}.${process.pid}`;
  const descriptor = openSync(draft, "w", 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify({ version: STORE_VERSION, approvals, denials }, null, 1)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return draft;
}

const errnoOf = (error: unknown): string => codeOf(error) ?? String(error);
