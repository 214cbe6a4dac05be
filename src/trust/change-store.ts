import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { EMPTY_LEDGER, type Ledger } from "../contract/approval.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { readLedger, STORE_VERSION } from "./store.ts";

/** Twenty approvals at once take well under a second; who still waits then meets a lock that nobody will lift. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 5;
/** No change takes this long: whoever made the lock was killed. */
const STALE_MS = 5_000;

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
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    if (!(await lock(`${file}.lock`, moment))) return fail(`${file}.lock is held by another process`);
  } catch (error) {
    return fail(errnoOf(error));
  }
  try {
    const before = readLedger(file, moment.userId);
    if (!before.ok) renameSync(file, `${file}.broken-${moment.nowMs()}`);
    const after = change(before.ok ? before.value : EMPTY_LEDGER);
    write(file, after);
    return ok(after);
  } catch (error) {
    return fail(errnoOf(error));
  } finally {
    rmSync(`${file}.lock`, { force: true });
  }
}

function write(file: string, { approvals, denials }: Ledger): void {
  const draft = `${file}.${process.pid}`;
  const descriptor = openSync(draft, "w", 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify({ version: STORE_VERSION, approvals, denials }, null, 1)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
}

async function lock(file: string, { nowMs }: Moment): Promise<boolean> {
  const until = nowMs() + PATIENCE_MS;
  while (!taken(file)) {
    dropStale(file, nowMs());
    if (nowMs() > until) return false;
    await new Promise((resume) => setTimeout(resume, PAUSE_MS));
  }
  return true;
}

function taken(file: string): boolean {
  try {
    closeSync(openSync(file, "wx", 0o600));
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Only who holds a second lock removes a stale one, after a second look: of two that find it stale none removes a fresh one. */
function dropStale(file: string, nowMs: number): void {
  if (!isStale(file, nowMs)) return;
  const second = `${file}.stale`;
  if (!taken(second)) {
    if (isStale(second, nowMs)) rmSync(second, { force: true });
    return;
  }
  if (isStale(file, nowMs)) rmSync(file, { force: true });
  rmSync(second, { force: true });
}

function isStale(file: string, nowMs: number): boolean {
  try {
    return nowMs - statSync(file).mtimeMs >= STALE_MS;
  } catch {
    return false;
  }
}

const errnoOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
