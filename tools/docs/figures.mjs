import { existsSync, readFileSync } from "node:fs";
import { PROGRAMS } from "../../bench/figure.mjs";
import { list, table } from "./table.mjs";

/** @import { Report } from "../../bench/report.mjs" */
/** @import { Row } from "../../bench/figure.mjs" */

/** @typedef {Omit<Report, "rows"> & { readonly figures: readonly Row[] }} Figures what `npm run bench -- --save` keeps */

const SAVED = new URL("../../bench/figures.json", import.meta.url);
const { node: ON_NODE, native: NATIVE } = PROGRAMS;
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
    table(["what", "against", "on Node", "native"], pairsOf(ratios).map(ratioLine)),
    "**An agent's session**: CPU that each of 50 shell calls costs more, through the lines that `hookctl install claude --scope user` registers; over HTTP, through what it registers with `--http 4665 --fail-open`, the server included.",
    table(["what", "on Node", "native"], amountLines(saved.figures, SESSION)),
    "**`hookctl serve`**: one server, asked over and over; by the clock, but the first.",
    table(["what", "on Node", "native"], amountLines(saved.figures, SERVER)),
    "**Other programs** that run the same hooks:",
    table(["program", "one hook", "by the clock", MANY_HOOKS], peerLines(saved.figures)),
    ...remarks(saved),
  ].join("\n\n");
}

/** One sentence for the README. */
export function speed(saved = savedFigures()) {
  const said = [
    ["no hooks", "without hooks"],
    ["one built-in guard", "with a built-in guard"],
    ["one hook of the user", "with a shell hook"],
  ].flatMap(([what = "", words]) => {
    const rows = (saved?.figures ?? []).filter((row) => row.what === what && row.measure === "cpuMs");
    const [native, node] = [NATIVE, ON_NODE].map((name) => rows.find(({ program }) => program === name));
    const costs = [native && `${ms(native.ours)} native`, node && `${ms(node.ours)} on Node`].filter(Boolean);
    return costs.length === 0 ? [] : [`${words} ${costs.join(", ")}`];
  });
  if (saved === null || said.length === 0) return "What a call costs: [Performance](docs/performance.md).";
  const empty = saved.figures.find(({ against }) => against === "`node -e 0`")?.theirs ?? null;
  const beside = empty === null ? "" : `, where \`node -e 0\` costs ${ms(empty)}`;
  return `CPU of one call: ${said.join("; ")}${beside} (${saved.date.slice(0, 10)}, [all figures](docs/performance.md)).`;
}

/** @param {Figures} saved */
function sourceText({ date, node, native, cpu, load, rounds }) {
  const loads = load.map((value) => value.toFixed(1)).join(" to ");
  const programs = `Node ${node.replace(/^v/, "")}, ${native ?? "no native executable"}`;
  return `\`npm run bench\` on ${date} UTC: ${programs}; ${cpu}, load ${loads}; medians of ${rounds} rounds.`;
}

/**
 * The rows of both forms of hookctl side by side.
 * @param {readonly Row[]} rows
 */
function pairsOf(rows) {
  const keyOf = (/** @type {Row} */ { id, what, against, measure }) => JSON.stringify([id, what, against, measure]);
  return [...new Set(rows.map(keyOf))].map((key) => {
    const both = rows.filter((row) => keyOf(row) === key);
    return [ON_NODE, NATIVE].map((name) => both.find(({ program }) => program === name) ?? null);
  });
}

/** @param {readonly (Row | null)[]} pair */
function ratioLine(pair) {
  const [first] = pair.flatMap((row) => row ?? []);
  if (first === undefined) return [];
  const clock = { cpuMs: "", wallMs: ", by the clock", peakMb: "" }[first.measure];
  return [`${first.what}${clock}`, first.against ?? "", ...pair.map(ratioCell)];
}

/** @param {Row | null} row */
function ratioCell(row) {
  if (row === null) return "";
  const { value, ours, theirs, measure } = row;
  const unit = measure === "peakMb" ? "MB" : "ms";
  return `${value.toFixed(2)} (${number(ours)} : ${number(theirs ?? Number.NaN)} ${unit})${verdictText(row)}`;
}

/** @param {readonly Row[]} rows @param {string} group */
function amountLines(rows, group) {
  const own = rows.filter(({ id, against }) => id === group && against === null);
  return [...new Set(own.map(({ what }) => what))].map((what) => {
    const cells = [ON_NODE, NATIVE].map((name) => {
      const row = own.find((one) => one.what === what && one.program === name);
      return row === undefined ? "" : `${ms(row.value)}${verdictText(row)}`;
    });
    const other = own.find((one) => one.what === what && ![ON_NODE, NATIVE].includes(one.program));
    return other === undefined ? [what, ...cells] : [what, ...cells.map(() => ms(other.value))];
  });
}

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
    const rows = missed.filter(({ whyMissed }) => whyMissed === reason);
    const names = [ON_NODE, NATIVE].flatMap((program) => {
      const whats = new Set(rows.filter((row) => row.program === program).map(({ what }) => what));
      return whats.size === 0 ? [] : `${program}: ${[...whats].join("; ")}`;
    });
    return `${names.join(". ")}. *${reason ?? "Not explained yet"}.*`;
  });
  const gaps = notes.map(({ id, form, kind, text }) => `${[id, form].filter(Boolean).join(" ")} ${kind}: ${text}`);
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
