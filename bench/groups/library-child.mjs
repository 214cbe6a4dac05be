// Started by library.mjs with a task in its argument; prints the rounds.
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { interleave } from "../rounds.mjs";

/** @typedef {{ door: string, file: string, input: string, rounds: number }} Task */

const LIMIT_MS = 30_000;
const LIMIT_BYTES = 1024 * 1024;

/** @type {Task} */
const task = JSON.parse(process.argv[2] ?? "{}");
// A plain record: each look into process.env itself asks the system.
const env = { ...process.env };
const ways = { library: await openLibrary(task), raw: () => spawnRaw(task) };
process.stdout.write(JSON.stringify(await interleave(ways, measureOwnCpu, task.rounds)));

/**
 * The lowest door of the library: one start with all its limits, but no trust, no reply and no record.
 * The one place to change when P8 is to be measured through a higher door.
 * @param {Task} task
 */
async function openLibrary({ door, file, input }) {
  const { runProcess } = await import(pathToFileURL(door).href);
  const request = {
    ...{ file, args: ["run"], input, cwd: process.cwd(), env },
    ...{ timeoutMs: LIMIT_MS, stdoutLimitBytes: LIMIT_BYTES, mayLeaveProcesses: false, token: "bench" },
    interrupt: { raised: () => null, listen: () => () => undefined },
  };
  return async () => {
    const { termination, stdout } = await runProcess(request);
    if (termination.kind !== "exited" || termination.exitCode !== 0) throw new Error(JSON.stringify(termination));
    return Buffer.from(stdout).toString("utf8");
  };
}

/** @param {Task} task @returns {Promise<string>} */
function spawnRaw({ file, input }) {
  return new Promise((settle, reject) => {
    const child = spawn(file, ["run"], { env });
    /** @type {Buffer[]} */
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", () => settle(Buffer.concat(chunks).toString("utf8")));
    child.stdin.end(input);
  });
}

/** @param {() => Promise<string>} way */
async function measureOwnCpu(way) {
  const before = process.cpuUsage();
  const answer = await way();
  const { user, system } = process.cpuUsage(before);
  if (!answer.includes("blocked")) throw new Error(`the hook answered ${JSON.stringify(answer)}`);
  return { cpuMs: (user + system) / 1000, wallMs: Number.NaN, peakMb: Number.NaN };
}
