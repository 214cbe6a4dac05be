import { entry } from "./entry.mjs";

/**
 * @typedef {object} Random numbers that a seed determines: the same seed, the same run
 * @property {(below: number) => number} int a whole number from 0 up to, but not including, `below`
 * @property {(share: number) => boolean} chance
 * @property {<T>(items: readonly T[]) => T} pick
 * @property {<T>(items: readonly T[]) => T[]} shuffled
 * @property {(alphabet: string, length: number) => string} text
 */

/** @param {number} seed @param {string} [use] numbers of their own for each use of one seed @returns {Random} */
export function randomFrom(seed, use = "") {
  let state = seed >>> 0;
  for (const char of use) state = Math.imul(state ^ char.charCodeAt(0), 0x01000193) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** @param {number} below */
  const int = (below) => Math.floor(next() * below);
  return {
    int,
    chance: (share) => next() < share,
    pick: (items) => entry(items, int(items.length)),
    shuffled: (items) => {
      const mixed = [...items];
      for (let at = mixed.length - 1; at > 0; at--) {
        const other = int(at + 1);
        [mixed[at], mixed[other]] = [entry(mixed, other), entry(mixed, at)];
      }
      return mixed;
    },
    text: (alphabet, length) => Array.from({ length }, () => alphabet[int(alphabet.length)]).join(""),
  };
}
