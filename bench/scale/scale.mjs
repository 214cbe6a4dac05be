// How the cost of a call grows with what lies around it: each case at n, 2n and 4n.
import { spawnSync } from "node:child_process";
import { interleave } from "../rounds.mjs";
import { letHooksAge } from "../workspace.mjs";
import { commandOf, SCALES } from "./cases.mjs";

/** @import { Round } from "../figure.mjs" */
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
 * @property {number | null} exponent of what grows; null: nothing does
 */

/** More than this is worse than linear, beyond what a busy machine blurs. */
const MOST_EXPONENT = 1.35;
/** What grows by less, from n to 4n, cannot be told from noise. */
const LEAST_GROWTH = 1.25;
const LIMIT_BYTES = 1024 ** 3;

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
    for (const { n, scene } of scenes) scale.prepare(scene, n);
    for (const one of scale.cases) {
      const growth = await growthOf(scale, one, { bench, scenes, rounds: Math.min(rounds, one.mostRounds ?? rounds) });
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

/** @param {Scale} scale @param {Case} one @param {How} how @returns {Promise<Growth>} */
async function growthOf({ title, sizes }, one, { bench, scenes, rounds }) {
  const stdin = bench.workspace.file("scale-stdin", stdinFor(one));
  await letHooksAge();
  for (const { scene } of scenes) one.prepare?.(scene, (words) => once(bench, scene, words));
  const commands = Object.fromEntries(
    scenes.map(({ n, scene }) => [n, { ...commandOf(bench.commands, scene, one, n), stdin }]),
  );
  const measured = await interleave(commands, bench.stopwatch.measure, rounds);
  const medians = (/** @type {"cpuMs" | "peakMb"} */ measure) => sizes.map((n) => median(measured, n, measure));
  const cpuMs = medians("cpuMs");
  return { scale: title, what: one.what, sizes, cpuMs, peakMb: medians("peakMb"), exponent: exponentOf(cpuMs) };
}

/** What a call finds on stdin. @param {Case} one */
function stdinFor({ words: [command, event] }) {
  const tool = { tool_name: "Bash", tool_input: { command: "npm test" } };
  if (command !== "bridge") return JSON.stringify({ event, conv_id: "s-1", cwd: ".", ...tool });
  return JSON.stringify({ session_id: "s-1", hook_event_name: "PreToolUse", cwd: ".", ...tool });
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
  if (four < one * LEAST_GROWTH || two <= one) return null;
  return Math.log2((four - two) / (two - one));
}

/** @param {Pick<Growth, "exponent">} growth */
export const isTooSteep = ({ exponent }) => exponent !== null && exponent > MOST_EXPONENT;

/** @param {Growth} growth */
function growthText({ scale, what, sizes, cpuMs, peakMb, exponent }) {
  const steps = cpuMs.map((cost) => (cost / (cpuMs[0] ?? 1)).toFixed(2)).join(" : ");
  const verdict =
    exponent === null
      ? "does not grow"
      : `n^${exponent.toFixed(2)}${isTooSteep({ exponent }) ? ", worse than linear" : ""}`;
  const peak = `${Math.round(peakMb.at(-1) ?? 0)} MB`;
  const from = sizes.map(sizeText).join(", ");
  return `${[`${scale} (${from})`, what, `${cpuMs[0]?.toFixed(0)} ms`, `${cpuMs.at(-1)?.toFixed(0)} ms`, steps, peak, verdict].join(" | ")}\n`;
}

const sizeText = (/** @type {number} */ n) =>
  n >= LIMIT_BYTES ? `${n / 1024 ** 3} GiB` : n >= 1024 ** 2 ? `${n / 1024 ** 2} MiB` : n.toLocaleString("en-US");
