/** @import { Measure, Row } from "./figure.mjs" */
/** @import { Note } from "./group.mjs" */

/**
 * @typedef {object} Report
 * @property {string} date
 * @property {string} node
 * @property {string | null} native the version of the executable, with its size
 * @property {string} cpu
 * @property {readonly number[]} load of one minute, at the start and at the end
 * @property {string} clock
 * @property {number} rounds
 * @property {readonly Row[]} rows
 * @property {readonly Note[]} notes
 */

const HEAD = ["", "what", "program", "costs", "against", "costs", "ratio", "target", "verdict"];
const IS_NUMBER = [false, false, false, true, false, true, true, true, false];
/** @type {Readonly<Record<Measure, string>>} */
const UNITS = { cpuMs: "ms", wallMs: "ms wall", peakMb: "MB" };

/**
 * The figures for eyes.
 * @param {Report} report
 */
export function reportText({ date, node, native, cpu, load, clock, rounds, rows, notes }) {
  const loads = load.map((value) => value.toFixed(1)).join(" to ");
  const head = [
    `CPU by ${clock}, medians of ${rounds} interleaved rounds, ${date}`,
    `Node ${node}, ${native ?? "no native executable"}; ${cpu}, load ${loads}\n`,
  ].join("\n");
  const tail = notes.map(({ id, form, kind, text }) => `${id} ${form ?? ""} ${kind}: ${text}\n`).join("");
  return [head, ...(rows.length > 0 ? [tableText(rows)] : []), ...(tail === "" ? [] : [tail])].join("\n");
}

/**
 * The same for programs, with the quartiles of each value.
 * @param {Report} report
 */
export function reportJson({ rows, ...report }) {
  return `${JSON.stringify({ schema: "hookctl.bench/2", ...report, figures: rows.map(rowJson) }, null, 2)}\n`;
}

/** @param {readonly Row[]} rows */
function tableText(rows) {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines.map((line) => `${lineText(line, widths)}\n`).join("");
}

/** @param {readonly string[]} line @param {readonly number[]} widths */
function lineText(line, widths) {
  const padded = widths.map((width, column) => {
    const cell = line[column] ?? "";
    return IS_NUMBER[column] ? cell.padStart(width) : cell.padEnd(width);
  });
  return padded.join("  ").trimEnd();
}

/** @param {Row} row */
function cells({ id, what, program, against, measure, ours, theirs, value, target, verdict }) {
  const amount = (/** @type {number | null} */ cost) =>
    cost === null ? "-" : `${cost.toFixed(Math.abs(cost) < 10 ? 2 : 1)} ${UNITS[measure]}`;
  const ratio = theirs === null ? "-" : value.toFixed(3);
  const costs = [amount(ours), against ?? "-", amount(theirs), ratio];
  return [id, what, program, ...costs, target?.toFixed(2) ?? "-", verdict ?? "-"];
}

/** @param {Row} row */
function rowJson({ ours, theirs, value, quartiles, ...row }) {
  return {
    ...row,
    ours: rounded(ours),
    theirs: theirs === null ? null : rounded(theirs),
    value: rounded(value),
    quartiles: quartiles.map(rounded),
  };
}

/** @param {number} value */
function rounded(value) {
  return Number(value.toFixed(4));
}
