import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";

const INITIAL_BUFFER_BYTES = 64 * 1024;

let isOurs: boolean | null = null;

/** False without /proc (macOS), and where it shows the processes of another container, whose PIDs mean others here. */
export function isProcOurs(): boolean {
  if (isOurs === null) {
    try {
      isOurs = readlinkSync("/proc/self") === String(process.pid);
    } catch {
      isOurs = false;
    }
  }
  return isOurs;
}

/** The PID that the system assigned last, from /proc/loadavg; null if it is unknown. */
export function lastPid(): number | null {
  if (!isProcOurs()) return null;
  const text = readProc("/proc/loadavg").toString("latin1");
  const last = Number(text.slice(text.lastIndexOf(" ") + 1));
  return last > 0 ? last : null;
}

/** The entries of a folder in /proc that are numbers: processes or threads. */
export function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** The fields of /proc/PID/stat (see proc(5)) after the process name; empty if the process is gone. */
export function statFields(pid: number): readonly string[] {
  const stat = readProc(`/proc/${pid}/stat`).toString("latin1");
  // The name is in parentheses and may contain any character.
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The current child processes of one thread; null if they cannot be read. */
export function childrenOfThread(pid: number, thread: number): readonly number[] | null {
  try {
    // The system gives a long list in several parts.
    const listed = readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").trim();
    return listed === "" ? [] : listed.split(" ").map(Number);
  } catch {
    return null;
  }
}

/** The content of an empty file. A file that cannot be read gives another empty buffer. */
export const EMPTY = Buffer.allocUnsafeSlow(0);

// Shared by all reads: hundreds of files are read in a row, and a new buffer for each costs more than its read.
let sharedBuffer = EMPTY;

/** The content of a file in /proc, valid until the next read; empty if the process has exited or belongs to another user. */
export function readProc(file: string): Buffer {
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
