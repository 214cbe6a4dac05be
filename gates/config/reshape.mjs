// The slips of people who edit settings: a key misspelt, a value of another kind, an entry in the wrong place.

/** @import { Random } from "../random.mjs" */

/** An object or an array. @typedef {Record<string | number, unknown>} Holder */
/** @typedef {{ readonly holder: Holder, readonly key: string | number }} Spot */

const ODD = [
  null,
  true,
  false,
  0,
  -1,
  1e21,
  "",
  "x",
  [],
  {},
  [[]],
  { on: "PreToolUse" },
  "5",
  5,
  ["5s"],
  "before_tool",
];
const KEYS = [
  ..."hooks overrides settings block blocks comand tool template_push mcp_servers on".split(" "),
  ..."required record fail_opn Block __proto__ constructor".split(" "),
  "",
  ..."name match observe".split(" "),
];

/** @type {readonly ((random: Random, spot: Spot) => void)[]} */
const SLIPS = [
  (_random, { holder, key }) => (Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key]),
  (random, { holder, key }) => set(holder, key, structuredClone(random.pick(ODD))),
  (random, { holder, key }) => renamed(holder, key, misspelt(random, String(key))),
  (random, { holder, key }) => renamed(holder, key, random.pick(KEYS)),
  (random, { holder }) => Array.isArray(holder) || set(holder, random.pick(KEYS), structuredClone(random.pick(ODD))),
  (_random, { holder, key }) => set(holder, key, [holder[key]]),
  (_random, { holder, key }) => set(holder, key, { [key]: holder[key] }),
  (_random, { holder, key }) => Array.isArray(holder) && holder.push(structuredClone(holder[Number(key)])),
  (_random, { holder, key }) => set(holder, key, JSON.stringify(holder[key])),
];

/** Nothing for a third of them, else a few slips. @param {Random} random @param {Record<string, unknown>} config */
export function reshaped(random, config) {
  const root = { config: structuredClone(config) };
  for (let count = random.chance(0.33) ? 0 : 1 + random.int(3); count > 0; count--) {
    const spots = spotsIn(root);
    if (spots.length > 0) random.pick(SLIPS)(random, random.pick(spots));
  }
  return root.config;
}

/** @param {unknown} value @returns {Spot[]} */
function spotsIn(value) {
  if (typeof value !== "object" || value === null) return [];
  const holder = /** @type {Holder} */ (value);
  const keys = Array.isArray(holder) ? [...holder.keys()] : Object.keys(holder);
  const own = keys.map((key) => ({ holder, key }));
  return [...own, ...keys.flatMap((key) => spotsIn(holder[key]))];
}

/** As an own member, whatever the key is called. @param {Holder} holder @param {string | number} key @param {unknown} value */
const set = (holder, key, value) =>
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });

/** In its place among the others. @param {Holder} holder @param {string | number} key @param {string} name */
function renamed(holder, key, name) {
  if (Array.isArray(holder)) return;
  const members = Object.entries(holder);
  for (const [old] of members) delete holder[old];
  for (const [old, value] of members) set(holder, old === key ? name : old, value);
}

/** @param {Random} random @param {string} word */
function misspelt(random, word) {
  const at = random.int(word.length);
  return random.pick([
    word.slice(0, at) + word.slice(at + 1),
    `${word.slice(0, at)}${word[at] ?? ""}${word.slice(at)}`,
    word.toUpperCase(),
    `${word}s`,
    ` ${word}`,
  ]);
}
