/** @import { Measure, Row } from "./figure.mjs" */

/**
 * @typedef {object} Note
 * @property {string} id
 * @property {"skipped" | "failed"} kind
 * @property {string} text
 */

/**
 * @typedef {object} Report
 * @property {string} date
 * @property {string} node
 * @property {string} cpu
 * @property {readonly number[]} load of one minute, at the start and at the end
 * @property {string} clock
 * @property {number} rounds
 * @property {readonly Row[]} rows
 * @property {readonly Note[]} notes
 */

const HEAD = ["", "what", "program", "costs", "against", "costs", "ratio", "target", "verdict"];
const NUMBERS = [3, 5, 6, 7];
/** @type {Readonly<Record<Measure, string>>} */
const UNITS = {
  cpuMs: "ms",
  wallMs: "ms wall",
  p99Ms: "ms p99",
  firstMs: "ms first",
  laterMs: "ms later",
  peakMb: "MB",
  serverMb: "MB server",
};

/** Tells the person who waits; stdout is for the figures. @param {string} line */
export const say = (line) => void process.stderr.write(`${line}\n`);

/** The time of a report, in UTC. */
export const dateText = () => new Date().toISOString().slice(0, 16).replace("T", " ");

/** The figures for eyes. @param {Report} report */
export function reportText({ date, node, cpu, load, clock, rounds, rows, notes }) {
  const loads = load.map((value) => value.toFixed(1)).join(" to ");
  const lines = [
    `CPU by ${clock}, medians of ${rounds} interleaved rounds, ${date}`,
    `Node ${node}; ${cpu}, load ${loads}`,
    ...(rows.length > 0 ? ["", ...tableLines([HEAD, ...rows.map(cells)])] : []),
    ...(notes.length > 0 ? [""] : []),
    ...notes.map(({ id, kind, text }) => `${id} ${kind}: ${text}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** The same for programs, with the quartiles of each value. @param {Report} report */
export function reportJson({ rows, ...report }) {
  const figures = rows.map(({ ours, theirs, value, quartiles, ...row }) => ({
    ...row,
    ours: rounded(ours),
    theirs: theirs === null ? null : rounded(theirs),
    value: rounded(value),
    quartiles: quartiles.map(rounded),
  }));
  return `${JSON.stringify({ schema: "hookctl.bench/4", ...report, figures }, null, 2)}\n`;
}

/** @param {readonly (readonly string[])[]} lines */
function tableLines(lines) {
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => {
    const padded = line.map((cell, column) =>
      NUMBERS.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    );
    return padded.join("  ").trimEnd();
  });
}

/** @param {Row} row */
function cells({ id, what, program, against, measure, ours, theirs, value, target, verdict }) {
  const amount = (/** @type {number | null} */ cost) =>
    cost === null ? "-" : `${cost.toFixed(Math.abs(cost) < 10 ? 2 : 1)} ${UNITS[measure]}`;
  const ratio = theirs === null ? "-" : value.toFixed(3);
  const costs = [amount(ours), against ?? "-", amount(theirs), ratio];
  return [id, what, program, ...costs, target?.toFixed(2) ?? "-", verdict ?? "-"];
}

const rounded = (/** @type {number} */ value) => Number(value.toFixed(4));
