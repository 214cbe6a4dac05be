// Where a hook's words come in: the parts of a reply that are told, stderr, and replies that are quoted because they fail.

/** @import { Random } from "../random.mjs" */

/**
 * @typedef {object} Said
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} exitCode
 * @property {string} [session] the conversation that the payload names
 */

/** @param {object} reply @returns {Said} */
const replied = (reply) => ({ stdout: JSON.stringify(reply), stderr: "", exitCode: 0 });

/** The first and the last 32 KiB of stderr are kept: the secret lies across the end of the one, and the start of the other. */
/** @param {string} text */
function acrossTheCut(text) {
  const half = Math.floor(text.length / 2);
  const [before, after] = ["a ".repeat(16_384).slice(half), "b ".repeat(16_384).slice(half)];
  return `${before}${text} ${"c ".repeat(9_000)} ${text}${after}`;
}

/** @type {Readonly<Record<string, { room: number, say: (text: string) => Said }>>} */
export const PLACES = {
  reason: { room: 1_000, say: (text) => replied({ blocked: true, reason: text }) },
  additional_context: { room: 9_000, say: (text) => replied({ additional_context: ["first", text] }) },
  warnings: { room: 700, say: (text) => replied({ warnings: [text] }) },
  system_message: { room: 700, say: (text) => replied({ system_message: text }) },
  metadata: { room: 700, say: (text) => replied({ metadata: { note: text, list: [text] } }) },
  stderr: { room: 70_000, say: (text) => ({ stdout: "", stderr: text, exitCode: 0 }) },
  "stderr where it is cut": { room: 0, say: (text) => ({ stdout: "", stderr: acrossTheCut(text), exitCode: 0 }) },
  "stderr of a failure": { room: 300, say: (text) => ({ stdout: "", stderr: `first\n${text}`, exitCode: 3 }) },
  "a reply that is no JSON": { room: 200, say: (text) => ({ stdout: `oops ${text}\n{}`, stderr: "", exitCode: 0 }) },
  "a reply of a wrong type": { room: 30, say: (text) => replied({ blocked: text }) },
  conv_id: { room: 60, say: (text) => ({ ...replied({}), session: text }) },
  "an unknown key": { room: 60, say: (text) => replied({ [text]: 1 }) },
};

/** @param {Random} random */
export const drawPlace = (random) => random.pick(Object.keys(PLACES));
