// Files of a session as hooks leave them, with values of every kind.
/** @import { Random } from "../random.mjs" */
/** @import { Member } from "../damage.mjs" */

const VALUES = [
  null,
  true,
  0,
  -1.5,
  1e21,
  "",
  "text \u2028 \ud83d\ude00",
  [],
  {},
  [1, { a: [null] }],
  { blocked: true },
];
const KEYS = ["calls", "total_cost", "", "__proto__", "constructor", "\u0007", "ä", "a b"];

/** @type {Readonly<Record<string, (random: Random) => readonly Member[]>>} */
export const FILES = {
  state: (random) =>
    random
      .shuffled(KEYS)
      .slice(0, random.int(5))
      .map((key) => [key, random.pick(VALUES)]),
  inbox: (random) => [["messages", several(random, () => message(random))]],
  valve: (random) => [
    ["turns", random.chance(0.9) ? random.int(30) : random.pick(VALUES)],
    [
      "issued",
      several(random, () => (random.chance(0.95) ? random.text("abc \n", random.int(9)) : random.pick(VALUES))),
    ],
    ["woken_at", several(random, () => (random.chance(0.95) ? "turn_end" : random.pick(VALUES)))],
  ],
};

/** @param {Random} random */
function message(random) {
  if (random.chance(0.05)) return random.pick(VALUES);
  return { hook: random.text("abc-", 4), text: random.text('ab"\\ \n', random.int(12)), wake: random.chance(0.5) };
}

/** @template T @param {Random} random @param {() => T} make @returns {T[]} */
const several = (random, make) => Array.from({ length: random.int(4) }, make);
