// Asks three servers, each for a scene of its own, over and over.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { outputOf, printRounds, readTask, wallOf } from "../child.mjs";

/** @import { Scene } from "../workspace.mjs" */

const WARM_UP = 300;
const THOUSAND = 1000;
/** As an agent with many sessions would ask. */
const AT_ONCE = 64;
const CALLS = 50;
/** Processor time in /proc is in ticks. */
const TICK_MS = 10;

/** @type {{ argv: readonly string[], rounds: number, payload: string, hook: string, scenes: Record<"none" | "guarded" | "hooked", Scene> }} */
const { argv, rounds, payload, hook, scenes } = readTask();
const none = clientFor(scenes.none);
const guarded = clientFor(scenes.guarded);
const hooked = clientFor(scenes.hooked);
for (const { ask } of [none, guarded, hooked]) for (let count = 0; count < WARM_UP; count++) await ask();
const ways = {
  thousand: manyAtOnce,
  guards: async () => (await callsInOrder())[CALLS >> 1] ?? {},
  slowest: async () => (await callsInOrder()).at(-1) ?? {},
  hook: () => wallOf(hooked.ask),
  raw: () =>
    wallOf(() => outputOf(spawn(hook, ["run"], { env: scenes.hooked.env, cwd: scenes.hooked.project }), payload)),
};
await printRounds(ways, rounds);
for (const { end } of [none, guarded, hooked]) end();

/** Calls that follow one another, the fastest first. */
async function callsInOrder() {
  const found = [];
  for (let count = 0; count < CALLS; count++) found.push(await wallOf(guarded.ask));
  return found.sort((a, b) => a.wallMs - b.wallMs);
}

/** What a thousand requests cost the server itself. */
async function manyAtOnce() {
  const before = none.cpuMs();
  let left = THOUSAND;
  const askOn = async () => {
    while (left-- > 0) await none.ask();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askOn));
  return { cpuMs: none.cpuMs() - before };
}

/** @param {Scene} scene */
function clientFor({ project, env }) {
  const [program = "", ...words] = [...argv, "serve"];
  const child = spawn(program, words, { cwd: project, env, stdio: ["pipe", "pipe", "inherit"] });
  /** @type {Map<string, (line: string) => void>} */
  const waiting = new Map();
  let count = 0;
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part) => {
    const lines = (text + part).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) waiting.get(/"id":(\d+)/.exec(line)?.[1] ?? "")?.(line);
  });
  /** @returns {Promise<void>} */
  const ask = () =>
    new Promise((settle, reject) => {
      const id = String(++count);
      waiting.set(id, (line) => {
        waiting.delete(id);
        if (line.includes('"decision":"continue"')) settle();
        else reject(new Error(`the server answered ${line}`));
      });
      const params = `{"event":"before_tool_call","payload":${payload}}`;
      child.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"run","params":${params}}\n`);
    });
  const cpuMs = () => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  };
  return { ask, end: () => child.stdin.end(), cpuMs };
}
