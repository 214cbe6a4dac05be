import { groupDigits, pluralize } from "../../../src/protocol/text/count.ts";
import { type HookFigures, LATENCY_BINS, type ReportData } from "../totals/report-totals.ts";
import { type DecisionCounts, RUN_DECISIONS, type RunDecision } from "../totals/timeline.ts";
import {
  axisTop,
  clip,
  clockText,
  coordinate,
  dayText,
  momentText,
  msText,
  NAME_LIMIT,
  type Share,
  shareBars,
  shareText,
  stackedBars,
  widthText,
} from "./figures.ts";

/** Each decision has a word and a pattern, so that the page is readable without colours. */
export const DECISION_WORDS: Readonly<Record<RunDecision, string>> = {
  continue: "Allowed",
  other: "Other",
  ask: "Asked",
  halt: "Halted",
  block: "Blocked",
};

/** The number of asks, halts and blocks. */
export const stoppedOf = ({ ask, halt, block }: DecisionCounts): number => ask + halt + block;
const runsOf = (counts: DecisionCounts): number => RUN_DECISIONS.reduce((sum, decision) => sum + counts[decision], 0);

const HEIGHT = 132;
const STOPPED_HEIGHT = 44;

type Buckets = ReportData["timeline"]["buckets"];

/** Runs over time: all of them above, and on a separate scale below those that were not simply allowed. */
export function timelineCharts({ runs, decisions, timeline: { buckets, bucket_minutes } }: ReportData) {
  if (buckets.length === 0) return null;
  const shown = RUN_DECISIONS.filter((decision) => decisions[decision] > 0);
  const stopped = shown.filter((decision) => decision !== "continue" && decision !== "other");
  const hasBoth = stopped.length > 0 && stopped.length < shown.length;
  const perWidth = `Runs per ${widthText(bucket_minutes)}`;
  const untimed = runs - buckets.reduce((sum, bucket) => sum + runsOf(bucket.decisions), 0);
  return {
    about: `${perWidth}${untimed === 0 ? "" : `; ${groupDigits(untimed)} without a readable time are omitted`}`,
    legend: shown.map((look) => ({ look, label: DECISION_WORDS[look], count: groupDigits(decisions[look]) })),
    all: plotOf(buckets, { decisions: shown, height: HEIGHT, title: perWidth }),
    stopped: hasBoth
      ? plotOf(buckets, { decisions: stopped, height: STOPPED_HEIGHT, title: "Runs that were not allowed" })
      : null,
    axis: axisLabels(buckets),
    table: {
      look: "timeline",
      caption: `${perWidth}, without times in which there were none`,
      rowLabel: "From",
      columns: shown.map((decision) => numberColumn(DECISION_WORDS[decision])),
      rows: buckets
        .filter((bucket) => runsOf(bucket.decisions) > 0)
        .map((bucket) => ({
          time: { at: bucket.start, text: momentText(bucket.start) },
          cells: shown.map((decision) => groupDigits(bucket.decisions[decision])),
        })),
    },
  };
}

interface Plot {
  readonly decisions: readonly RunDecision[];
  readonly height: number;
  readonly title: string;
}

function plotOf(buckets: Buckets, { decisions, height, title }: Plot) {
  const totals = buckets.map((bucket) => decisions.reduce((sum, decision) => sum + bucket.decisions[decision], 0));
  const top = axisTop(Math.max(...totals));
  const step = 100 / buckets.length;
  const columns = buckets.flatMap(({ decisions: counts, start }, at) => {
    const shares = decisions.map((look) => ({ look, count: counts[look] }));
    const bars = stackedBars(shares, top, height).map(barOf);
    if (bars.length === 0) return [];
    const [left, right] = [0.1, 0.9].map((part) => coordinate((at + part) * step));
    return { title: `${momentText(start)}: ${countsText(counts)}`, left, right, width: coordinate(step * 0.8), bars };
  });
  const [first, last] = [buckets[0], buckets.at(-1)].map((bucket) => momentText(bucket?.start ?? ""));
  const label = `${title} from ${first} to ${last}, at most ${groupDigits(top)}. A table with the numbers follows.`;
  return { height, label, top: groupDigits(top), columns };
}

const LEAST_CUT = 3;

/** A line at the foot separates stacked parts, so that they do not differ by colour alone. */
const barOf = ({ look, start, size }: ReturnType<typeof stackedBars>[number]) => ({
  look,
  y: coordinate(start),
  height: coordinate(size),
  foot: size < LEAST_CUT ? null : coordinate(start + size),
});

const countsText = (counts: DecisionCounts): string =>
  RUN_DECISIONS.filter((decision) => counts[decision] > 0)
    .map((decision) => `${groupDigits(counts[decision])} ${DECISION_WORDS[decision].toLowerCase()}`)
    .join(", ");

/** The beginning, the middle and the end; the table has all buckets. */
function axisLabels(buckets: Buckets): readonly string[] {
  const times = buckets.map(({ start }) => start);
  const [first = "", middle = "", last = ""] = [times[0], times[Math.floor(times.length / 2)], times.at(-1)];
  const isOneDay = first.slice(0, 10) === last.slice(0, 10);
  const isDays = times.length > 1 && [first, last].every((time) => clockText(time) === "00:00");
  return [first, middle, last].map(isOneDay ? clockText : isDays ? dayText : momentText);
}

const numberColumn = (label: string) => ({ label, kind: "number" });

/** The latency of each hook, all on one scale. */
export function latencyTable({ hooks, omitted }: ReportData) {
  const started = hooks.flatMap(({ name, runs, latency }) => (latency === null ? [] : [{ name, runs, ...latency }]));
  if (started.length === 0) return null;
  const isUsed = (at: number): boolean => started.some(({ distribution }) => (distribution[at] ?? 0) > 0);
  const used = [...LATENCY_BINS.keys(), LATENCY_BINS.length].filter(isUsed);
  // At least a few bins, so that one bin does not look like a plateau.
  const from = Math.max(0, (used[0] ?? 0) - 1);
  const bins = { from, to: Math.max(from + 7, used.at(-1) ?? 0) };
  return {
    look: "latency",
    caption: "Latency of each hook in milliseconds",
    rowLabel: "Hook",
    scale: DECADES.map(({ ms, label }) => ({ label, at: xOf(ms, bins) }))
      .filter(({ at }) => at > 0 && at < 100)
      .map(({ label, at }) => ({ label, x: coordinate(at) })),
    columns: [...["Runs", "p50", "p95", "p99"].map(numberColumn), { label: "", bar: "spread" }],
    rows: started.map(({ name, runs, p50_ms, p95_ms, p99_ms, distribution }) => ({
      name: clip(name, NAME_LIMIT),
      cells: [
        groupDigits(runs),
        ...[p50_ms, p95_ms, p99_ms].map(msText),
        {
          bins: binsOf(distribution, bins),
          marks: [
            ["p50", coordinate(xOf(p50_ms, bins))],
            ["p95", coordinate(xOf(p95_ms, bins))],
          ],
        },
      ],
    })),
    more: moreText(omitted.hooks, "hook"),
  };
}

interface BinRange {
  readonly from: number;
  readonly to: number;
}

/** The powers of ten in the range, as the head of the column and as lines in its rows. */
const DECADES = [
  { ms: 1, label: "1 ms" },
  { ms: 10, label: "10 ms" },
  { ms: 100, label: "100 ms" },
  { ms: 1000, label: "1 s" },
  { ms: 10_000, label: "10 s" },
];

/** The position of a time on the scale, in percent. */
function xOf(ms: number, { from, to }: BinRange): number {
  // The bin, and the fraction inside it.
  const position = 3 + 4 * Math.log10(Math.max(ms, 0.001)) + 1;
  const inside = Math.min(LATENCY_BINS.length + 1, Math.max(0.1, position));
  return ((inside - from) * 100) / (to - from + 1);
}

const SPREAD_HEIGHT = 22;

function binsOf(distribution: readonly number[], { from, to }: BinRange) {
  const counts = distribution.slice(from, to + 1);
  const most = Math.max(1, ...counts);
  const step = 100 / (to - from + 1);
  const bins = counts.map((count, at) => {
    const height = count === 0 ? 0 : Math.max(1, (count / most) * SPREAD_HEIGHT);
    const [x, y] = [coordinate((at + 0.06) * step), coordinate(SPREAD_HEIGHT - height)];
    return { x, y, width: coordinate(step * 0.88), height: coordinate(height) };
  });
  return bins.filter((_, at) => counts[at] !== 0);
}

/** How often each hook was allowed, changed, blocked. */
export const hookTable = ({ hooks, omitted }: ReportData) =>
  decisionTable({
    look: "hooks",
    caption: "What each hook decided",
    rowLabel: "Hook",
    legend: { block: "Blocked", ask: "Asked", halt: "Failed", changed: "Changed the call", continue: "Allowed" },
    columns: ["Runs", "Blocked", "Asked", "Changed", "Failed", "Skipped"],
    rows: hooks.map(hookRow),
    more: moreText(omitted.hooks, "hook"),
  });

function hookRow({ name, runs, outcomes }: HookFigures): DecisionRow {
  const { block, ask, failed, modify, replace, skipped, refused } = outcomes;
  const changed = modify + replace;
  const shares = [
    { look: "block", count: block },
    { look: "ask", count: ask },
    { look: "halt", count: failed },
    { look: "changed", count: changed },
    { look: "continue", count: runs - block - ask - failed - changed },
  ];
  return { name, shares, cells: [runs, block, ask, changed, failed, skipped + refused].map(groupDigits) };
}

/** How often calls of each tool were allowed, blocked, halted. */
export const toolTable = ({ tools, omitted }: ReportData) =>
  decisionTable({
    look: "tools",
    caption: "What was decided about each tool",
    rowLabel: "Tool",
    legend: { block: "Blocked", halt: "Halted", ask: "Asked", continue: "Allowed" },
    columns: ["Runs", "Blocked", "Halted", "Asked", "Stopped"],
    rows: tools.map(({ name, decisions }) => {
      const { block, halt, ask } = decisions;
      const runs = runsOf(decisions);
      return {
        name,
        shares: (["block", "halt", "ask", "other", "continue"] as const).map((look) => ({
          look,
          count: decisions[look],
        })),
        cells: [...[runs, block, halt, ask].map(groupDigits), shareText(stoppedOf(decisions), runs)],
      };
    }),
    more: moreText(omitted.tools, "tool"),
  });

interface DecisionRow {
  readonly name: string | null;
  /** The parts of the bar in drawing order. Together they are all runs of the row. */
  readonly shares: readonly Share[];
  /** The texts after the bar. */
  readonly cells: readonly string[];
}

interface DecisionTable {
  readonly look: string;
  readonly caption: string;
  readonly rowLabel: string;
  /** Class of a swatch -> its label. */
  readonly legend: Readonly<Record<string, string>>;
  /** The columns after the bar, all of them numbers. */
  readonly columns: readonly string[];
  readonly rows: readonly DecisionRow[];
  readonly more: string;
}

function decisionTable({ legend, columns, rows, ...table }: DecisionTable) {
  if (rows.length === 0) return null;
  return {
    ...table,
    areZerosFaint: true,
    legend: Object.entries(legend).map(([look, label]) => ({ look, label })),
    columns: [{ label: "Share", bar: "share" }, ...columns.map(numberColumn)],
    rows: rows.map(({ name, shares, cells }) => ({
      name: name === null ? null : clip(name, NAME_LIMIT),
      cells: [
        shareBars(shares).map(({ look, start, size }) => ({ look, x: coordinate(start), width: coordinate(size) })),
        ...cells,
      ],
    })),
  };
}

const moreText = (count: number, word: string): string =>
  count === 0 ? "" : `and ${pluralize(count, `more ${word}`)}`;
