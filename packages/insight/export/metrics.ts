import { hasRun } from "../../../src/protocol/logged-run.ts";
import { boundedMs, keyValues, nanoText } from "./otlp.ts";
import type { ExportedRun } from "./telemetry.ts";

/** Upper bounds of the histograms' buckets in seconds, from a guard to a hook at its timeout. */
const BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics. Their totals are stored between exports, so that a total that is sent twice is the same total. */
const METRICS = {
  "hookctl.runs": { unit: "{run}", about: "Runs by event and decision.", kind: "sum" },
  "hookctl.run.duration": { unit: "s", about: "Duration of runs.", kind: "histogram" },
  "hookctl.hook.invocations": { unit: "{invocation}", about: "Hooks that ran, by outcome.", kind: "sum" },
  "hookctl.hook.failures": { unit: "{failure}", about: "Hooks that failed.", kind: "sum" },
  "hookctl.hook.refusals": { unit: "{refusal}", about: "Hooks that were not allowed to start.", kind: "sum" },
  "hookctl.hook.duration": { unit: "s", about: "Duration of hooks.", kind: "histogram" },
  "hookctl.export.lost": { unit: "{line}", about: "Lines removed from the audit log before export.", kind: "sum" },
} as const;
type MetricName = keyof typeof METRICS;

/** Series that one metric may have. More hook names than this share one series. */
const MOST_SERIES = 500;

/** The total of one series. A sum has only its count. */
interface SeriesTotal {
  readonly attributes: Readonly<Record<string, string>>;
  count: number;
  sum: number;
  buckets: number[];
}

/** By metric, then by the text of the attributes. */
export type Totals = { [Name in MetricName]?: Record<string, SeriesTotal> };

/** Adds one run. */
export function addRun({ run }: ExportedRun, totals: Totals): void {
  const event = { "hookctl.event": run.event };
  const caller = { ...(run.tool === null ? {} : { "gen_ai.tool.name": run.tool }), ...agentOf(run.agent) };
  add(totals, "hookctl.runs", { ...event, "hookctl.decision": run.decision, ...caller });
  add(totals, "hookctl.run.duration", event, run.durationMs);
  for (const hook of run.hooks) {
    const name = { "hookctl.hook.name": hook.name };
    const metric = hook.outcome === "refused" ? "hookctl.hook.refusals" : "hookctl.hook.failures";
    if (hook.failure !== null) add(totals, metric, { ...name, "error.type": hook.failure });
    if (!hasRun(hook)) continue;
    add(totals, "hookctl.hook.invocations", { ...name, ...event, "hookctl.hook.outcome": hook.outcome });
    add(totals, "hookctl.hook.duration", name, hook.durationMs);
  }
}

const agentOf = (agent: string | null) => (agent === null ? {} : { "gen_ai.agent.name": agent });

export function addLost(lines: number, totals: Totals): void {
  seriesOf(totals, "hookctl.export.lost", {}).count += lines;
}

function add(totals: Totals, metric: MetricName, attributes: SeriesTotal["attributes"], durationMs?: number): void {
  const series = seriesOf(totals, metric, attributes);
  series.count += 1;
  if (durationMs === undefined) return;
  const seconds = boundedMs(durationMs) / 1e3;
  series.sum += seconds;
  const at = BOUNDS_S.findIndex((bound) => seconds <= bound);
  const bucket = at < 0 ? BOUNDS_S.length : at;
  series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
}

function seriesOf(totals: Totals, metric: MetricName, attributes: SeriesTotal["attributes"]): SeriesTotal {
  const all = totals[metric] ?? {};
  totals[metric] = all;
  const key = JSON.stringify(attributes);
  const known = Object.hasOwn(all, key) ? all[key] : undefined;
  if (known !== undefined) return known;
  if (Object.keys(all).length >= MOST_SERIES && attributes["otel.metric.overflow"] === undefined)
    return seriesOf(totals, metric, { "otel.metric.overflow": "true" });
  const isHistogram = METRICS[metric].kind === "histogram";
  const buckets = isHistogram ? Array.from({ length: BOUNDS_S.length + 1 }, () => 0) : [];
  const fresh = { attributes, count: 0, sum: 0, buckets };
  all[key] = fresh;
  return fresh;
}

/** The time that the totals cover. */
interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

const CUMULATIVE = 2;

/**
 * Cumulative totals since the cursor was created: a process that lives for one export has no interval, and a total that
 * arrives twice counts once.
 */
export function metricsOf(totals: Totals, period: Period): readonly object[] {
  const names = Object.keys(METRICS) as readonly MetricName[];
  return names.flatMap((name) => {
    const series = Object.values(totals[name] ?? {});
    if (series.length === 0) return [];
    const { unit, about, kind } = METRICS[name];
    const points = series.map((one) => (kind === "sum" ? sumPoint(one, period) : histogramPoint(one, period)));
    const data = { dataPoints: points, aggregationTemporality: CUMULATIVE };
    const body = kind === "sum" ? { sum: { ...data, isMonotonic: true } } : { histogram: data };
    return [{ name, description: about, unit, ...body }];
  });
}

const pointBase = ({ attributes }: SeriesTotal, { startMs, endMs }: Period) => ({
  attributes: keyValues(attributes),
  startTimeUnixNano: nanoText(startMs),
  // If the clock was set back, an end before the start would be invalid.
  timeUnixNano: nanoText(Math.max(startMs + 1, endMs)),
});

const sumPoint = (series: SeriesTotal, period: Period) => ({
  ...pointBase(series, period),
  asInt: String(series.count),
});

const histogramPoint = (series: SeriesTotal, period: Period) => ({
  ...pointBase(series, period),
  count: String(series.count),
  sum: series.sum,
  bucketCounts: series.buckets.map(String),
  explicitBounds: BOUNDS_S,
});
