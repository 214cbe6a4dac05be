import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { TOKEN_VARIABLE } from "./process-request.ts";

const FIRST_BYTES = 64 * 1024;

/** Every process of the system; empty without a /proc (macOS). */
export const allPids = (): readonly number[] => numbersIn("/proc");

/** The number of the process that began last, as the system counts them; null: it does not say. */
export function lastPid(): number | null {
  const last = Number(readProc("/proc/loadavg").toString("latin1").trim().split(" ").at(-1) || Number.NaN);
  return Number.isInteger(last) ? last : null;
}

/** More than these are looked up in one list, not one by one. */
const FEW = 100;

/**
 * The live processes that began after one number and up to another: a cheap look. Null where numbers do not tell: the
 * system does not say them, started over at its highest, or counts in a container otherwise than it says.
 */
export function pidsBetween(after: number | null, last: number | null): readonly number[] | null {
  if (after === null || last === null || last < after) return null;
  if (last - after > FEW) return allPids().filter((pid) => pid > after && pid <= last);
  const all = Array.from({ length: last - after }, (_, index) => after + 1 + index);
  return all.filter((pid) => existsSync(`/proc/${pid}`));
}

/** The process group of a live process; 0 for one that is gone or only waits to be counted by its parent. */
export function processGroup(pid: number): number {
  const stat = readProc(`/proc/${pid}/stat`).toString("latin1");
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" ? 0 : Number(group ?? 0);
}

/** A process that executes another program just now: for a moment it has no environment that could be read. */
export const EXECUTING = Symbol("executing");

/** The token of the child that a process descends from, by its environment; empty when it carries none. */
export function tokenOfProcess(pid: number): string | typeof EXECUTING {
  let environ = readProc(`/proc/${pid}/environ`);
  if (environ === EMPTY) {
    if (isExecuting(pid)) return EXECUTING;
    // What was opened may have been the environment of the program before.
    environ = readProc(`/proc/${pid}/environ`);
  }
  const from = environ.indexOf(NAME) === 0 ? NAME.length : afterNext(environ);
  if (from < 0) return "";
  const end = environ.indexOf(0, from);
  return environ.toString("latin1", from, end < 0 ? environ.length : end);
}

const KERNEL_THREAD = 0x200000;
/** Behind the name, in the order of proc(5). */
const FLAGS = 6;
const ENVIRONMENT_END = 48;

/** One that was started with an empty environment has an address for it, a kernel thread never gets one. */
function isExecuting(pid: number): boolean {
  const stat = readProc(`/proc/${pid}/stat`).toString("latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const isKernelThread = (Number(fields[FLAGS]) & KERNEL_THREAD) !== 0;
  return fields.length > ENVIRONMENT_END && fields[0] !== "Z" && !isKernelThread && fields[ENVIRONMENT_END] === "0";
}

/** What was read and held nothing, unlike what could not be read. */
const EMPTY = Buffer.alloc(0);

/** The processes that a process has started and that still have it as their parent. */
export const childrenOf = (pid: number): readonly number[] =>
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
