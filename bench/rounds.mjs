/** @import { Round } from "./figure.mjs" */
/** @import { Usage } from "./stopwatch.mjs" */

/** Rounds that are not counted. */
export const WARM_UP = 2;

/**
 * @template T
 * @typedef {object} Timed commands that are compared with each other, so each round times them right after one another
 * @property {Readonly<Record<string, T>>} subjects
 * @property {number} count rounds
 */

/**
 * Each round takes the groups in a new order, and the commands of each in a new order: none is always the one after
 * the heavy one, and a slow minute slows them all. A group that fails has an error in place of rounds.
 * @template T
 * @param {readonly Timed<T>[]} groups
 * @param {(subject: T) => Promise<Partial<Usage>>} measure
 * @param {(title: string) => void} [tell] as each round begins
 * @returns {Promise<(Round[] | Error)[]>}
 */
export async function interleaveGroups(groups, measure, tell) {
  const most = Math.max(0, ...groups.map(({ count }) => count));
  const runs = groups.map((group) => ({
    ...group,
    rounds: /** @type {Round[]} */ ([]),
    error: /** @type {Error | null} */ (null),
  }));
  for (let round = 0; round < WARM_UP + most; round++) {
    tell?.(round < WARM_UP ? "to warm up" : `${round - WARM_UP + 1} of ${most}`);
    for (const run of shuffled(runs.filter(({ count, error }) => error === null && round < WARM_UP + count)))
      try {
        run.rounds.push(await measureOnce(run.subjects, measure));
      } catch (error) {
        run.error = error instanceof Error ? error : new Error(String(error));
      }
  }
  return runs.map(({ rounds, error }) => error ?? rounds.slice(WARM_UP));
}

/**
 * @template T
 * @param {Readonly<Record<string, T>>} subjects
 * @param {(subject: T) => Promise<Partial<Usage>>} measure
 * @param {number} count
 */
export async function interleave(subjects, measure, count) {
  const [rounds = []] = await interleaveGroups([{ subjects, count }], measure);
  if (rounds instanceof Error) throw rounds;
  return rounds;
}

/**
 * @template T
 * @param {Readonly<Record<string, T>>} subjects
 * @param {(subject: T) => Promise<Partial<Usage>>} measure
 */
async function measureOnce(subjects, measure) {
  /** @type {Round} */
  const round = {};
  for (const [label, subject] of shuffled(Object.entries(subjects))) round[label] = await measure(subject);
  return round;
}

/** @template T @param {readonly T[]} items */
function shuffled(items) {
  const drawn = items.map((item) => ({ item, lot: Math.random() }));
  return drawn.sort((a, b) => a.lot - b.lot).map(({ item }) => item);
}
