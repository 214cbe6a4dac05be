import { groupDigits, pluralize } from "../../../src/protocol/text/count.ts";
import { hookShares, msText, shareText, stoppedOf, sumOf, swatch, toolShares } from "./figures.ts";
import {
  coordinate,
  type FiguresTable,
  figuresTable,
  type Html,
  html,
  outside,
  type Share,
  section,
  shareBars,
} from "./html.ts";
import { type DecisionCounts, type HookFigures, LATENCY_BINS, type Latency, type ReportData } from "./report-data.ts";

/** The latency of each hook, all on one scale. */
export function latencySection({ hooks, omitted }: ReportData): Html {
  const started = hooks.flatMap(({ name, runs, latency }) => (latency === null ? [] : [{ name, runs, latency }]));
  if (started.length === 0) return html``;
  const bins = usedBins(started.map(({ latency }) => latency));
  const content = html`<p class="about">How long each hook takes, in milliseconds. Lines mark p50 and p95.</p>
${figuresTable({
  caption: "Latency of each hook in milliseconds",
  look: "latency",
  rowLabel: "Hook",
  columns: [
    { label: "Runs", kind: "number" },
    ...["p50", "p95", "p99"].map((label) => ({ label, kind: "number" as const })),
    { label: decades(bins), kind: "bar" },
  ],
  rows: started.map(({ name, runs, latency }) => ({
    name: outside(name, NAME_LIMIT),
    cells: [groupDigits(runs), ...[latency.p50_ms, latency.p95_ms, latency.p99_ms].map(msText)]
      .map((text) => html`${text}`)
      .concat(distribution(latency, bins)),
  })),
})}${omittedText(omitted.hooks, "hook")}`;
  return section({ id: "latency", title: "Latency", content });
}

export const NAME_LIMIT = 80;

interface BinRange {
  readonly from: number;
  readonly to: number;
}

/** The bins that any hook needs; at least a few, so that one bin does not look like a plateau. */
function usedBins(all: readonly Latency[]): BinRange {
  const isUsed = (at: number): boolean => all.some(({ distribution: counts }) => (counts[at] ?? 0) > 0);
  const used = [...LATENCY_BINS.keys(), LATENCY_BINS.length].filter(isUsed);
  const from = Math.max(0, (used[0] ?? 0) - 1);
  return { from, to: Math.max(from + 7, used.at(-1) ?? 0) };
}

/** The powers of ten in the range, as the head of the column and as lines in its rows. */
const decadesIn = (bins: BinRange): readonly { readonly label: string; readonly x: string }[] =>
  DECADES.flatMap(({ ms, label }) => {
    const x = xOf(ms, bins);
    return x > 0 && x < 100 ? [{ label, x: coordinate(x) }] : [];
  });
const DECADES = [
  { ms: 1, label: "1 ms" },
  { ms: 10, label: "10 ms" },
  { ms: 100, label: "100 ms" },
  { ms: 1000, label: "1 s" },
  { ms: 10_000, label: "10 s" },
];

const decades = (bins: BinRange): Html =>
  html`<svg class="scale" width="100%" height="14">${decadesIn(bins).map(
    ({ label, x }) => html`<text x="${x}%" y="11" text-anchor="middle">${label}</text>`,
  )}</svg>`;

/** The position of a time on the scale, in percent. */
const xOf = (ms: number, { from, to }: BinRange): number => ((binPosition(ms) - from) * 100) / (to - from + 1);

const DISTRIBUTION_HEIGHT = 22;

function distribution(latency: Latency, bins: BinRange): Html {
  const { from, to } = bins;
  const counts = latency.distribution.slice(from, to + 1);
  const most = Math.max(1, ...counts);
  const step = 100 / (to - from + 1);
  const bars = counts.map((count, at) => {
    const height = count === 0 ? 0 : Math.max(1, (count / most) * DISTRIBUTION_HEIGHT);
    return count === 0
      ? null
      : html`<rect class="continue" x="${coordinate(at * step + step * 0.06)}%" width="${coordinate(step * 0.88)}%" y="${coordinate(DISTRIBUTION_HEIGHT - height)}" height="${coordinate(height)}"/>`;
  });
  const marks = [latency.p50_ms, latency.p95_ms].map((ms, at) => {
    const x = coordinate(xOf(ms, bins));
    return html`<line class="${at === 0 ? "p50" : "p95"}" x1="${x}%" x2="${x}%" y1="0" y2="${DISTRIBUTION_HEIGHT + 4}"/>`;
  });
  return html`<svg class="spread" width="100%" height="${DISTRIBUTION_HEIGHT + 4}">${decadesIn(bins).map(({ x }) => html`<line class="grid" x1="${x}%" x2="${x}%" y1="0" y2="${DISTRIBUTION_HEIGHT}"/>`)}<line class="base" x1="0" x2="100%" y1="${DISTRIBUTION_HEIGHT + 0.5}" y2="${DISTRIBUTION_HEIGHT + 0.5}"/>${bars}${marks}</svg>`;
}

/** The position of a time on the scale of the bins: the bin, and the fraction inside it. */
function binPosition(ms: number): number {
  const position = 3 + 4 * Math.log10(Math.max(ms, 0.001)) + 1;
  return Math.min(LATENCY_BINS.length + 1, Math.max(0.1, position));
}

/** How often each hook was allowed, changed, blocked. */
export const hookDecisions = ({ hooks, omitted }: ReportData): Html =>
  decisionSection({
    id: "hooks",
    word: "hook",
    caption: "What each hook decided",
    legend: { block: "Blocked", ask: "Asked", halt: "Failed", changed: "Changed the call", continue: "Allowed" },
    columns: ["Runs", "Blocked", "Asked", "Changed", "Failed", "Skipped"],
    rows: hooks.map((hook) => ({
      name: outside(hook.name, NAME_LIMIT),
      cells: [shareBar(hookShares(hook)), ...hookNumbers(hook).map(number)],
    })),
    omitted: omitted.hooks,
  });

const hookNumbers = ({ runs, outcomes }: HookFigures): readonly number[] => [
  runs,
  outcomes.block,
  outcomes.ask,
  outcomes.modify + outcomes.replace,
  outcomes.failed,
  outcomes.skipped + outcomes.refused,
];

/** How often calls of each tool were allowed, blocked, halted. */
export const toolDecisions = ({ tools, omitted }: ReportData): Html =>
  decisionSection({
    id: "tools",
    word: "tool",
    caption: "What was decided about each tool",
    legend: { block: "Blocked", halt: "Halted", ask: "Asked", continue: "Allowed" },
    columns: ["Runs", "Blocked", "Halted", "Asked", "Stopped"],
    rows: tools.map(({ name, decisions }) => ({
      name: name === null ? html`<span class="faint">no tool</span>` : outside(name, NAME_LIMIT),
      cells: [
        shareBar(toolShares(decisions)),
        ...[sumOf(decisions), decisions.block, decisions.halt, decisions.ask].map(number),
        stoppedShare(decisions),
      ],
    })),
    omitted: omitted.tools,
  });

interface DecisionSection {
  readonly id: string;
  readonly word: "hook" | "tool";
  readonly caption: string;
  /** Class of a swatch -> its label. */
  readonly legend: Readonly<Record<string, string>>;
  /** The columns after the bar, all of them numbers. */
  readonly columns: readonly string[];
  readonly rows: FiguresTable["rows"];
  readonly omitted: number;
}

function decisionSection({ id, word, caption, legend, columns, rows, omitted }: DecisionSection): Html {
  if (rows.length === 0) return html``;
  const content = html`<ul class="legend">${Object.entries(legend).map(([look, label]) => html`<li>${swatch(look)}${label}</li>`)}</ul>
${figuresTable({
  caption,
  look: id,
  rowLabel: word === "hook" ? "Hook" : "Tool",
  columns: [{ label: "Share", kind: "bar" }, ...columns.map((label) => ({ label, kind: "number" as const }))],
  rows,
})}${omittedText(omitted, word)}`;
  return section({ id, title: `Decisions by ${word}`, content });
}

const stoppedShare = (decisions: DecisionCounts): Html =>
  stoppedOf(decisions) === 0
    ? html`<span class="faint">0 %</span>`
    : html`${shareText(stoppedOf(decisions), sumOf(decisions))}`;

const number = (count: number): Html =>
  count === 0 ? html`<span class="faint">0</span>` : html`${groupDigits(count)}`;

const shareBar = (shares: readonly Share[]): Html =>
  html`<svg class="share" width="100%" height="8">${shareBars(shares).map(
    ({ look, start, size }) =>
      html`<rect class="${look}" x="${coordinate(start)}%" width="${coordinate(size)}%" height="8"/>`,
  )}</svg>`;

const omittedText = (count: number, word: string): Html | null =>
  count === 0 ? null : html`<p class="about">and ${pluralize(count, `more ${word}`)}</p>`;
