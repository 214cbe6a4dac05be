// Members -> the bytes of a JSON text, and the many ways in which they go wrong.
import { entry } from "./entry.mjs";

/** @import { Random } from "./random.mjs" */

/** @typedef {[key: string, value: unknown]} Member */

/** @param {Random} random @param {readonly Member[]} members @returns {Buffer} */
export function printed(random, members) {
  const space = random.chance(0.2) ? random.pick([" ", "\n", "\t", "\r\n  "]) : "";
  const parts = members.map(
    ([key, value]) => `${space}${quoted(random, key)}${space}:${space}${written(random, value)}`,
  );
  let text = `${space}{${parts.join(",")}${space}}${space}`;
  if (random.chance(0.03)) text = `\ufeff${text}`;
  if (random.chance(0.03)) text = surrounded(random, text);
  return Buffer.from(text, "utf8");
}

/** @param {Random} random @param {string} key */
function quoted(random, key) {
  if (!random.chance(0.1)) return JSON.stringify(key);
  return `"${[...key].map((char) => (random.chance(0.3) ? escaped(char) : JSON.stringify(char).slice(1, -1))).join("")}"`;
}

/** @param {string} char */
const escaped = (char) => [...Array(char.length)].map((_, at) => `\\u${hex(char.charCodeAt(at))}`).join("");
/** @param {number} code */
const hex = (code) => code.toString(16).padStart(4, "0");

/** @param {Random} random @param {unknown} value */
function written(random, value) {
  const text = value === Number.POSITIVE_INFINITY ? "1e400" : JSON.stringify(value);
  if (typeof value === "object" && random.chance(0.03)) return nested(text, random.pick([1, 10, 62, 63, 64, 65, 5000]));
  return text;
}

/** @param {string} text @param {number} levels */
const nested = (text, levels) => `${'{"d":'.repeat(levels)}${text}${"}".repeat(levels)}`;

/** @param {Random} random @param {string} text */
function surrounded(random, text) {
  return random.pick([
    `[${text}]`,
    `${text}${text}`,
    `${text} trailing`,
    `log line\n${text}`,
    `\ufeff\ufeff${text}`,
    `${text}\u00a0`,
    `${text}\0`,
    `/* c */ ${text}`,
    text.replace("}", ",}"),
    text.replaceAll('"', "'"),
    JSON.stringify(text),
  ]);
}

/** @typedef {(random: Random, bytes: Buffer, at: number) => Buffer} Cut */

/** @type {readonly Cut[]} */
const BYTE_CHANGES = [
  (random, bytes, at) => replaced(bytes, at, 1, [entry([...bytes], at) ^ (1 << random.int(8))]),
  (random, bytes, at) => replaced(bytes, at, 1, [random.int(256)]),
  (_random, bytes, at) => replaced(bytes, at, 1, []),
  (random, bytes, at) => replaced(bytes, at, 0, [random.int(256)]),
  (random, bytes, at) =>
    replaced(bytes, at, 0, [...Buffer.from(random.pick(['"', "{", "}", "[", "]", ",", ":", "\\", " ", "\ufeff"]))]),
  (_random, bytes, at) => bytes.subarray(0, at),
  (random, bytes, at) => replaced(bytes, at, 0, [...bytes.subarray(at, at + 1 + random.int(16))]),
  (random, bytes, at) => replaced(bytes, at, 1 + random.int(8), []),
];

/** Nothing for half of them: a reader that only ever sees rubbish is not tested. */
/** @param {Random} random @param {Buffer} bytes @returns {Buffer} */
export function damaged(random, bytes) {
  let result = bytes;
  const changes = random.chance(0.5) ? 0 : 1 + random.int(random.chance(0.2) ? 8 : 2);
  for (let count = changes; count > 0 && result.length > 0; count--) {
    result = random.pick(BYTE_CHANGES)(random, result, random.int(result.length));
  }
  return result;
}

/** @param {Buffer} bytes @param {number} at @param {number} count @param {readonly number[]} by */
const replaced = (bytes, at, count, by) =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from(by), bytes.subarray(at + count)]);
