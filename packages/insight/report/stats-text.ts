import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import { cellWidth, fitCells, padCells } from "../../../src/protocol/text/cell-width.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { formatDuration } from "../../../src/protocol/text/units.ts";
import type { Style } from "../../../src/report/text-style.ts";

/** Statistics of a hook over a range of time. */
export interface HookStats {
  readonly name: string;
  /** How often it was started. */
  readonly runs: number;
  readonly blocks: number;
  /** How often it decided `ask`. */
  readonly asks: number;
  readonly failures: number;
  readonly refused: number;
  /** Percentiles of its time, by nearest rank; null if the hook never ran. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
  /** The number of runs in each part of the time range, oldest first. */
  readonly overTime: readonly number[];
}

export interface StatsView {
  readonly hooks: readonly HookStats[];
  /** The length of the time range. */
  readonly lengthMs: number;
  /** The columns of the terminal; null outside a terminal, where there are no sparklines. */
  readonly width: number | null;
}

type Row = readonly string[];
const GAP = "  ";
const LONGEST_NAME = 40;

/** One row for each hook, the busiest first. */
export function statsText({ hooks, lengthMs, width }: StatsView, style: Style): string {
  const head = ["hook", "runs", "blocks", "asks", "fails", "p50", "p95", "p99", "max"];
  const rows = hooks.map((hook): Row => {
    const times = [hook.p50Ms, hook.p95Ms, hook.p99Ms, hook.maxMs].map(timeText);
    return [
      fitCells(hook.name, LONGEST_NAME),
      ...[hook.runs, hook.blocks, hook.asks, hook.failures].map(String),
      ...times,
    ];
  });
  const widths = head.map((name, index) => Math.max(...[name, ...rows.map((row) => row[index] ?? "")].map(cellWidth)));
  const isNarrow = width !== null && widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length) > width;
  const shown = isNarrow ? NARROW : head.map((_, index) => index);
  const line = (row: Row): string => shown.map((index) => cellText(row[index] ?? "", index, widths)).join(GAP);
  const used = shown.reduce((sum, index) => sum + (widths[index] ?? 0) + GAP.length, 0);
  const title = `runs in ${ageText(lengthMs)}`;
  const hasLines = width !== null && width - used >= Math.max(title.length, hooks[0]?.overTime.length ?? 0);
  const lines = rows.map((row, index) => {
    const hook = hooks[index];
    const spark = hasLines && hook !== undefined ? GAP + sparkline(hook.overTime) : "";
    return `${rowStyle(hook, style)(line(row))}${spark}${refusedText(hook)}\n`;
  });
  return [`${style.strong(line(head) + (hasLines ? GAP + title : ""))}\n`, ...lines].join("");
}

/** Name, runs, blocks, fails and p95, where there is no room for more. */
const NARROW = [0, 1, 2, 4, 6];

const cellText = (text: string, index: number, widths: readonly number[]): string =>
  index === 0 ? padCells(text, widths[0] ?? 0) : text.padStart(widths[index] ?? 0);

const rowStyle = (hook: HookStats | undefined, style: Style): ((text: string) => string) =>
  hook !== undefined && (hook.failures > 0 || hook.refused > 0) ? style.warn : (text) => text;

const refusedText = (hook: HookStats | undefined): string =>
  hook === undefined || hook.refused === 0 ? "" : `${GAP}▲ refused ${pluralize(hook.refused, "time")}`;

/** `0.4 ms`, `24 ms`, `1.2 s` */
function timeText(ms: number | null): string {
  if (ms === null) return "-";
  return ms < 9.95 ? `${ms.toFixed(1)} ms` : formatDuration(ms);
}

const BARS = "▁▂▃▄▅▆▇█";

/** One bar for each count; a space for none. */
function sparkline(counts: readonly number[]): string {
  const most = Math.max(1, ...counts);
  const barOf = (count: number): string => BARS[Math.ceil((count / most) * BARS.length) - 1] ?? " ";
  return counts.map(barOf).join("").trimEnd();
}

const AGES: readonly (readonly [unit: string, ms: number])[] = [
  ["days", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

/** `7 days`, `24 h` */
function ageText(ms: number): string {
  const [unit, unitMs] = AGES.find(([, length]) => ms >= 2 * length) ?? ["min", 60_000];
  return `${Math.max(1, Math.round(ms / unitMs))} ${unit}`;
}

export interface StatsSummary {
  readonly hooks: readonly HookStats[];
  readonly runs: number;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly isoTime: (ms: number) => string;
}

export const statsJson = ({ hooks, runs, sinceMs, untilMs, isoTime }: StatsSummary): string =>
  printableJson({
    schema: "hookctl.stats/1",
    since: isoTime(sinceMs),
    until: isoTime(untilMs),
    runs,
    hooks: hooks.map(
      (hook): JsonRecord => ({
        name: hook.name,
        runs: hook.runs,
        blocks: hook.blocks,
        asks: hook.asks,
        failures: hook.failures,
        refused: hook.refused,
        p50_ms: hook.p50Ms,
        p95_ms: hook.p95Ms,
        p99_ms: hook.p99Ms,
        max_ms: hook.maxMs,
        runs_over_time: hook.overTime,
      }),
    ),
  });
