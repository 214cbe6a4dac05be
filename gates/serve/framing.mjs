// Streams of bytes that are no requests, or that are cut anywhere: the server answers each request among them once.
import { connect } from "node:net";
import { entry } from "../entry.mjs";
import { casesAt, inParallel } from "../gate.mjs";
import { isObject, jsonIn } from "../json.mjs";
import { randomFrom } from "../random.mjs";
import { startServer } from "./server.mjs";

/** @import { Scene } from "../../bench/workspace.mjs" */
/** @import { GateContext } from "../gate.mjs" */
/** @import { Random } from "../random.mjs" */

const STREAMS = 4_000;
const AT_ONCE = 8;

/** @param {GateContext} context @param {Scene} scene */
export async function framing({ bin, scale, seed }, scene) {
  const server = await startServer(bin, scene, "f");
  const random = randomFrom(seed, "serve-framing");
  const streams = Array.from({ length: casesAt(STREAMS, scale, 20) }, () => streamOf(random));
  const faults = /** @type {Set<string>} */ (new Set());
  let answers = 0;
  await inParallel(streams.length, AT_ONCE, async (index) => {
    const stream = entry(streams, index);
    const sent = await exchange(server.socket, stream);
    const lines = sent.split("\n").filter((line) => line.trim() !== "");
    answers += lines.length;
    const ids = lines.flatMap((line) => idsIn(line) ?? [`no JSON: ${line}`]);
    const own = ids.filter((id) => id.startsWith("ours-")).sort();
    if (own.join() !== stream.ids.join()) faults.add(`${JSON.stringify(stream.shown)}: ${ids.join()}`.slice(0, 400));
    if (ids.some((id) => id.startsWith("no JSON"))) faults.add(ids.join().slice(0, 200));
  });
  const isAlive = server.child.exitCode === null && server.child.signalCode === null;
  server.child.kill("SIGTERM");
  await server.ended;
  return {
    isMet: faults.size === 0 && isAlive,
    figures: `${streams.length} fuzzed streams, ${answers} answers: ${faults.size} wrong, server ${isAlive ? "alive" : "gone"}`,
    notes: [...faults].slice(0, 5),
  };
}

/** The ids of the answers in one line; null: it is no JSON. @param {string} line @returns {string[] | null} */
function idsIn(line) {
  const answers = [jsonIn(line)].flat();
  return answers.every(isObject) ? answers.map(({ id }) => String(id)) : null;
}

const FRAGMENTS = [
  ...['{"jsonrpc":"2.0",', '"id":1', '"method":"list"', "{", "}", "[", "]", ",", '"', "\\ud800", "\r", "\0", "1e999"],
  ...["null", '{"jsonrpc":"2.0","method":"list"}', "[]", '[{"jsonrpc":"2.0","method":"nothing"}]', "\u2028", "é", "😀"],
];

/** @typedef {{ chunks: Buffer[], ids: string[], shown: string }} Stream requests of ours among other lines */

/** @param {Random} random @returns {Stream} */
function streamOf(random) {
  const ids = /** @type {string[]} */ ([]);
  const lines = Array.from({ length: 1 + random.int(6) }, (_, index) => {
    if (random.chance(0.5)) return noise(random);
    const id = `ours-${index}`;
    ids.push(id);
    const request = JSON.stringify({ jsonrpc: "2.0", id, method: random.pick(["nothing", "cancel", "list"]) });
    return Buffer.from(random.chance(0.3) ? ` ${request}\r` : request);
  });
  const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
  const whole = random.chance(0.2) ? Buffer.concat([bytes, noise(random)]) : bytes;
  const cuts = Array.from({ length: random.int(5) }, () => random.int(whole.length + 1)).sort((a, b) => a - b);
  const ends = [...cuts, whole.length];
  return {
    chunks: ends.map((end, at) => whole.subarray(ends[at - 1] ?? 0, end)),
    ids: ids.sort(),
    shown: whole.toString("latin1"),
  };
}

/** A line of fragments, or of any bytes but a line's end. @param {Random} random */
function noise(random) {
  if (random.chance(0.3)) {
    return Buffer.from(Array.from({ length: random.int(40) }, () => random.int(256))).filter((byte) => byte !== 10);
  }
  return Buffer.from(Array.from({ length: random.int(6) }, () => random.pick(FRAGMENTS)).join(""));
}

/** @param {string} socket @param {Stream} stream @returns {Promise<string>} all that the server sends */
function exchange(socket, { chunks }) {
  return new Promise((settle) => {
    let text = "";
    const client = connect({ path: socket, allowHalfOpen: true }, async () => {
      for (const chunk of chunks) {
        client.write(chunk);
        await new Promise((resume) => setImmediate(resume));
      }
      client.end();
    });
    client.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    client.on("error", () => {});
    client.on("close", () => settle(text));
  });
}
