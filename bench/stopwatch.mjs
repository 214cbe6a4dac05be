import { execFile, spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { titleOf } from "./command.mjs";
import { quantile } from "./figure.mjs";

/** @import { Command } from "./command.mjs" */

/**
 * @typedef {object} Usage what one process and the descendants it waited for used; of a session, all its calls together
 * @property {number} cpuMs user + system
 * @property {number} wallMs until the process itself ended; the median of the calls
 * @property {number} peakMb the largest process of them
 * @property {number} firstMs CPU of the first call of a session, and of what it left running, until the second
 * @property {number} laterMs CPU of each later call
 * @property {number} serverMb the largest process that was left running
 * @property {readonly number[]} callsMs how long each call took
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
  return async ({ argv, stdin, isPiped, calls, leavesServer, before, scene }) => {
    before?.();
    const how = calls !== undefined ? "session" : isPiped ? "pipe" : "file";
    const words = [how, String(calls ?? 1), stdin, ...argv];
    const { stdout } = await run(program, words, { cwd: scene.project, env: scene.env });
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" ").map(Number));
    const [cpuUs = 0, peakKib = 0, , serverKib = 0, firstUs = 0] = lines.pop() ?? [];
    const fault = lines.find(([, exitCode]) => exitCode !== 0);
    if (fault !== undefined) throw new Error(`${titleOf(argv)}: exit ${fault[1]} while it was timed`);
    if (leavesServer && serverKib === 0) throw new Error(`${titleOf(argv)}: a session started no server`);
    const callsMs = lines.map(([us = 0]) => us / 1000);
    return {
      cpuMs: cpuUs / 1000,
      wallMs: quantile(callsMs, 0.5),
      peakMb: peakKib / 1024,
      firstMs: firstUs / 1000,
      laterMs: (cpuUs - firstUs) / 1000 / (lines.length - 1),
      serverMb: serverKib / 1024,
      callsMs,
    };
  };
}
