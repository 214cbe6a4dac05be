import { existsSync, realpathSync } from "node:fs";
import { parseArgs } from "node:util";

/** @typedef {Exclude<ReturnType<typeof readOptions>, string>} Options */

/**
 * @typedef {object} Known
 * @property {readonly string[]} ids
 * @property {readonly string[]} scaleIds
 * @property {string} bin
 */

export const HELP = `Usage: npm run bench -- [options]

Times whole processes by their CPU (user + system, with the descendants they waited for). Each round runs
every command once, in a new order; a ratio is the median of the ratios of each round. Needs a C compiler.

  -n ROUNDS      rounds (default 25)
  --only P1,P5   these groups only; "peers": a guarded call with other programs; "growth": what it grows with
  --json         the figures as one JSON object
  --save         keep the figures, and write them into the docs
  --bin PATH     another build to compare: its bin/hookctl.js, with its dist/ beside
  --scale        how the cost grows with hooks, sessions, the log and calls at once (5 rounds; --only S1,S2)
  --guards DIR   what the guards, and peers that are installed, stop of the collections of commands in a folder
  --help         this text
`;

/** Returns the options, or a text that says what is wrong with them. @param {string[]} words @param {Known} known */
export function readOptions(words, known) {
  const parsed = parseWords(words);
  if (typeof parsed === "string") return parsed;
  const { only, json, save, scale, help, guards, bin = known.bin } = parsed;
  const n = parsed.n ?? (scale ? "5" : "25");
  const rounds = Number(n);
  if (!Number.isInteger(rounds) || rounds < 1) return `-n wants a whole number above 0, not "${n}"`;
  const all = scale ? known.scaleIds : known.ids;
  const ids = only === undefined ? all : only.split(",");
  const unknown = ids.find((id) => !all.includes(id));
  if (unknown !== undefined) return `unknown group "${unknown}"; there are ${all.join(", ")}`;
  if (save && only !== undefined) return "--save wants all groups, so it does not go with --only";
  const missing = [bin, guards ?? bin].find((path) => !existsSync(path));
  if (missing !== undefined) return `${missing} does not exist`;
  return {
    rounds,
    only: ids,
    isJson: json,
    isSaved: save,
    isScale: scale,
    isHelp: help,
    guards: guards === undefined ? null : realpathSync(guards),
    bin: realpathSync(bin),
  };
}

/** @param {string[]} words */
function parseWords(words) {
  try {
    return parseArgs({
      args: words,
      options: {
        n: { type: "string", short: "n" },
        only: { type: "string" },
        json: { type: "boolean", default: false },
        save: { type: "boolean", default: false },
        bin: { type: "string" },
        guards: { type: "string" },
        scale: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
