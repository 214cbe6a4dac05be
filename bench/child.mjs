// Measures inside a process of its own: the heap of the benchmark, and what it has loaded, would be counted otherwise.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { interleave } from "./rounds.mjs";

/** @import { ChildProcessWithoutNullStreams } from "node:child_process" */
/** @import { Round } from "./figure.mjs" */
/** @import { Usage } from "./stopwatch.mjs" */
/** @import { Scene } from "./workspace.mjs" */

const run = promisify(execFile);

/**
 * What a group samples with: starts a program of groups/ with a task, and reads the rounds that it prints.
 * @param {string} program
 * @param {object} task
 * @param {Scene} scene
 * @returns {(rounds: number) => Promise<Round[]>}
 */
export const sampleBy = (program, task, { project, env }) => {
  const file = fileURLToPath(new URL(`groups/${program}`, import.meta.url));
  return async (rounds) => {
    const { stdout } = await run(process.execPath, [file, JSON.stringify({ ...task, rounds })], {
      cwd: project,
      env,
      maxBuffer: Number.POSITIVE_INFINITY,
    });
    return JSON.parse(stdout);
  };
};

/** In the program: its task. */
export const readTask = () => JSON.parse(process.argv[2] ?? "{}");

/** In the program: compares ways, and prints the rounds. */
/** @param {Readonly<Record<string, () => Promise<Partial<Usage>>>>} ways @param {number} rounds */
export async function printRounds(ways, rounds) {
  process.stdout.write(JSON.stringify(await interleave(ways, (way) => way(), rounds)));
}

/** CPU that this process itself uses for some work. @param {() => unknown} work */
export async function ownCpu(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000 };
}

/** @param {() => unknown} work */
export async function wallOf(work) {
  const startedAt = performance.now();
  await work();
  return { wallMs: performance.now() - startedAt };
}

/** Gives a child its input, and returns what it printed. */
/** @param {ChildProcessWithoutNullStreams} child @param {string} input @returns {Promise<string>} */
export function outputOf(child, input) {
  return new Promise((settle, reject) => {
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
    child.stderr.resume();
    child.on("error", reject).on("close", () => settle(printed));
    // A hook may leave without reading its stdin.
    child.stdin.on("error", () => undefined).end(input);
  });
}
