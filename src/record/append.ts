import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const ROTATE_AT_BYTES = 16 * 1024 * 1024;
const KEPT_FILES = 5;

/**
 * Appends one line in one write, which the system does not mix with another process's. Null when it is stored, else
 * the errno of why not: a lost line never changes a decision (SPEC 11).
 */
export function appendLine(file: string, line: string, rotateAtBytes = ROTATE_AT_BYTES): string | null {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(file, "a+", 0o600);
    try {
      const { size } = fstatSync(descriptor);
      const text = Buffer.from(`${endsInALine(descriptor, size) ? "" : "\n"}${line}\n`, "utf8");
      if (writeSync(descriptor, text) !== text.length) return "ENOSPC";
      if (size > rotateAtBytes) rotate(file, descriptor);
      return null;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  }
}

/** A full disk or a crash of the machine may have cut the last line short: ours must not be joined to it. */
function endsInALine(descriptor: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  return readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === 0x0a;
}

/**
 * A name of its own for each rotation: two processes that rotate at once lose nothing. Only the file that was too large
 * is moved, not the fresh one that another process may have begun meanwhile; and the line is stored either way.
 */
function rotate(file: string, descriptor: number): void {
  try {
    if (statSync(file).ino !== fstatSync(descriptor).ino) return;
    const stamp = new Date().toISOString().replaceAll(":", "-");
    renameSync(file, file.replace(/\.jsonl$/, `.${stamp}.${process.pid}.jsonl`));
    removeOldest(file);
  } catch {
    // Another process has rotated, or the next line tries again.
  }
}

function removeOldest(file: string): void {
  const folder = dirname(file);
  const stem = basename(file, ".jsonl");
  const old = readdirSync(folder).filter((name) => name.startsWith(`${stem}.2`) && name.endsWith(".jsonl"));
  for (const name of old.sort().slice(0, -KEPT_FILES)) rmSync(join(folder, name), { force: true });
}
