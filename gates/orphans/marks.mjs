// Finds what a run left behind: every process that still carries the run's mark in its environment or its words.
import { readdirSync, readFileSync } from "node:fs";

const VARIABLE = "GATE_MARK";

/** @param {string} mark @returns {Record<string, string>} */
export const marked = (mark) => ({ [VARIABLE]: mark });

/** Marks of live processes, each with the processes that carry it. */
/** @param {string} prefix @returns {ReadonlyMap<string, readonly number[]>} */
export function liveMarks(prefix) {
  const found = /** @type {Map<string, number[]>} */ (new Map());
  const wanted = new RegExp(`(?:^|[\0 ])${VARIABLE}=(${prefix}[\\w-]*)`);
  for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
    const mark = wanted.exec(wordsOf(pid))?.[1];
    if (mark !== undefined) found.set(mark, [...(found.get(mark) ?? []), pid]);
  }
  return found;
}

/** Live processes with this text in their environment or their words. */
/** @param {string} text @returns {readonly number[]} */
export const livePidsWith = (text) =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && wordsOf(pid).includes(text));

/** Empty for a zombie: it is dead and only waits to be counted by its parent. @param {number} pid */
const wordsOf = (pid) => ["environ", "cmdline"].map((file) => textOf(`/proc/${pid}/${file}`)).join("\0");

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** Ends what was found, so that the machine is left as it was. @param {Iterable<number>} pids */
export function endAll(pids) {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone by itself.
    }
  }
}
