/** @import { Usage } from "./stopwatch.mjs" */

/** @typedef {Record<string, Partial<Usage>>} Round what each command used, by label, in one round */
/** @typedef {Readonly<Record<string, number>>} Side labels of commands with their weights: `{ with20: 1, with5: -1 }` */
/**
 * @typedef {Exclude<keyof Usage, "callsMs"> | "p99Ms"} Measure `p99Ms` is of all calls of all rounds: what one of a hundred calls
 * takes at least
 */

/**
 * @typedef {object} Figure one line of the table
 * @property {string} what
 * @property {string} [program] another program than hookctl that it speaks of
 * @property {Side} ours
 * @property {string} [against]
 * @property {Side} [theirs] without it the figure is `ours` itself, not a ratio
 * @property {number} [target] what to stay below; without one the figure is only reported
 * @property {string} [whyMissed] for the reader, if it is missed
 * @property {Measure} [measure] CPU when nothing is said
 */

/** @typedef {ReturnType<typeof toRow>} Row a figure with its numbers */

export const OURS = "hookctl";

/**
 * The value is the median of the ratios of each round (a slow minute slows both sides), or of `ours`.
 * @param {Figure & { readonly id: string }} figure
 * @param {readonly Round[]} rounds
 */
export function toRow(
  { id, what, program = OURS, ours, against, theirs, target, whyMissed, measure = "cpuMs" },
  rounds,
) {
  const counted = measure === "p99Ms" ? [slowCalls(rounds)] : rounds;
  const our = counted.map((round) => total(ours, round, measure));
  const their = theirs === undefined ? null : counted.map((round) => total(theirs, round, measure));
  const values = their === null ? our : our.map((value, index) => value / (their[index] ?? Number.NaN));
  const value = quantile(values, 0.5);
  const limit = target ?? null;
  const verdict = limit === null ? null : value <= limit ? "met" : "missed";
  return {
    id,
    what,
    program,
    against: against ?? null,
    measure,
    ours: quantile(our, 0.5),
    theirs: their === null ? null : quantile(their, 0.5),
    value,
    quartiles: [quantile(values, 0.25), quantile(values, 0.75)],
    target: limit,
    verdict,
    whyMissed: verdict === "missed" ? (whyMissed ?? null) : null,
  };
}

/** The 99th percentile of the calls of all rounds. @param {readonly Round[]} rounds */
function slowCalls(rounds) {
  const labels = Object.keys(rounds[0] ?? {});
  const slow = labels.map((label) => [
    label,
    {
      p99Ms: quantile(
        rounds.flatMap((one) => one[label]?.callsMs ?? []),
        0.99,
      ),
    },
  ]);
  return Object.fromEntries(slow);
}

/** @param {Side} side @param {Readonly<Record<string, Partial<Record<Measure, number>>>>} round @param {Measure} measure */
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
