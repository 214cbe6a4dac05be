import { execFile, spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { titleOf } from "./command.mjs";

/** @import { Command } from "./command.mjs" */

/**
 * @typedef {object} Usage what one process and the descendants it waited for used
 * @property {number} cpuMs user + system
 * @property {number} wallMs until the process itself ended
 * @property {number} peakMb the largest process of them
 */

const run = promisify(execFile);

/** Compiles a C file of this folder. @param {string} source @param {string} folder where the program goes */
export function compile(source, folder) {
  const program = join(folder, basename(source, ".c"));
  const file = fileURLToPath(new URL(source, import.meta.url));
  const { status } = spawnSync(process.env.CC ?? "cc", ["-O2", "-o", program, file], { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`the C compiler (CC, or cc) does not compile bench/${source}`);
  return program;
}

/**
 * Returns what measures a command, and rejects when it fails.
 * @param {string} folder for the compiled program
 * @returns {(command: Command) => Promise<Usage>}
 */
export function openStopwatch(folder) {
  const program = compile("measure.c", folder);
  return async ({ argv, stdin, isPiped, scene }) => {
    const words = [isPiped ? "pipe" : "file", stdin, ...argv];
    const { stdout } = await run(program, words, { cwd: scene.project, env: scene.env });
    const [cpuUs = 0, wallUs = 0, peakKib = 0, exitCode = 0] = stdout.trim().split(" ").map(Number);
    if (exitCode !== 0) throw new Error(`${titleOf(argv)}: exit ${exitCode} while it was timed`);
    return { cpuMs: cpuUs / 1000, wallMs: wallUs / 1000, peakMb: peakKib / 1024 };
  };
}
