// How the cost of a call grows with what lies around it: each case at n, 2n and 4n.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { interleave, WARM_UP } from "../rounds.mjs";
import { letHooksAge } from "../workspace.mjs";
import { SCALES } from "./cases.mjs";

/** @import { Round } from "../figure.mjs" */
/** @import { Command } from "../command.mjs" */
/** @import { Bench } from "../group.mjs" */
/** @import { Scene } from "../workspace.mjs" */
/** @import { Options } from "../options.mjs" */
/** @import { Case, Scale } from "./cases.mjs" */

/**
 * @typedef {object} Growth
 * @property {string} scale
 * @property {string} what
 * @property {readonly number[]} sizes
 * @property {readonly number[]} cpuMs medians at each size
 * @property {readonly number[]} peakMb
 * @property {number | null} exponent of what grows; null: less than linear
 * @property {string | null} fault why it could not be measured, or is not to be believed
 */

/** More than this is worse than linear, beyond what a busy machine blurs. */
const MOST_EXPONENT = 1.35;
/** What grows by less, from n to 4n, is mostly what each call costs: how the rest grows cannot be told from noise. */
const LEAST_GROWTH = 3;
const LIMIT_BYTES = 1024 ** 3;
const CLIPPED = 300;

/**
 * Measures one scale after another, because the files of one would slow the others down, and prints each case as it is done.
 * @param {Bench} bench
 * @param {Pick<Options, "only" | "rounds">} options
 * @returns {Promise<readonly Growth[]>}
 */
export async function measureScale(bench, { only, rounds }) {
  const growths = [];
  for (const scale of only.flatMap((id) => SCALES[id] ?? [])) {
    const scenes = scale.sizes.map((n) => ({ n, scene: bench.workspace.scene() }));
    const fault = faultOf(() => {
      for (const { n, scene } of scenes) scale.prepare(scene, n);
    });
    for (const one of scale.cases) {
      const how = { bench, scenes, rounds: Math.min(rounds, one.mostRounds ?? rounds) };
      const growth = fault === null ? await growthOf(scale, one, how) : notMeasured(scale, one, fault);
      process.stdout.write(growthText(growth));
      growths.push(growth);
    }
    for (const { scene } of scenes) bench.workspace.clear(scene);
  }
  return growths;
}

/**
 * @typedef {object} How
 * @property {Bench} bench
 * @property {readonly { readonly n: number, readonly scene: Scene }[]} scenes
 * @property {number} rounds
 */

/** A case that fails does not stop the others. */
/** @param {Scale} scale @param {Case} one @param {How} how @returns {Promise<Growth>} */
async function growthOf(scale, one, how) {
  try {
    const rounds = await measured(one, how);
    const medians = (/** @type {"cpuMs" | "peakMb"} */ measure) => scale.sizes.map((n) => median(rounds, n, measure));
    const cpuMs = medians("cpuMs");
    const head = { scale: scale.title, what: one.what, sizes: scale.sizes };
    return { ...head, cpuMs, peakMb: medians("peakMb"), exponent: exponentOf(cpuMs), fault: leftFault(one, how) };
  } catch (error) {
    return notMeasured(scale, one, messageOf(error));
  }
}

/** @param {Scale} scale @param {Case} one @param {string} fault @returns {Growth} */
function notMeasured({ title, sizes }, { what }, fault) {
  return { scale: title, what, sizes, cpuMs: [], peakMb: [], exponent: null, fault };
}

/** @param {Case} one @param {How} how */
async function measured(one, { bench, scenes, rounds }) {
  await letHooksAge();
  for (const { scene } of scenes) one.prepare?.(scene, (words) => once(bench, scene, words));
  const commands = Object.fromEntries(
    scenes.map(({ n, scene }) => {
      const stdin = bench.workspace.file(`scale-stdin-${n}`, stdinFor(one, n));
      return [n, commandOf(bench.commands.hookctl(scene, one.words), one, { n, scene, stdin })];
    }),
  );
  try {
    return await interleave(commands, bench.stopwatch.measure, rounds);
  } catch (error) {
    throw new Error([messageOf(error), ...scenes.flatMap(({ scene }) => saidByCrowd(scene))].join(": "));
  }
}

const crowd = fileURLToPath(new URL("crowd.mjs", import.meta.url));

/** @param {Command} call @param {Case} one @param {{ n: number, scene: Scene, stdin: string }} where @returns {Command} */
function commandOf(call, { isCrowd = false, isCold = false }, { n, scene, stdin }) {
  if (!isCrowd) return { ...call, stdin };
  const forgotten = isCold ? join(scene.env.XDG_CACHE_HOME ?? "", "hookctl", "identities.json") : "";
  const start = [process.execPath, crowd, String(n), crowdFaults(scene), stdin, forgotten];
  return { ...call, stdin, argv: [...start, ...call.argv] };
}

/** Where a crowd of calls writes what went wrong. @param {Scene} scene */
const crowdFaults = ({ home }) => join(home, "crowd-faults.txt");

/** @param {Scene} scene */
function saidByCrowd(scene) {
  const file = crowdFaults(scene);
  return existsSync(file) ? [readFileSync(file, "utf8").slice(0, CLIPPED)] : [];
}

/** What the calls of a case should have left and did not. @param {Case} one @param {How} how */
function leftFault({ findFault, isCrowd = false }, { scenes, rounds }) {
  const faults = scenes.map(({ n, scene }) => findFault?.(scene, (WARM_UP + rounds) * (isCrowd ? n : 1)) ?? null);
  return faults.find((fault) => fault !== null) ?? null;
}

/** @param {() => void} work */
function faultOf(work) {
  try {
    work();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

const messageOf = (/** @type {unknown} */ error) => (error instanceof Error ? error.message : String(error));

/** What a call finds on stdin. @param {Case} one @param {number} n */
function stdinFor({ words: [command, event], input }, n) {
  const given = input?.(n) ?? { command: "npm test" };
  const call = { cwd: ".", tool_name: "Bash", tool_input: {} };
  const payload =
    command === "bridge"
      ? { session_id: "s-1", hook_event_name: "PreToolUse", ...call }
      : { event, conv_id: "s-1", ...call };
  const tool = typeof given === "string" ? given : JSON.stringify(given);
  return JSON.stringify(payload).replace('"tool_input":{}', () => `"tool_input":${tool}`);
}

/** @param {Bench} bench @param {Scene} scene @param {readonly string[]} words */
function once({ commands }, scene, words) {
  const [program = "", ...rest] = commands.hookctl(scene, words).argv;
  const { status, stderr } = spawnSync(program, rest, { cwd: scene.project, env: scene.env, encoding: "utf8" });
  if (status !== 0) throw new Error(`hookctl ${words.join(" ")}: exit ${status}: ${stderr.slice(0, 300)}`);
}

/** @param {readonly Round[]} rounds @param {number} n @param {"cpuMs" | "peakMb"} measure */
function median(rounds, n, measure) {
  const sorted = rounds.map((round) => round[n]?.[measure] ?? Number.NaN).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * The power of n with which the cost rises: from the rise of n to 2n and that of 2n to 4n, so that what every call costs does
 * not hide it.
 * @param {readonly number[]} costs
 */
export function exponentOf([one = 0, two = 0, four = 0]) {
  if (four < one * LEAST_GROWTH || two <= one || four <= two) return null;
  return Math.log2((four - two) / (two - one));
}

/** @param {Pick<Growth, "exponent">} growth */
export const isTooSteep = ({ exponent }) => exponent !== null && exponent > MOST_EXPONENT;

/** @param {Pick<Growth, "exponent" | "fault">} growth */
export const isFaulty = ({ exponent, fault }) => fault !== null || isTooSteep({ exponent });

/** @param {Growth} growth */
function growthText(growth) {
  const { scale, what, sizes, fault } = growth;
  const title = [`${scale} (${sizes.map(sizeText).join(", ")})`, what];
  const cells = [...title, ...costTexts(growth), ...(fault === null ? [] : [`failed: ${fault}`])];
  return `${cells.join(" | ")}\n`;
}

/** @param {Growth} growth */
function costTexts({ cpuMs, peakMb, exponent }) {
  if (cpuMs.length === 0) return [];
  const steps = cpuMs.map((cost) => (cost / (cpuMs[0] ?? 1)).toFixed(2)).join(" : ");
  const worse = isTooSteep({ exponent }) ? ", worse than linear" : "";
  const verdict = exponent === null ? "less than linear" : `n^${exponent.toFixed(2)}${worse}`;
  const ends = [cpuMs[0], cpuMs.at(-1)].map((cost) => `${cost?.toFixed(0)} ms`);
  return [...ends, steps, `${Math.round(peakMb.at(-1) ?? 0)} MB`, verdict];
}

export const sizeText = (/** @type {number} */ n) =>
  n >= LIMIT_BYTES ? `${n / 1024 ** 3} GiB` : n >= 1024 ** 2 ? `${n / 1024 ** 2} MiB` : n.toLocaleString("en-US");

/**
 * @typedef {object} ScaleReport
 * @property {string} date
 * @property {readonly number[]} load of one minute, at the start and at the end
 * @property {number} rounds at most
 * @property {readonly Growth[]} growths
 */

/** What is kept. @param {readonly Growth[]} growths @param {Pick<ScaleReport, "load" | "rounds">} how */
export function scaleJson(growths, how) {
  const date = new Date().toISOString().slice(0, 16).replace("T", " ");
  const rounded = (/** @type {number} */ value) => Number(value.toFixed(2));
  const rows = growths.map(({ cpuMs, peakMb, ...row }) => ({
    ...row,
    ...{ cpuMs: cpuMs.map(rounded), peakMb: peakMb.map(rounded) },
  }));
  return `${JSON.stringify({ date, ...how, growths: rows }, null, 2)}\n`;
}
