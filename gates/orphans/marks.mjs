// Finds what a run left behind: every process that still carries the run's mark in its environment.
import { readdirSync, readFileSync } from "node:fs";

const VARIABLE = "GATE_MARK";

/** @param {string} mark @returns {Record<string, string>} */
export const marked = (mark) => ({ [VARIABLE]: mark });

/** Marks of live processes, each with a process that carries it. */
/** @param {string} prefix @returns {ReadonlyMap<string, number>} */
export function liveMarks(prefix) {
  /** @type {Map<string, number>} */
  const found = new Map();
  const wanted = new RegExp(`(?:^|\0)${VARIABLE}=(${prefix}[^\0]*)`);
  for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
    const mark = wanted.exec(environmentOf(pid))?.[1];
    if (mark !== undefined) found.set(mark, pid);
  }
  return found;
}

/** Empty for a zombie: it is dead and only waits to be counted by its parent. */
/** @param {number} pid */
function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}

/** Ends what was found, so that the machine is left as it was. */
/** @param {Iterable<number>} pids */
export function endAll(pids) {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone by itself.
    }
  }
}
