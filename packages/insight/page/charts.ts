import { groupDigits, pluralize } from "../../../src/protocol/text/count.ts";
import { LATENCY_BINS, type ReportData } from "../totals/report-totals.ts";
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
    perWidth,
    about: `${perWidth}${untimed === 0 ? "" : `; ${groupDigits(untimed)} without a readable time are omitted`}`,
    legend: shown.map((decision) => [decision, DECISION_WORDS[decision], groupDigits(decisions[decision])]),
    all: plotOf(buckets, { decisions: shown, height: HEIGHT, title: perWidth }),
    stopped: hasBoth
      ? plotOf(buckets, { decisions: stopped, height: STOPPED_HEIGHT, title: "Runs that were not allowed" })
      : null,
    axis: axisLabels(buckets),
    columns: shown.map((decision) => [DECISION_WORDS[decision], "number"]),
    rows: buckets
      .filter((bucket) => runsOf(bucket.decisions) > 0)
      .map((bucket) => ({
        time: { at: bucket.start, text: momentText(bucket.start) },
        cells: shown.map((decision) => groupDigits(bucket.decisions[decision])),
      })),
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
    scale: DECADES.map(({ ms, label }) => ({ label, at: xOf(ms, bins) }))
      .filter(({ at }) => at > 0 && at < 100)
      .map(({ label, at }) => ({ label, x: coordinate(at) })),
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
export function hookTable({ hooks, omitted }: ReportData) {
  const rows = hooks.map(({ name, runs, outcomes }) => {
    const { block, ask, failed, modify, replace, skipped, refused } = outcomes;
    const changed = modify + replace;
    const shares = { block, ask, halt: failed, changed, continue: runs - block - ask - failed - changed };
    const cells = [runs, block, ask, changed, failed, skipped + refused].map(groupDigits);
    return { name: clip(name, NAME_LIMIT), cells: [shareBar(shares), ...cells] };
  });
  return rows.length === 0 ? null : { rows, more: moreText(omitted.hooks, "hook") };
}

/** How often calls of each tool were allowed, blocked, halted. */
export function toolTable({ tools, omitted }: ReportData) {
  const rows = tools.map(({ name, decisions }) => {
    const { block, halt, ask, other } = decisions;
    const runs = runsOf(decisions);
    const shares = { block, halt, ask, other, continue: decisions.continue };
    const cells = [...[runs, block, halt, ask].map(groupDigits), shareText(stoppedOf(decisions), runs)];
    return { name: name === null ? null : clip(name, NAME_LIMIT), cells: [shareBar(shares), ...cells] };
  });
  return rows.length === 0 ? null : { rows, more: moreText(omitted.tools, "tool") };
}

/** The parts are in drawing order, by their class. Together they are all runs of the row. */
const shareBar = (counts: Readonly<Record<string, number>>) =>
  shareBars(Object.entries(counts).map(([look, count]) => ({ look, count }))).map(({ look, start, size }) => ({
    look,
    x: coordinate(start),
    width: coordinate(size),
  }));

const moreText = (count: number, word: string): string =>
  count === 0 ? "" : `and ${pluralize(count, `more ${word}`)}`;
