// Starts a hook through the lowest function of the library, with all its limits, but no trust, no reply and no record; and
// through child_process alone.
import { spawn } from "node:child_process";
import { outputOf, ownCpu, printRounds, readTask } from "../child.mjs";

const LIMIT_MS = 30_000;
const LIMIT_BYTES = 1024 * 1024;
/** One start is much shorter than a process, so more of them fit in the same time. */
const STARTS_PER_ROUND = 10;

/** @type {{ dist: string, file: string, input: string, rounds: number }} */
const { dist, file, input, rounds } = readTask();
const { runProcess } = await import(`${dist}src/process/run-process.js`);
// A plain record: each look into process.env itself asks the system.
const env = { ...process.env };
const request = {
  file,
  args: ["run"],
  input,
  cwd: process.cwd(),
  env,
  timeoutMs: LIMIT_MS,
  stdoutLimitBytes: LIMIT_BYTES,
  mayLeaveProcesses: false,
  token: "bench",
  interrupt: { raised: () => null, listen: () => () => undefined },
  sandbox: null,
};
const ways = {
  library: () => answeredBy(startByLibrary),
  raw: () => answeredBy(() => outputOf(spawn(file, ["run"], { env }), input)),
};
await printRounds(ways, rounds * STARTS_PER_ROUND);

async function startByLibrary() {
  const { termination, stdout } = await runProcess(request);
  if (termination.kind !== "exited" || termination.exitCode !== 0) throw new Error(JSON.stringify(termination));
  return Buffer.from(stdout).toString("utf8");
}

/** @param {() => Promise<string>} start */
function answeredBy(start) {
  return ownCpu(async () => {
    const answer = await start();
    if (!answer.includes("blocked")) throw new Error(`the hook answered ${JSON.stringify(answer)}`);
  });
}
