/** @import { Usage } from "./stopwatch.mjs" */

/** @typedef {Record<string, Partial<Usage>>} Round what each command used, by label, in one round */
/** @typedef {Readonly<Record<string, number>>} Side labels of commands with their weights: `{ with20: 1, with5: -1 }` */
/** @typedef {"node" | "native"} Form hookctl on Node, or as an executable */
/** @typedef {keyof Usage} Measure */

/**
 * @typedef {object} Figure one line of the table
 * @property {string} what
 * @property {string} [program] another program than hookctl that it speaks of
 * @property {Form | null} [form] that it speaks of, if the group has none
 * @property {Side} ours
 * @property {string} [against]
 * @property {Side} [theirs] without it the figure is `ours` itself, not a ratio
 * @property {Readonly<Partial<Record<Form, number>>>} [target] what to stay below; without one the figure is only reported
 * @property {string | Readonly<Partial<Record<Form, string>>>} [whyMissed] for the reader, if it is missed
 * @property {Measure} [measure] CPU when nothing is said
 */

/** @typedef {ReturnType<typeof toRow>} Row a figure with its numbers */

/** @type {Readonly<Record<Form, string>>} */
export const PROGRAMS = { node: "hookctl on Node", native: "hookctl, native" };

/**
 * The value is the median of the ratios of each round (a slow minute slows both sides), or of `ours`.
 * @param {Figure & { readonly id: string }} figure
 * @param {readonly Round[]} rounds
 */
export function toRow(
  { id, what, program, ours, against, theirs, target, whyMissed, measure = "cpuMs", form },
  rounds,
) {
  const our = rounds.map((round) => total(ours, round, measure));
  const their = theirs === undefined ? null : rounds.map((round) => total(theirs, round, measure));
  const values = their === null ? our : our.map((value, index) => value / (their[index] ?? Number.NaN));
  const value = quantile(values, 0.5);
  const limit = target?.[form ?? "node"] ?? null;
  const verdict = limit === null ? null : value <= limit ? "met" : "missed";
  const reason = typeof whyMissed === "string" ? whyMissed : whyMissed?.[form ?? "node"];
  return {
    id,
    what,
    program: program ?? PROGRAMS[form ?? "node"],
    against: against ?? null,
    measure,
    ours: quantile(our, 0.5),
    theirs: their === null ? null : quantile(their, 0.5),
    value,
    quartiles: [quantile(values, 0.25), quantile(values, 0.75)],
    target: limit,
    verdict,
    whyMissed: verdict === "missed" ? (reason ?? null) : null,
  };
}

/** @param {Side} side @param {Round} round @param {Measure} measure */
function total(side, round, measure) {
  const costs = Object.entries(side).map(([label, weight]) => weight * (round[label]?.[measure] ?? Number.NaN));
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** @param {readonly number[]} values @param {number} share */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}
