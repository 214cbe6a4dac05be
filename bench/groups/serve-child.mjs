// Started by serve.mjs with a task in its argument; prints the rounds.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { interleave } from "../rounds.mjs";

/** @import { Scene } from "../workspace.mjs" */

/** @typedef {{ argv: readonly string[], rounds: number, payload: string, hook: string, scenes: Readonly<Record<"none" | "guarded" | "hooked", Scene>> }} Task */
/** @typedef {{ ask: () => Promise<string>, end: () => void, cpuMs: () => number }} Client */

const WARM_UP = 300;
const THOUSAND = 1000;
/** As an agent with many sessions would ask. */
const AT_ONCE = 64;
const CALLS = 50;

/** @type {Task} */
const { argv, rounds, payload, hook, scenes } = JSON.parse(process.argv[2] ?? "{}");
const clients = {
  none: clientOf([...argv, "serve"], scenes.none),
  guarded: clientOf([...argv, "serve"], scenes.guarded),
  hooked: clientOf([...argv, "serve"], scenes.hooked),
};
for (const client of Object.values(clients)) for (let count = 0; count < WARM_UP; count++) await client.ask();
const ways = {
  thousand: () => manyAtOnce(clients.none),
  guards: async () => ofWall((await times(clients.guarded))[CALLS >> 1] ?? Number.NaN),
  slowest: async () => ofWall((await times(clients.guarded)).at(-1) ?? Number.NaN),
  hook: async () => ofWall(await timed(clients.hooked.ask)),
  raw: async () => ofWall(await timed(spawnRaw)),
};
const measured = await interleave(ways, (way) => way(), rounds);
process.stdout.write(JSON.stringify(measured));
for (const { end } of Object.values(clients)) end();

/** @param {() => Promise<unknown>} way */
async function timed(way) {
  const startedAt = performance.now();
  await way();
  return performance.now() - startedAt;
}

/** How long calls take that follow one another, the fastest first. @param {Client} client */
async function times({ ask }) {
  const found = [];
  for (let count = 0; count < CALLS; count++) found.push(await timed(ask));
  return found.sort((a, b) => a - b);
}

/** @param {number} wallMs */
function ofWall(wallMs) {
  return { cpuMs: Number.NaN, wallMs, peakMb: Number.NaN };
}

/** What a thousand requests cost the server itself. @param {Client} client */
async function manyAtOnce({ ask, cpuMs }) {
  const before = cpuMs();
  let left = THOUSAND;
  const one = async () => {
    while (left-- > 0) await ask();
  };
  const wallMs = await timed(() => Promise.all(Array.from({ length: AT_ONCE }, one)));
  return { cpuMs: cpuMs() - before, wallMs, peakMb: Number.NaN };
}

/** @param {readonly string[]} words @param {Scene} scene @returns {Client} */
function clientOf([file = "", ...words], { project, env }) {
  const child = spawn(file, words, { cwd: project, env, stdio: ["pipe", "pipe", "inherit"] });
  /** @type {Map<string, (line: string) => void>} */
  const waiting = new Map();
  let count = 0;
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part) => {
    const lines = (text + part).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) waiting.get(/"id":(\d+)/.exec(line)?.[1] ?? "")?.(line);
  });
  const ask = () =>
    new Promise((/** @type {(line: string) => void} */ settle, reject) => {
      const id = String(++count);
      waiting.set(id, (line) => {
        waiting.delete(id);
        if (line.includes('"decision":"continue"')) settle(line);
        else reject(new Error(`the server answered ${line}`));
      });
      const params = `{"event":"before_tool_call","payload":${payload.trim()}}`;
      child.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"run","params":${params}}\n`);
    });
  return { ask, end: () => child.stdin.end(), cpuMs: () => cpuOf(child.pid ?? 0) };
}

/** Processor time of a live process: ticks of 10 ms. @param {number} pid */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** @returns {Promise<void>} */
function spawnRaw() {
  return new Promise((settle, reject) => {
    const child = spawn(hook, ["run"], { env: scenes.hooked.env, cwd: scenes.hooked.project });
    child.stdout.resume();
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", () => settle());
    child.stdin.on("error", () => {});
    child.stdin.end(payload);
  });
}
