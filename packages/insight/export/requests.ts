import { type KeyValue, keyValues, nanoText, SCHEMA_URL } from "./otlp.ts";
import { BOUNDS_S, METRICS, type MetricName, type SeriesTotal, type Totals } from "./totals.ts";

/** The exporter: the attributes of the resource, and the version of the scope. */
export interface Exporter {
  readonly resource: readonly KeyValue[];
  readonly version: string;
}

const CUMULATIVE = 2;

/** The body of a request with traces. */
export const tracesRequest = (spans: readonly object[], exporter: Exporter): object => ({
  resourceSpans: [{ ...resourceOf(exporter), scopeSpans: [{ ...scopeOf(exporter), spans }] }],
});

export const logsRequest = (logRecords: readonly object[], exporter: Exporter): object => ({
  resourceLogs: [{ ...resourceOf(exporter), scopeLogs: [{ ...scopeOf(exporter), logRecords }] }],
});

/** The time that the totals cover. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Cumulative totals since the cursor was created: a process that lives for one export has no interval, and a total that
 * arrives twice counts once.
 */
export const metricsRequest = (totals: Totals, period: Period, exporter: Exporter): object => ({
  resourceMetrics: [
    { ...resourceOf(exporter), scopeMetrics: [{ ...scopeOf(exporter), metrics: metricsOf(totals, period) }] },
  ],
});

function metricsOf(totals: Totals, period: Period): readonly object[] {
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

const resourceOf = ({ resource }: Exporter) => ({ resource: { attributes: resource }, schemaUrl: SCHEMA_URL });
const scopeOf = ({ version }: Exporter) => ({ scope: { name: "hookctl", version }, schemaUrl: SCHEMA_URL });
