/** @import { Round } from "./figure.mjs" */
/** @import { Usage } from "./stopwatch.mjs" */

const WARM_UP = 2;

/**
 * Runs every command once a round, each time in a new order: none is always the one after the heavy one.
 * @template T
 * @param {Readonly<Record<string, T>>} subjects
 * @param {(subject: T) => Promise<Usage>} measure
 * @param {number} count
 * @returns {Promise<Round[]>}
 */
export async function interleave(subjects, measure, count) {
  const rounds = [];
  for (let round = 0; round < WARM_UP + count; round++) rounds.push(await measureOnce(subjects, measure));
  return rounds.slice(WARM_UP);
}

/**
 * @template T
 * @param {Readonly<Record<string, T>>} subjects
 * @param {(subject: T) => Promise<Usage>} measure
 */
async function measureOnce(subjects, measure) {
  /** @type {Round} */
  const round = {};
  for (const [label, subject] of shuffled(Object.entries(subjects))) round[label] = await measure(subject);
  return round;
}

/**
 * @template T
 * @param {readonly T[]} items
 */
function shuffled(items) {
  const drawn = items.map((item) => ({ item, lot: Math.random() }));
  return drawn.sort((a, b) => a.lot - b.lot).map(({ item }) => item);
}
