/**
 * The modules of dist/ that gates use, with the types of their sources: a gate does not compile when a name is gone.
 * @typedef {{
 *   "src/audit/log-lines.js": typeof import("../src/audit/log-lines.ts"),
 *   "src/audit/payload-log.js": typeof import("../src/audit/payload-log.ts"),
 *   "src/audit/redact.js": typeof import("../src/audit/redact.ts"),
 *   "src/chain/advance.js": typeof import("../src/chain/advance.ts"),
 *   "packages/guards/command/analyze.js": typeof import("../packages/guards/command/analyze.ts"),
 *   "packages/guards/command/files/file-access.js": typeof import("../packages/guards/command/files/file-access.ts"),
 *   "src/shell/load-parser.js": typeof import("../src/shell/load-parser.ts"),
 *   "packages/sdk/index.js": typeof import("../packages/sdk/index.ts"),
 *   "src/main.js": typeof import("../src/main.ts"),
 *   "src/config/load-settings.js": typeof import("../src/config/load-settings.ts"),
 *   "src/dialects/dialects.js": typeof import("../src/dialects/dialects.ts"),
 *   "src/dialects/response/read-response.js": typeof import("../src/dialects/response/read-response.ts"),
 *   "src/engine/run/run-record.js": typeof import("../src/engine/run/run-record.ts"),
 *   "src/process/outcome-problem.js": typeof import("../src/process/outcome-problem.ts"),
 *   "src/process/bounded-output.js": typeof import("../src/process/bounded-output.ts"),
 *   "src/process/run-process.js": typeof import("../src/process/run-process.ts"),
 *   "src/protocol/payload/payload.js": typeof import("../src/protocol/payload/payload.ts"),
 *   "src/protocol/text/text.js": typeof import("../src/protocol/text/text.ts"),
 *   "src/report/run/run-json.js": typeof import("../src/report/run/run-json.ts"),
 *   "src/report/run/run-text.js": typeof import("../src/report/run/run-text.ts"),
 *   "src/report/text-style.js": typeof import("../src/report/text-style.ts"),
 *   "src/session/state.js": typeof import("../src/session/state.ts"),
 *   "src/session/turn-limit.js": typeof import("../src/session/turn-limit.ts"),
 *   "src/trust/store/trust-store.js": typeof import("../src/trust/store/trust-store.ts"),
 * }} BuiltModules
 */

/**
 * @typedef {object} GateContext
 * @property {readonly string[]} bin the words that start the command under test
 * @property {<Name extends keyof BuiltModules>(module: Name) => Promise<BuiltModules[Name]>} built a module of dist/
 * @property {number} scale
 * @property {number} seed
 */

/**
 * @typedef {object} Outcome
 * @property {boolean} isMet
 * @property {string} figures
 * @property {readonly string[]} notes findings, and what was left out and why
 */

/** @typedef {(context: GateContext) => Promise<Outcome>} Gate */

/** One line, with the notes indented below it. @param {string} name @param {Outcome} outcome @param {number} seconds */
export function gateText(name, { isMet, figures, notes }, seconds) {
  const line = `${isMet ? "✔" : "✖"} ${name.padEnd(8)} ${figures} (${seconds.toFixed(1)} s)\n`;
  return line + notes.map((note) => `    ${note}\n`).join("");
}

/** Runs the task for each index, at most `width` of them at once.
 * @param {number} total @param {number} width @param {(index: number) => Promise<void>} task
 */
export async function inParallel(total, width, task) {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < total; index = next++) await task(index);
  };
  await Promise.all(Array.from({ length: Math.min(width, total) }, worker));
}

/** How many cases of the full number a scale leaves. @param {number} full @param {number} scale @param {number} [least] */
export const casesAt = (full, scale, least = 1) => Math.max(least, Math.round(full * scale));

/** Is the item at this place of a list in the share of it? @param {number} at @param {number} scale */
export function isDrawn(at, scale) {
  const step = 1 / Math.min(1, scale);
  return Math.floor(at / step) !== Math.floor((at - 1) / step);
}

/** @param {number} value */
export const number = (value) => value.toLocaleString("en-US");

const SHOWN = 3;

/**
 * Judges cases one after another, counts the faults and keeps the first ones.
 * @param {number} total
 * @param {(index: number) => string | null | Promise<string | null>} judge what was wrong with a case
 */
export async function judgeAll(total, judge) {
  const samples = /** @type {string[]} */ ([]);
  let faults = 0;
  for (let index = 0; index < total; index++) {
    const fault = await judge(index);
    if (fault === null) continue;
    faults++;
    if (samples.length < SHOWN) samples.push(fault);
  }
  return { faults, samples };
}

/** What several parts of a gate found: their figures in the line, or one below the other. @param {readonly Outcome[]} parts @param {string} [title] @returns {Outcome} */
export function allOf(parts, title) {
  const figures = parts.map((part) => part.figures);
  return {
    isMet: parts.every(({ isMet }) => isMet),
    figures: title ?? figures.join("; "),
    notes: [...(title === undefined ? [] : figures), ...parts.flatMap(({ notes }) => notes)],
  };
}
