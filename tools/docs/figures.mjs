import { existsSync, readFileSync } from "node:fs";
import { list, table } from "./table.mjs";

/** @import { Report } from "../../bench/report.mjs" */
/** @import { Row } from "../../bench/figure.mjs" */

/** @typedef {Omit<Report, "rows"> & { readonly figures: readonly Row[] }} Figures what `npm run bench -- --save` keeps */

const SAVED = new URL("../../bench/figures.json", import.meta.url);
const [PEERS, SESSION, SERVER] = ["P4", "P14", "P15"];
const ONE_HOOK = "one hook";
const MANY_HOOKS = "20 hooks";

/** @returns {Figures | null} null before the first run */
function savedFigures() {
  return existsSync(SAVED) ? JSON.parse(readFileSync(SAVED, "utf8")) : null;
}

/** The tables of the performance page. */
export function figures(saved = savedFigures()) {
  if (saved === null) return "Not measured yet.";
  const ratios = saved.figures.filter(({ against }) => against !== null);
  return [
    sourceText(saved),
    table(["what", "against", "ratio"], ratios.map(ratioLine)),
    "**An agent's session**: CPU that each of 50 shell calls costs more, through the lines that `hookctl init claude --scope user` registers.",
    table(["what", "costs"], amountLines(saved.figures, SESSION)),
    "**`hookctl serve`**: one server, asked over and over; by the clock, but the first.",
    table(["what", "costs"], amountLines(saved.figures, SERVER)),
    "**Other programs** that run the same hooks:",
    table(["program", "one hook", "by the clock", MANY_HOOKS], peerLines(saved.figures)),
    ...remarks(saved),
  ].join("\n\n");
}

/** @param {Figures} saved */
function sourceText({ date, node, cpu, load, rounds }) {
  const loads = load.map((value) => value.toFixed(1)).join(" to ");
  return `\`npm run bench\` on ${date} UTC: Node ${node.replace(/^v/, "")}; ${cpu}, load ${loads}; medians of ${rounds} rounds.`;
}

/** @param {Row} row */
function ratioLine(row) {
  const { what, against, value, ours, theirs, measure } = row;
  const clock = { cpuMs: "", wallMs: ", by the clock", peakMb: "" }[measure];
  const unit = measure === "peakMb" ? "MB" : "ms";
  const ratio = `${value.toFixed(2)} (${number(ours)} : ${number(theirs ?? Number.NaN)} ${unit})${verdictText(row)}`;
  return [`${what}${clock}`, against ?? "", ratio];
}

/** @param {readonly Row[]} rows @param {string} group */
const amountLines = (rows, group) =>
  rows
    .filter(({ id, against }) => id === group && against === null)
    .map((row) => [row.what, `${ms(row.value)}${verdictText(row)}`]);

/** @param {readonly Row[]} rows */
function peerLines(rows) {
  const own = rows.filter(({ id, against }) => id === PEERS && against === null);
  return [...new Set(own.map(({ program }) => program))].map((name) => {
    const amountOf = (/** @type {string} */ what, /** @type {Row["measure"]} */ measure) => {
      const row = own.find((one) => one.program === name && one.what === what && one.measure === measure);
      return row === undefined ? "" : ms(row.value);
    };
    return [name, amountOf(ONE_HOOK, "cpuMs"), amountOf(ONE_HOOK, "wallMs"), amountOf(MANY_HOOKS, "cpuMs")];
  });
}

/** @param {Row} row */
function verdictText({ target, verdict, theirs }) {
  if (target === null) return "";
  const limit = theirs === null ? ms(target) : String(target);
  return verdict === "met" ? `, below ${limit}` : `, **missed** ${limit}`;
}

/** Why a target was missed, and what could not be measured. */
/** @param {Figures} saved */
function remarks({ figures, notes }) {
  const missed = figures.filter(({ verdict }) => verdict === "missed");
  const reasons = [...new Set(missed.map(({ whyMissed }) => whyMissed))].map((reason) => {
    const names = new Set(missed.filter(({ whyMissed }) => whyMissed === reason).map(({ what }) => what));
    return `${[...names].join("; ")}. *${reason ?? "Not explained yet"}.*`;
  });
  const gaps = notes.map(({ id, kind, text }) => `${id} ${kind}: ${text}`);
  return [
    ...(reasons.length === 0 ? [] : ["Why targets are missed:", list(reasons)]),
    ...(gaps.length === 0 ? [] : ["Not in the tables:", list(gaps)]),
  ];
}

/** @param {number} value */
const ms = (value) => `${number(value)} ms`;

/** @param {number} value */
const number = (value) =>
  Math.abs(value) < 10 ? value.toFixed(2) : Math.abs(value) < 100 ? value.toFixed(1) : value.toFixed(0);
