/** @import { Usage } from "./stopwatch.mjs" */

/** @typedef {Record<string, Usage>} Round what each command used, by label, in one round */
/** @typedef {Readonly<Record<string, number>>} Side labels of commands with their weights: `{ with20: 1, with5: -1 }` */
/** @typedef {"node" | "native"} Form hookctl on Node, or as an executable */

/**
 * @typedef {object} Figure one line of the table
 * @property {string} id
 * @property {string} what
 * @property {Form | null} [form] which hookctl it speaks of
 * @property {string} [program] another program that it speaks of
 * @property {Side} ours
 * @property {string} [against]
 * @property {Side} [theirs] without it the figure is `ours` itself, not a ratio
 * @property {Readonly<Partial<Record<Form, number>>>} [target] what to stay below; without one the figure is only reported
 * @property {Readonly<Partial<Record<Form, string>>>} [whyMissed] for the reader, if it is missed
 * @property {Measure} [measure] CPU when nothing is said
 */

/** @typedef {"cpuMs" | "wallMs" | "peakMb"} Measure */

/**
 * @typedef {object} Row a figure with its numbers
 * @property {string} id
 * @property {string} what
 * @property {string} program
 * @property {string | null} against
 * @property {Measure} measure
 * @property {number} ours
 * @property {number | null} theirs
 * @property {number} value the median of the ratios of each round (a slow minute slows both sides), or of `ours`
 * @property {readonly [number, number]} quartiles of that value
 * @property {number | null} target
 * @property {"met" | "missed" | null} verdict
 * @property {string | null} whyMissed
 */

/** @type {Readonly<Record<Form, string>>} */
export const PROGRAMS = { node: "hookctl on Node", native: "hookctl, native" };

/**
 * @param {Figure} figure
 * @param {readonly Round[]} rounds
 * @returns {Row}
 */
export function toRow(figure, rounds) {
  const { id, what, form, ours, against, theirs, target, whyMissed, measure = "cpuMs" } = figure;
  const program = figure.program ?? PROGRAMS[form ?? "node"];
  const our = rounds.map((round) => total(ours, round, measure));
  const their = theirs === undefined ? null : rounds.map((round) => total(theirs, round, measure));
  const values = their === null ? our : our.map((value, index) => value / (their[index] ?? Number.NaN));
  const value = quantile(values, 0.5);
  const limit = target?.[form ?? "node"] ?? null;
  const verdict = limit === null ? null : value <= limit ? "met" : "missed";
  return {
    ...{ id, what, program, against: against ?? null, measure, ours: quantile(our, 0.5) },
    ...{ theirs: their === null ? null : quantile(their, 0.5), value },
    quartiles: [quantile(values, 0.25), quantile(values, 0.75)],
    ...{ target: limit, verdict, whyMissed: verdict === "missed" ? (whyMissed?.[form ?? "node"] ?? null) : null },
  };
}

/** @param {Side} side @param {Round} round @param {Measure} measure */
function total(side, round, measure) {
  return Object.entries(side).reduce(
    (sum, [label, weight]) => sum + weight * (round[label]?.[measure] ?? Number.NaN),
    0,
  );
}

/** @param {readonly number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}
