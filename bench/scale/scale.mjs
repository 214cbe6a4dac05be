// How the cost of a call grows with what lies around it: each case at n, 2n and 4n.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareBy } from "../command.mjs";
import { quantile } from "../figure.mjs";
import { dateText } from "../report.mjs";
import { interleave, WARM_UP } from "../rounds.mjs";
import { letHooksAge } from "../workspace.mjs";
import { SCALES } from "./cases.mjs";

/** @import { Command } from "../command.mjs" */
/** @import { Bench } from "../group.mjs" */
/** @import { Scene } from "../workspace.mjs" */
/** @import { Options } from "../options.mjs" */
/** @import { Usage } from "../stopwatch.mjs" */
/** @import { Case, Scale } from "./cases.mjs" */

/**
 * @typedef {Pick<Bench, "workspace" | "commands"> & { readonly measure: (command: Command) => Promise<Partial<Usage>> }} ScaleBench
 */
/** @typedef {{ readonly n: number, readonly scene: Scene }} Size */

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

/**
 * @typedef {object} ScaleReport
 * @property {string} date
 * @property {readonly number[]} load of one minute, at the start and at the end
 * @property {number} rounds at most
 * @property {readonly Growth[]} growths
 */

/** More than this is worse than linear, beyond what a busy machine blurs. */
const MOST_EXPONENT = 1.35;
/** What grows by less, from n to 4n, is mostly what each call costs: how the rest grows cannot be told from noise. */
const LEAST_GROWTH = 3;
const [MIB, GIB] = [1024 ** 2, 1024 ** 3];
const CLIPPED = 300;
const CROWD = fileURLToPath(new URL("crowd.mjs", import.meta.url));

/**
 * Measures one scale after another, because the files of one would slow the others down, and prints each case as it is done.
 * @param {ScaleBench} bench
 * @param {Pick<Options, "only" | "rounds">} options
 * @returns {Promise<readonly Growth[]>}
 */
export async function measureScale(bench, { only, rounds }) {
  const growths = [];
  for (const scale of only.flatMap((id) => SCALES[id] ?? [])) {
    const sizes = (scale.sizes ?? [250, 500, 1000]).map((n) => ({ n, scene: bench.workspace.scene() }));
    const fault = prepareScenes(scale, sizes);
    for (const one of scale.cases) {
      const growth =
        fault === null ? await growthOf(bench, scale, one, { sizes, rounds }) : notMeasured(scale, one, sizes, fault);
      process.stdout.write(growthText(growth));
      growths.push(growth);
    }
    for (const { scene } of sizes) bench.workspace.clear(scene);
  }
  return growths;
}

/** @param {Scale} scale @param {readonly Size[]} sizes */
function prepareScenes(scale, sizes) {
  try {
    for (const { n, scene } of sizes) scale.prepare?.(scene, n);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * A case that fails does not stop the others.
 * @param {ScaleBench} bench
 * @param {Scale} scale
 * @param {Case} one
 * @param {{ readonly sizes: readonly Size[], readonly rounds: number }} how
 * @returns {Promise<Growth>}
 */
async function growthOf({ commands, measure, workspace }, scale, one, { sizes, rounds: most }) {
  const { isCrowd = false } = scale;
  const rounds = Math.min(most, one.mostRounds ?? scale.mostRounds ?? most);
  try {
    await letHooksAge();
    for (const { n, scene } of sizes) one.prepare?.(scene, (words) => prepareBy(commands.hookctl(scene, words)), n);
    const calls = sizes.map((size) => {
      const stdin = workspace.file(`scale-stdin-${size.n}`, stdinFor(one, size.n));
      const call = { ...commands.hookctl(size.scene, one.words), stdin };
      return [size.n, isCrowd ? crowdOf(call, one, size) : call];
    });
    const measured = await interleave(Object.fromEntries(calls), measure, rounds);
    const medians = (/** @type {"cpuMs" | "peakMb"} */ what) =>
      sizes.map(({ n }) => {
        const costs = measured.map((round) => round[n]?.[what] ?? Number.NaN);
        return quantile(costs, 0.5);
      });
    const cpuMs = medians("cpuMs");
    const left = sizes.map(({ n, scene }) => one.findFault?.(scene, (WARM_UP + rounds) * (isCrowd ? n : 1)) ?? null);
    const fault = left.find((text) => text !== null) ?? null;
    return { ...headOf(scale, one, sizes), cpuMs, peakMb: medians("peakMb"), exponent: exponentOf(cpuMs), fault };
  } catch (error) {
    const texts = [messageOf(error), ...(isCrowd ? sizes.flatMap(saidByCrowd) : [])];
    return notMeasured(scale, one, sizes, texts.join(": "));
  }
}

/** @param {Scale} scale @param {Case} one @param {readonly Size[]} sizes */
const headOf = ({ title }, { what }, sizes) => ({ scale: title, what, sizes: sizes.map(({ n }) => n) });

/** @param {Scale} scale @param {Case} one @param {readonly Size[]} sizes @param {string} fault @returns {Growth} */
function notMeasured(scale, one, sizes, fault) {
  return { ...headOf(scale, one, sizes), cpuMs: [], peakMb: [], exponent: null, fault };
}

/** As many calls at once. @param {Command} call @param {Case} one @param {Size} size @returns {Command} */
function crowdOf(call, { isCold = false }, { n, scene }) {
  const forgotten = isCold ? join(scene.env.XDG_CACHE_HOME ?? "", "hookctl", "identities.json") : "";
  return {
    ...call,
    argv: [process.execPath, CROWD, String(n), crowdFaults(scene), call.stdin, forgotten, ...call.argv],
  };
}

/** Where a crowd of calls writes what went wrong. @param {Scene} scene */
const crowdFaults = ({ home }) => join(home, "crowd-faults.txt");

/** @param {Size} size */
function saidByCrowd({ scene }) {
  const file = crowdFaults(scene);
  return existsSync(file) ? [readFileSync(file, "utf8").slice(0, CLIPPED)] : [];
}

const messageOf = (/** @type {unknown} */ error) => (error instanceof Error ? error.message : String(error));

/** What a call finds on stdin. @param {Case} one @param {number} n */
function stdinFor({ words: [command, event], input }, n) {
  const given = input?.(n) ?? { command: "npm test" };
  const head = command === "bridge" ? { session_id: "s-1", hook_event_name: "PreToolUse" } : { event, conv_id: "s-1" };
  const tool = typeof given === "string" ? given : JSON.stringify(given);
  const payload = JSON.stringify({ ...head, cwd: ".", tool_name: "Bash", tool_input: {} });
  return payload.replace('"tool_input":{}', () => `"tool_input":${tool}`);
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
  n >= GIB ? `${n / GIB} GiB` : n >= MIB ? `${n / MIB} MiB` : n.toLocaleString("en-US");

/** What is kept. @param {readonly Growth[]} growths @param {Pick<ScaleReport, "load" | "rounds">} how */
export function scaleJson(growths, how) {
  const rounded = (/** @type {number} */ value) => Number(value.toFixed(2));
  const rows = growths.map(({ cpuMs, peakMb, ...row }) => ({
    ...row,
    cpuMs: cpuMs.map(rounded),
    peakMb: peakMb.map(rounded),
  }));
  return `${JSON.stringify({ date: dateText(), ...how, growths: rows }, null, 2)}\n`;
}
