import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { TOKEN_VARIABLE } from "./process-request.ts";

const INITIAL_BUFFER_BYTES = 64 * 1024;

/** The PIDs of all processes; empty without /proc (macOS). */
export const allPids = (): readonly number[] => numbersIn("/proc");

/** The PID that the system assigned last, from /proc/loadavg; null if it cannot be read. */
export function lastPid(): number | null {
  const last = Number(readProc("/proc/loadavg").toString("latin1").trim().split(" ").at(-1) || Number.NaN);
  return Number.isInteger(last) ? last : null;
}

/** For a longer range of PIDs one listing of /proc is cheaper than a check of each PID. */
const MAX_SINGLE_CHECKS = 100;

/**
 * The live processes with a PID above `after`, up to `last`: cheaper than a scan of all processes. Null if the range is
 * unknown: no /proc/loadavg, PIDs that wrapped around at the maximum, or a container whose /proc counts other PIDs.
 */
export function pidsBetween(after: number | null, last: number | null): readonly number[] | null {
  if (after === null || last === null || last < after) return null;
  if (last - after > MAX_SINGLE_CHECKS) return allPids().filter((pid) => pid > after && pid <= last);
  const all = Array.from({ length: last - after }, (_, index) => after + 1 + index);
  return all.filter((pid) => existsSync(`/proc/${pid}`));
}

/** The process group of a live process; 0 if it has exited, also if it is still a zombie. */
export function processGroup(pid: number): number {
  const stat = readProc(`/proc/${pid}/stat`).toString("latin1");
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" ? 0 : Number(group ?? 0);
}

/** The process is inside execve(2), so its environment cannot be read for a moment. */
export const EXECUTING = Symbol("executing");

/** The token in the environment of a process, inherited from the child that it descends from; empty if there is none. */
export function tokenOfProcess(pid: number): string | typeof EXECUTING {
  let environ = readProc(`/proc/${pid}/environ`);
  if (environ === EMPTY) {
    if (isInExec(pid)) return EXECUTING;
    // The file may have been opened before an execve(2) replaced the environment, so it is read again.
    environ = readProc(`/proc/${pid}/environ`);
  }
  const from = environ.indexOf(FIRST_ENTRY) === 0 ? FIRST_ENTRY.length : valueOfLaterEntry(environ);
  if (from < 0) return "";
  const end = environ.indexOf(0, from);
  return environ.toString("latin1", from, end < 0 ? environ.length : end);
}

/** The kernel's flag for its own threads. */
const PF_KTHREAD = 0x200000;
/** Positions of `flags` and `env_end` in /proc/PID/stat (see proc(5)), counted after the process name. */
const FLAGS_INDEX = 6;
const ENV_END_INDEX = 48;

/** True if `env_end` is still 0: even an empty environment has an address. A kernel thread never gets one. */
function isInExec(pid: number): boolean {
  const stat = readProc(`/proc/${pid}/stat`).toString("latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const isKernelThread = (Number(fields[FLAGS_INDEX]) & PF_KTHREAD) !== 0;
  return fields.length > ENV_END_INDEX && fields[0] !== "Z" && !isKernelThread && fields[ENV_END_INDEX] === "0";
}

/** The content of an empty file. A file that cannot be read gives another empty buffer. */
const EMPTY = Buffer.alloc(0);

/** The current child processes of a process. */
export const childrenOf = (pid: number): readonly number[] =>
  numbersIn(`/proc/${pid}/task`).flatMap((thread) => {
    const listed = readProc(`/proc/${pid}/task/${thread}/children`).toString("latin1").trim();
    return listed === "" ? [] : listed.split(" ").map(Number);
  });

const FIRST_ENTRY = Buffer.from(`${TOKEN_VARIABLE}=`);
const LATER_ENTRY = Buffer.from(`\0${TOKEN_VARIABLE}=`);

function valueOfLaterEntry(environ: Buffer): number {
  const at = environ.indexOf(LATER_ENTRY);
  return at < 0 ? at : at + LATER_ENTRY.length;
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

// Shared by all reads: hundreds of files are read in a row, and a new buffer for each costs more than its read.
let sharedBuffer = Buffer.alloc(0);

/** The content of a file in /proc, valid until the next read; empty if the process has exited or belongs to another user. */
function readProc(file: string): Buffer {
  if (sharedBuffer.length === 0) sharedBuffer = Buffer.allocUnsafeSlow(INITIAL_BUFFER_BYTES);
  try {
    const descriptor = openSync(file, "r");
    try {
      let size = readSync(descriptor, sharedBuffer, 0, sharedBuffer.length, 0);
      while (size === sharedBuffer.length) {
        sharedBuffer = Buffer.allocUnsafeSlow(sharedBuffer.length * 2);
        size = readSync(descriptor, sharedBuffer, 0, sharedBuffer.length, 0);
      }
      return size === 0 ? EMPTY : sharedBuffer.subarray(0, size);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return sharedBuffer.subarray(0, 0);
  }
}
