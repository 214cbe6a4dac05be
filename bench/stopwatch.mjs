import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { titleOf } from "./command.mjs";
import { compile } from "./compile.mjs";

/** @import { Command } from "./command.mjs" */

/**
 * @typedef {object} Usage what one process and the descendants it waited for used
 * @property {number} cpuMs user + system
 * @property {number} wallMs until the process itself ended
 * @property {number} peakMb the largest process of them; NaN where it cannot be seen
 */

/**
 * @typedef {object} Stopwatch
 * @property {string} name for the reader of the figures
 * @property {boolean} seesMemory
 * @property {(command: Command) => Promise<Usage>} measure rejects when the command fails
 */

const run = promisify(execFile);

// The shell's own share of a fork is counted too, and the last digit is a millisecond: good enough beside `node -e 0`.
const TIMED_BY_BASH = `
TIMEFORMAT='%3U %3S %3R'; kind=$1 input=$2; shift 2
if [[ $kind == pipe ]]; then cat "$input" | { time "$@" >/dev/null 2>/dev/null; echo $?; }
else time "$@" <"$input" >/dev/null 2>/dev/null; echo $?; fi`;

/**
 * The best clock this machine has: our own C program, else the `time` keyword of bash.
 * @param {string} folder for the compiled program
 * @returns {Stopwatch}
 */
export function openStopwatch(folder) {
  const program = compile("measure.c", folder);
  if (program !== null)
    return { name: "wait4", seesMemory: true, measure: (command) => measureByWait(program, command) };
  return { name: "bash time (no C compiler: 1 ms steps, no memory)", seesMemory: false, measure: measureByBash };
}

/** @param {string} program @param {Command} command */
async function measureByWait(program, command) {
  const { stdout } = await run(program, wordsOf(command), placeOf(command));
  const [cpuUs = 0, wallUs = 0, peakKib = 0, exitCode = 0] = stdout.trim().split(" ").map(Number);
  refuseFailure(command, exitCode);
  return { cpuMs: cpuUs / 1000, wallMs: wallUs / 1000, peakMb: peakKib / 1024 };
}

/** @param {Command} command */
async function measureByBash(command) {
  const { stdout, stderr } = await run("bash", ["-c", TIMED_BY_BASH, "bash", ...wordsOf(command)], placeOf(command));
  refuseFailure(command, Number(stdout));
  const [user = 0, system = 0, wall = 0] = stderr.trim().split(" ").map(Number);
  return { cpuMs: (user + system) * 1000, wallMs: wall * 1000, peakMb: Number.NaN };
}

/** @param {Command} command */
function wordsOf(command) {
  return [command.isPiped ? "pipe" : "file", command.stdin, ...command.argv];
}

/** @param {Command} command */
function placeOf({ scene }) {
  return { cwd: scene.project, env: scene.env };
}

/** @param {Command} command @param {number} exitCode */
function refuseFailure(command, exitCode) {
  if (exitCode !== 0) throw new Error(`${titleOf(command)}: exit ${exitCode} while it was timed`);
}
