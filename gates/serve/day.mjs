// A day of mixed traffic in minutes: the server's memory and descriptors stay as they are, and no process is left.
import { appendFileSync, writeFileSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { casesAt, inParallel } from "../gate.mjs";
import { endAll, livePidsWith } from "../orphans/marks.mjs";
import { randomFrom } from "../random.mjs";
import { payloadFor, writeUserHook } from "../scene.mjs";
import { sizeOf, startServer } from "./server.mjs";

/** @import { Scene } from "../../bench/workspace.mjs" */
/** @import { GateContext } from "../gate.mjs" */
/** @import { Random } from "../random.mjs" */
/** @import { Server } from "./server.mjs" */

/** An agent makes a call every other second. */
const HOURS = 24;
const REQUESTS = (HOURS * 3600) / 2;
const AT_ONCE = 12;
const SAMPLES = 40;
const WARM_SHARE = 0.25;
/** How much the size of a heap may vary between two collections. */
const SLACK_MB = 24;
const SLACK_SHARE = 1.15;
const SETTLING_MS = 3_000;

const HOOK = `#!/bin/sh
[ "$1" = hook ] && { echo before_tool_call; exit; }
case $(cat) in
*slow*) sleep 2 ;;
*leaves*) sleep 300 >/dev/null 2>&1 </dev/null & ;;
*forbidden*) echo '{"blocked":true,"reason":"no"}' ;;
esac
`;

/** @param {GateContext} context @param {Scene} scene */
export async function day({ bin, built, scale, seed }, scene) {
  const { connect } = await built("packages/sdk/index.js");
  writeUserHook(scene, "guard", HOOK);
  const mark = `gate-day-${process.pid}`;
  const server = await startServer(bin, { ...scene, env: { ...scene.env, GATE_MARK: mark } }, "day");
  const random = randomFrom(seed, "serve-day");
  const total = casesAt(REQUESTS, scale, 400);
  const client = connect({ socket: server.socket });
  const pid = server.child.pid ?? 0;
  const samples = /** @type {{ megabytes: number, descriptors: number }[]} */ ([]);
  const faults = /** @type {string[]} */ ([]);
  const kinds = kindsOf({ client, scene, server, connect });
  for (let sample = 0; sample < SAMPLES; sample++) {
    await inParallel(Math.round(total / SAMPLES), AT_ONCE, async () => {
      const fault = await pickKind(kinds, random)(random);
      if (fault !== null) faults.push(fault);
    });
    samples.push(sizeOf(pid));
  }
  await wait(SETTLING_MS);
  const left = livePidsWith(mark).filter((one) => one !== pid);
  await client.shutdown();
  await server.ended;
  await client.close();
  endAll(left);
  return judged(samples, { total, faults, left: left.length });
}

/**
 * @param {readonly { megabytes: number, descriptors: number }[]} samples
 * @param {{ total: number, faults: readonly string[], left: number }} found
 */
function judged(samples, { total, faults, left }) {
  const warm = samples.slice(Math.round(samples.length * WARM_SHARE));
  const half = Math.floor(warm.length / 2);
  const ends = /** @type {const} */ ([warm.slice(0, half), warm.slice(-half)]);
  const [before, after] = [median(ends[0], "megabytes"), median(ends[1], "megabytes")];
  const [few, many] = [median(ends[0], "descriptors"), median(ends[1], "descriptors")];
  const isFlat = after <= before * SLACK_SHARE + SLACK_MB && many <= few + AT_ONCE;
  return {
    isMet: isFlat && left === 0 && faults.length === 0,
    figures: `${total} requests (${((total / REQUESTS) * HOURS).toFixed(1)} h): ${before.toFixed(0)} -> ${after.toFixed(0)} MB, ${few} -> ${many} descriptors, ${left} orphans, ${faults.length} wrong answers`,
    notes: [...new Set(faults)].slice(0, 5),
  };
}

/** @param {readonly { megabytes: number, descriptors: number }[]} samples @param {"megabytes" | "descriptors"} key */
const median = (samples, key) => samples.map((one) => one[key]).sort((a, b) => a - b)[samples.length >> 1] ?? 0;

/** @typedef {(random: Random) => Promise<string | null>} Kind one request; returns what was wrong with its answer */
/** @typedef {readonly (readonly [weight: number, kind: Kind])[]} Kinds */

/**
 * @param {{ client: import("../../packages/sdk/index.ts").HookServer, scene: Scene, server: Server, connect: typeof import("../../packages/sdk/index.ts").connect }} place
 * @returns {Kinds}
 */
function kindsOf({ client, scene, server, connect }) {
  /** @param {string} command @param {object} [options] */
  const run = (command, options) =>
    client.run("before_tool_call", payloadFor(scene.project, { conv_id: "day", tool_input: { command } }), options);
  /** @param {string} command @param {string} expected */
  const decides = async (command, expected) => {
    const { decision } = await run(command);
    return decision === expected ? null : `${command}: ${decision}`;
  };
  const nothing = async () => {
    const { decision } = await client.run("turn_start", `{"cwd":${JSON.stringify(scene.project)}}`);
    return decision === "continue" ? null : `turn_start: ${decision}`;
  };
  return [
    [70, nothing],
    [8, () => decides("ls", "continue")],
    [4, () => decides("forbidden", "block")],
    [1, () => decides("leaves", "continue")],
    [1, async () => rejected(run("slow", { signal: AbortSignal.timeout(50) }), "SERVE_CANCELLED")],
    [4, async () => ((await client.list()).hooks.length === 1 ? null : "list")],
    [3, async () => ((await client.state("day").increment("n")) > 0 ? null : "state")],
    [1, async () => ((await client.inbox("day")).messages.length === 0 ? null : "inbox")],
    [2, async () => rejected(client.run("before_tool_call", "{}"), "PAYLOAD_FIELD_MISSING")],
    [2, () => anotherClient({ connect, scene, server })],
    [1, () => brokenClient(server)],
    [1, () => editedSettings(scene)],
  ];
}

/** @param {Promise<unknown>} call @param {string} code */
const rejected = (call, code) =>
  call.then(
    () => `${code} expected`,
    (error) => (error.code === code ? null : `${error.code} in place of ${code}`),
  );

/** @param {{ connect: typeof import("../../packages/sdk/index.ts").connect, scene: Scene, server: Server }} place */
async function anotherClient({ connect, scene, server }) {
  const own = connect({ socket: server.socket });
  const { decision } = await own.run("turn_start", `{"cwd":${JSON.stringify(scene.project)}}`);
  await own.close();
  return decision === "continue" ? null : decision;
}

/** Sends half a request, or one with a hook, and leaves. @param {Server} server @returns {Promise<null>} */
function brokenClient({ socket }) {
  return new Promise((settle) => {
    const client = connectSocket(socket, () => {
      client.write('{"jsonrpc":"2.0","id":1,"method":"list"}\n{"jsonrpc":"2.0","id":2,"meth');
      setTimeout(() => client.destroy(), 5);
    });
    client.on("error", () => {});
    client.on("close", () => settle(null));
  });
}

/** Counts for the next request; what it says changes nothing. @param {Scene} scene */
async function editedSettings({ project }) {
  appendFileSync(join(project, "notes"), "x");
  writeFileSync(join(project, ".hookctlrc.json"), `{"version":1,"settings":{}}${" ".repeat(Date.now() % 7)}`);
  return null;
}

/** @param {Kinds} kinds @param {Random} random @returns {Kind} */
function pickKind(kinds, random) {
  let at = random.int(kinds.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, kind] of kinds) {
    at -= weight;
    if (at < 0) return kind;
  }
  return async () => null;
}
