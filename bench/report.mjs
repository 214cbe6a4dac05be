/** @import { Row } from "./figure.mjs" */
/** @import { Note } from "./group.mjs" */

/**
 * @typedef {object} Report
 * @property {string} node
 * @property {string} cpu
 * @property {string} clock
 * @property {number} rounds
 * @property {readonly Row[]} rows
 * @property {readonly (Note & { readonly id: string })[]} notes
 */

const HEAD = ["", "what", "hookctl", "against", "costs", "ratio", "target", "stretch", "verdict"];
const IS_NUMBER = [false, false, true, false, true, true, true, true, false];

/**
 * The figures for eyes.
 * @param {Report} report
 */
export function reportText({ node, cpu, clock, rounds, rows, notes }) {
  const head = `CPU by ${clock}, medians of ${rounds} interleaved rounds, Node ${node}, ${cpu}\n`;
  const tail = notes.map(({ id, kind, text }) => `${id} ${kind}: ${text}\n`).join("");
  return [head, ...(rows.length > 0 ? [tableText(rows)] : []), ...(tail === "" ? [] : [tail])].join("\n");
}

/**
 * The same for programs, with the quartiles of the ratio.
 * @param {Report} report
 */
export function reportJson({ rows, ...report }) {
  return `${JSON.stringify({ schema: "hookctl.bench/1", ...report, figures: rows.map(rowJson) }, null, 2)}\n`;
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
function cells({ id, what, against, unit, ours, theirs, ratio, target, stretch, verdict }) {
  const limits = [target, stretch].map((limit) => limit?.toFixed(2) ?? "-");
  return [id, what, amount(ours, unit), against, amount(theirs, unit), ratio.toFixed(3), ...limits, verdict ?? "-"];
}

/** @param {number} value @param {string} unit */
function amount(value, unit) {
  return `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`;
}

/** @param {Row} row */
function rowJson({ ours, theirs, ratio, quartiles, ...row }) {
  return {
    ...row,
    ours: rounded(ours),
    theirs: rounded(theirs),
    ratio: rounded(ratio),
    quartiles: quartiles.map(rounded),
  };
}

/** @param {number} value */
function rounded(value) {
  return Number(value.toFixed(4));
}
