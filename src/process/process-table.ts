import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { TOKEN_VARIABLE } from "./process-request.ts";

const FIRST_BYTES = 64 * 1024;

/** Every process of the system; empty without a /proc (macOS). */
export const allPids = (): readonly number[] => numbersIn("/proc");

/** More than these are looked up in one list, not one by one. */
const FEW = 100;

/**
 * The processes that began after one of the same system, which may still be there: a cheap look, because the system
 * counts upwards and says which number it gave last. Null: it does not say, or has begun to count anew.
 */
export function pidsAfter(pid: number): readonly number[] | null {
  const last = Number(readProc("/proc/loadavg").toString("latin1").trim().split(" ").at(-1) || Number.NaN);
  // A container may see a list that is not its own.
  if (!(last >= pid)) return null;
  if (last - pid > FEW) return allPids().filter((one) => one > pid && one <= last);
  const all = Array.from({ length: last - pid }, (_, index) => pid + 1 + index);
  return all.filter((one) => existsSync(`/proc/${one}`));
}

/** The process group of a live process; 0 for one that is gone or only waits to be counted by its parent. */
export function groupOf(pid: number): number {
  const stat = readProc(`/proc/${pid}/stat`).toString("latin1");
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" ? 0 : Number(group ?? 0);
}

/** The token of the child that a process descends from, by its environment; empty when it carries none. */
export function tokenOf(pid: number): string {
  const environ = environOf(pid);
  const from = environ.indexOf(NAME) === 0 ? NAME.length : afterNext(environ);
  if (from < 0) return "";
  const end = environ.indexOf(0, from);
  return environ.toString("latin1", from, end < 0 ? environ.length : end);
}

/** While a process becomes another program it has none for a moment; one that is gone or not ours has none at all. */
function environOf(pid: number): Buffer {
  let environ = readProc(`/proc/${pid}/environ`);
  for (let attempt = 1; attempt < ATTEMPTS && environ === EMPTY && groupOf(pid) !== 0; attempt++) {
    environ = readProc(`/proc/${pid}/environ`);
  }
  return environ;
}

const ATTEMPTS = 5;
/** What was read and held nothing, unlike what could not be read. */
const EMPTY = Buffer.alloc(0);

/** The processes that a process has started and that still have it as their parent. */
export const parentedBy = (pid: number): readonly number[] =>
  numbersIn(`/proc/${pid}/task`).flatMap((thread) => {
    const listed = readProc(`/proc/${pid}/task/${thread}/children`).toString("latin1").trim();
    return listed === "" ? [] : listed.split(" ").map(Number);
  });

const NAME = Buffer.from(`${TOKEN_VARIABLE}=`);
const NEXT_NAME = Buffer.from(`\0${TOKEN_VARIABLE}=`);

function afterNext(environ: Buffer): number {
  const at = environ.indexOf(NEXT_NAME);
  return at < 0 ? at : at + NEXT_NAME.length;
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

// One for all: hundreds of files are read in a row, and a new buffer for each costs more than the reading.
let shared = Buffer.alloc(0);

/** The bytes of one such file, good until the next one is read; none when the process is gone or not ours to see. */
function readProc(file: string): Buffer {
  if (shared.length === 0) shared = Buffer.allocUnsafeSlow(FIRST_BYTES);
  try {
    const descriptor = openSync(file, "r");
    try {
      let size = readSync(descriptor, shared, 0, shared.length, 0);
      while (size === shared.length) {
        shared = Buffer.allocUnsafeSlow(shared.length * 2);
        size = readSync(descriptor, shared, 0, shared.length, 0);
      }
      return size === 0 ? EMPTY : shared.subarray(0, size);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return shared.subarray(0, 0);
  }
}
