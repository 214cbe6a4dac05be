import { parseArgs } from "node:util";

/**
 * @typedef {object} Options
 * @property {readonly string[]} only
 * @property {number} scale
 * @property {number} seed
 * @property {boolean} isSmall each gate at its own small scale, times `scale`
 * @property {boolean} isHelp
 */

export const HELP = `Usage: npm run gates -- [options]

Holds the reliability figures against the built program. One line per gate; exit 1 when a gate is missed.

  --only NAME,…  these gates only: replies, config, payloads, orphans, kills, record, faults, secrets, trust, store,
                   sessions, commands, serve, export, truth, disarm, types
  --scale S      a part of each gate's numbers, such as 0.01 (default 1)
  --small        each gate at the smallest scale that still finds gross faults: minutes, not hours
  --seed N       draws other cases (default 1)
  --help         this text
`;

/**
 * @param {string[]} words
 * @param {readonly string[]} names
 * @returns {Options | string} a string says what is wrong with them
 */
export function readOptions(words, names) {
  const parsed = parseWords(words);
  if (typeof parsed === "string") return parsed;
  const [scale, seed] = [Number(parsed.scale), Number(parsed.seed)];
  if (!(scale > 0 && scale <= 100)) return `--scale wants a number above 0, not "${parsed.scale}"`;
  if (!Number.isInteger(seed) || seed < 0) return `--seed wants a whole number, not "${parsed.seed}"`;
  const only = parsed.only === undefined ? names : parsed.only.split(",");
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) return `unknown gate "${unknown}"; there are ${names.join(", ")}`;
  return { only, scale, seed, isSmall: parsed.small, isHelp: parsed.help };
}

/** @param {string[]} words */
function parseWords(words) {
  try {
    return parseArgs({
      args: words,
      options: {
        only: { type: "string" },
        scale: { type: "string", default: "1" },
        seed: { type: "string", default: "1" },
        small: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
