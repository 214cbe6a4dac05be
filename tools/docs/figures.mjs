import { existsSync, readFileSync } from "node:fs";
import { CALLS, SLOW_CALLS } from "../../bench/groups/peers.mjs";
import { list, table } from "./table.mjs";

/** @import { Report } from "../../bench/report.mjs" */
/** @import { Row } from "../../bench/figure.mjs" */

/** @typedef {Omit<Report, "rows"> & { readonly figures: readonly Row[] }} Figures what `npm run bench -- --save` keeps */

const SAVED = new URL("../../bench/figures.json", import.meta.url);
const [PEERS, GROWTH, SERVER] = ["peers", "growth", "P15"];
/** @type {Readonly<Record<Row["measure"], string>>} */
const BY = { cpuMs: "", wallMs: ", wall-clock time", p99Ms: "", firstMs: "", laterMs: "", peakMb: "", serverMb: "" };

/** @returns {Figures | null} null before the first run */
export function savedFigures() {
  return existsSync(SAVED) ? JSON.parse(readFileSync(SAVED, "utf8")) : null;
}

/** The programs that guard each call, and what they cost. */
export function peers(saved = savedFigures()) {
  if (saved === null) return "Not measured yet.";
  const rows = peerRows(saved).map(({ name, cpu, wall, slow, memory, server, first }) => [
    name,
    `${ms(cpu.value)}${cpu.ratio}`,
    `${ms(wall.value)}${wall.ratio}`,
    ms(slow.value),
    server > 0 ? `${number(memory)} MB, the server's` : `${number(memory)} MB`,
    ms(first),
  ]);
  return [
    sourceText(saved),
    `A session starts the registered command ${CALLS} times through \`sh -c\`, with the call on stdin (slow programs: ${SLOW_CALLS} times). The figures include hookctl's server, which the first call starts.`,
    table(["", "CPU of a call", "time", "99th percentile", "memory", "CPU of the first call"], rows),
    "How a later call grows:",
    table(GROWTH_HEAD, growthLines(saved)),
    ...gaps(saved, [PEERS, GROWTH]),
  ].join("\n\n");
}

/** Each program of the comparison, the cheapest first. @param {Figures} saved */
export function peerRows({ figures }) {
  const own = figures.filter(({ id }) => id === PEERS);
  const names = [...new Set(own.map(({ program }) => program))];
  const rows = names.map((name) => {
    const amount = (/** @type {Row["measure"]} */ measure) => {
      const row = own.find((one) => one.program === name && one.measure === measure);
      const isSame = row === undefined || row.against === null || row.against === name;
      return { value: row?.ours ?? Number.NaN, ratio: isSame ? "" : ` (${number(row.value)} x)` };
    };
    const [memory, server, first] = /** @type {const} */ (["peakMb", "serverMb", "firstMs"]).map(
      (one) => amount(one).value,
    );
    return {
      name,
      cpu: amount("cpuMs"),
      wall: amount("wallMs"),
      slow: amount("p99Ms"),
      memory: memory ?? Number.NaN,
      server: server ?? 0,
      first: first ?? Number.NaN,
    };
  });
  return rows.sort((one, other) => one.cpu.value - other.cpu.value);
}

const GROWN = ["the sh guard by itself", "hookctl, sh guards", "hookctl, four built-in guards"];
const GROWTH_HEAD = ["CPU of a later call, largest process", ...GROWN];

/** @param {Figures} saved */
function growthLines({ figures }) {
  const own = figures.filter(({ id }) => id === GROWTH);
  return [...new Set(own.map(({ what }) => what))].map((what) => {
    const amount = (/** @type {string} */ program, /** @type {Row["measure"]} */ measure) =>
      own.find((one) => one.program === program && one.what === what && one.measure === measure)?.ours;
    const cells = GROWN.map((program) => {
      const [cpu, memory] = [amount(program, "laterMs"), amount(program, "peakMb")];
      return cpu === undefined || memory === undefined ? "" : `${ms(cpu)}, ${number(memory)} MB`;
    });
    return [what, ...cells];
  });
}

/** What else is measured. */
export function figures(saved = savedFigures()) {
  if (saved === null) return "Not measured yet.";
  const others = saved.figures.filter(({ id }) => ![PEERS, GROWTH].includes(id));
  const ratios = others.filter(({ against }) => against !== null);
  return [
    table(["what", "against", "ratio"], ratios.map(ratioLine)),
    "**`hookctl serve`**: one server, many requests; wall-clock time, except in the first row.",
    table(["what", "costs"], amountLines(others, SERVER)),
    ...reasons(others),
    ...gaps(saved, [...new Set(others.map(({ id }) => id))]),
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
  const unit = measure === "peakMb" ? "MB" : "ms";
  const ratio = `${value.toFixed(2)} (${number(ours)} : ${number(theirs ?? Number.NaN)} ${unit})${verdictText(row)}`;
  return [`${what}${BY[measure]}`, against ?? "", ratio];
}

/** @param {readonly Row[]} rows @param {string} group */
const amountLines = (rows, group) =>
  rows
    .filter(({ id, against }) => id === group && against === null)
    .map((row) => [row.what, `${ms(row.value)}${verdictText(row)}`]);

/** @param {Row} row */
function verdictText({ target, verdict, theirs }) {
  if (target === null) return "";
  const limit = theirs === null ? ms(target) : String(target);
  return verdict === "met" ? `, below ${limit}` : `, **missed** ${limit}`;
}

/** Why targets were missed. @param {readonly Row[]} rows */
function reasons(rows) {
  const missed = rows.filter(({ verdict }) => verdict === "missed");
  const texts = [...new Set(missed.map(({ whyMissed }) => whyMissed))].map((reason) => {
    const names = new Set(missed.filter(({ whyMissed }) => whyMissed === reason).map(({ what }) => what));
    return `${[...names].join("; ")}. *${reason ?? "Not explained yet"}.*`;
  });
  return texts.length === 0 ? [] : ["Why targets are missed:", list(texts)];
}

/** What could not be measured. @param {Figures} saved @param {readonly string[]} ids */
function gaps({ notes }, ids) {
  const texts = notes.filter(({ id }) => ids.includes(id)).map(({ id, kind, text }) => `${id} ${kind}: ${text}`);
  return texts.length === 0 ? [] : ["Not in the tables:", list(texts)];
}

/** @param {number} value */
const ms = (value) => `${number(value)} ms`;

/** @param {number} value */
export const number = (value) =>
  Math.abs(value) < 10 ? value.toFixed(2) : Math.abs(value) < 100 ? value.toFixed(1) : value.toFixed(0);
