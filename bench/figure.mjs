/** @import { Usage } from "./stopwatch.mjs" */

/** @typedef {Record<string, Usage>} Round what each command used, by label, in one round */
/** @typedef {Readonly<Record<string, number>>} Side labels of commands with their weights: `{ with20: 1, with5: -1 }` */

/**
 * @typedef {object} Figure one line of the table
 * @property {string} id
 * @property {string} what
 * @property {Side} ours
 * @property {string} against
 * @property {Side} theirs
 * @property {number} [target] the ratio to reach; without one the figure is only reported
 * @property {number} [stretch]
 * @property {"cpuMs" | "peakMb"} [measure] CPU when nothing is said
 */

/**
 * @typedef {object} Row a figure with its numbers
 * @property {string} id
 * @property {string} what
 * @property {string} against
 * @property {"ms" | "MB"} unit
 * @property {number} ours
 * @property {number} theirs
 * @property {number} ratio the median of the ratios of each round: a slow minute slows both sides
 * @property {readonly [number, number]} quartiles of that ratio
 * @property {number | null} target
 * @property {number | null} stretch
 * @property {"stretch" | "met" | "missed" | null} verdict
 */

/**
 * @param {Figure} figure
 * @param {readonly Round[]} rounds
 * @returns {Row}
 */
export function toRow({ id, what, against, ours, theirs, target, stretch, measure = "cpuMs" }, rounds) {
  const our = rounds.map((round) => total(ours, round, measure));
  const their = rounds.map((round) => total(theirs, round, measure));
  const ratios = our.map((value, index) => value / (their[index] ?? Number.NaN));
  const ratio = quantile(ratios, 0.5);
  return {
    ...{ id, what, against, unit: measure === "cpuMs" ? "ms" : "MB" },
    ...{ ours: quantile(our, 0.5), theirs: quantile(their, 0.5), ratio },
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    ...{ target: target ?? null, stretch: stretch ?? null, verdict: verdictOf(ratio, target, stretch) },
  };
}

/** @param {Side} side @param {Round} round @param {"cpuMs" | "peakMb"} measure */
function total(side, round, measure) {
  return Object.entries(side).reduce(
    (sum, [label, weight]) => sum + weight * (round[label]?.[measure] ?? Number.NaN),
    0,
  );
}

/** @param {number} ratio @param {number} [target] @param {number} [stretch] */
function verdictOf(ratio, target, stretch) {
  if (target === undefined) return null;
  if (stretch !== undefined && ratio <= stretch) return "stretch";
  return ratio <= target ? "met" : "missed";
}

/** @param {readonly number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}
