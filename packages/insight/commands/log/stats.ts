import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { printableJson, rawJson } from "../../../../src/protocol/json/write.ts";
import { ok, unwrap } from "../../../../src/protocol/result.ts";
import { pluralize } from "../../../../src/protocol/text/count.ts";
import { formatDuration } from "../../../../src/protocol/text/units.ts";
import type { Style } from "../../../../src/report/text-style.ts";
import { cellWidth, fitCells, padCells } from "../../../screen/cell-width.ts";
import { collectStats, type HookStats } from "../../totals/stats-totals.ts";
import { readLineFilter } from "./line-filter.ts";
import { nothingRecorded, readingProgress, wantedRuns } from "./selected-lines.ts";

/** The former command `stats`. */
export const stats = ({ options }: CommandLine<"stats">, host: Host): Promise<CommandResult> =>
  statsTable({ ...options, until: null }, host);

type StatsOptions = OptionsOf<"stats"> & Pick<OptionsOf<"report">, "until">;

/** `hookctl report` as text: counts and durations of each hook. */
export async function statsTable(options: StatsOptions, host: Host): Promise<CommandResult> {
  const { context } = unwrap(await createRunContext(options, host, false));
  const filter = readLineFilter(options, host);
  const untilMs = Math.min(filter.untilMs ?? Number.POSITIVE_INFINITY, host.nowMs());
  const progress = readingProgress(options, host);
  const runs = wantedRuns(context.auditFile, filter, progress.onProgress);
  const collected = collectStats(runs, { sinceMs: filter.sinceMs, untilMs, glob: options.only });
  progress.end();
  const { sinceMs, hooks } = collected;
  if (options.json) {
    const range = { since: new Date(sinceMs).toISOString(), until: new Date(untilMs).toISOString() };
    const json = { schema: "hookctl.stats/1", ...range, runs: collected.runs, hooks };
    return print(`${printableJson(rawJson(JSON.stringify(json)))}\n`, host);
  }
  if (hooks.length > 0) {
    const view = { lengthMs: untilMs - sinceMs, width: host.stdoutColumns(), style: await stdoutStyle(options, host) };
    return print(statsText(hooks, view), host);
  }
  if (!options.quiet) host.err(await nothingRecorded(context, options, host));
  return ok(EXIT.ok);
}

interface StatsView {
  /** The length of the time range. */
  readonly lengthMs: number;
  /** The columns of the terminal; null outside a terminal, where there are no sparklines. */
  readonly width: number | null;
  readonly style: Style;
}

const GAP = "  ";

/** The columns, and those without which a narrow terminal does, the least important first. */
const COLUMNS: readonly { readonly head: string; text(hook: HookStats): string }[] = [
  { head: "hook", text: ({ name }) => fitCells(name, 40) },
  { head: "runs", text: ({ runs }) => String(runs) },
  { head: "blocks", text: ({ blocks }) => String(blocks) },
  { head: "asks", text: ({ asks }) => String(asks) },
  { head: "fails", text: ({ failures }) => String(failures) },
  { head: "p50", text: ({ p50_ms }) => timeText(p50_ms) },
  { head: "p95", text: ({ p95_ms }) => timeText(p95_ms) },
  { head: "p99", text: ({ p99_ms }) => timeText(p99_ms) },
  { head: "max", text: ({ max_ms }) => timeText(max_ms) },
];

const SPARE = ["p99", "max", "p50", "asks", "p95", "fails"];

/** One row for each hook, the busiest first. */
function statsText(hooks: readonly HookStats[], { lengthMs, width, style }: StatsView): string {
  let shown = COLUMNS.map(({ head, text }) => {
    const texts = [head, ...hooks.map(text)];
    return { head, texts, width: Math.max(...texts.map(cellWidth)) };
  });
  const widthOf = (columns: typeof shown): number =>
    columns.reduce((sum, column) => sum + column.width + GAP.length, 0);
  for (const spare of SPARE)
    if (width !== null && widthOf(shown) - GAP.length > width) shown = shown.filter(({ head }) => head !== spare);
  const line = (row: number): string =>
    shown
      .map(({ texts, width: cells }, index) =>
        index === 0 ? padCells(texts[row] ?? "", cells) : (texts[row] ?? "").padStart(cells),
      )
      .join(GAP);
  const title = `runs in ${ageText(lengthMs)}`;
  const chartWidth = Math.max(title.length, hooks[0]?.runs_over_time.length ?? 0);
  const hasCharts = width !== null && width - widthOf(shown) >= chartWidth;
  const lines = hooks.map((hook, index) => {
    const dress = hook.failures > 0 || hook.refused > 0 ? style.warn : (text: string) => text;
    const chart = hasCharts ? GAP + sparkline(hook.runs_over_time) : "";
    const refused = hook.refused === 0 ? "" : `${GAP}▲ refused ${pluralize(hook.refused, "time")}`;
    return `${dress(line(index + 1))}${chart}${refused}\n`;
  });
  return [`${style.strong(line(0) + (hasCharts ? GAP + title : ""))}\n`, ...lines].join("");
}

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
