import { escapeControls } from "../../../src/protocol/text/text.ts";

/** The signals, each with its path, the levels of a request, and the field in which a collector counts rejected items. */
export const SIGNALS = {
  traces: { path: "v1/traces", levels: ["resourceSpans", "scopeSpans", "spans"], rejected: "rejectedSpans" },
  metrics: {
    path: "v1/metrics",
    levels: ["resourceMetrics", "scopeMetrics", "metrics"],
    rejected: "rejectedDataPoints",
  },
  logs: { path: "v1/logs", levels: ["resourceLogs", "scopeLogs", "logRecords"], rejected: "rejectedLogRecords" },
} as const;
export type Signal = keyof typeof SIGNALS;
export const SIGNAL_NAMES = Object.keys(SIGNALS) as readonly Signal[];

/** The exporter: the attributes of the resource, and the version of the scope. */
export interface Exporter {
  readonly resource: readonly KeyValue[];
  readonly version: string;
}

/** The body of a request. */
export function requestBody(signal: Signal, items: readonly object[], { resource, version }: Exporter): object {
  const [resources, scopes, list] = SIGNALS[signal].levels;
  const scope = { scope: { name: "hookctl", version }, schemaUrl: SCHEMA_URL, [list]: items };
  return { [resources]: [{ resource: { attributes: resource }, schemaUrl: SCHEMA_URL, [scopes]: [scope] }] };
}

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

/**
 * Attributes by their names in OpenTelemetry's semantic conventions, or `hookctl.*` for those without a standard name. An
 * attribute without a value is left out.
 */
export type Attributes = Readonly<Record<string, string | number | readonly string[] | null | undefined>>;

/** The attributes in OTLP's JSON form, in which 64-bit numbers are strings. */
export function keyValues(attributes: Attributes): readonly KeyValue[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === null || value === undefined || value === "") return [];
    return [{ key, value: anyValue(value) }];
  });
}

function anyValue(value: string | number | readonly string[]): AnyValue {
  if (typeof value === "number") return { intValue: wholeText(value) };
  if (typeof value === "string") return { stringValue: safeText(value) };
  return { arrayValue: { values: value.map((item) => ({ stringValue: safeText(item) })) } };
}

const LONGEST_TEXT = 4096;

/**
 * A text that each receiver accepts: protobuf has no lone surrogates, some stores have no NUL, and a control character could
 * write on the terminal of a person who looks at it.
 */
export const safeText = (text: string): string =>
  escapeControls(text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text).replace(
    LONE_SURROGATE,
    "\ufffd",
  );

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const MOST_INT64 = 2n ** 63n - 1n;

/** A whole number as the text of an int64. */
function wholeText(value: number): string {
  const whole = Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n;
  return String(whole > MOST_INT64 ? MOST_INT64 : whole < -MOST_INT64 ? -MOST_INT64 : whole);
}

/** Milliseconds since 1970 as OTLP writes a time: nanoseconds in a text, because they exceed 2^53. */
export function nanoText(ms: number): string {
  const whole = Math.floor(ms);
  const rest = Math.round((ms - whole) * 1e6);
  const nanos = Number.isFinite(ms) && ms > 0 ? BigInt(whole) * 1_000_000n + BigInt(rest) : 0n;
  return String(nanos > MOST_INT64 ? MOST_INT64 : nanos);
}

const LONGEST_MS = 7 * 86_400_000;

/** A duration as hookctl can have measured it: the log is a file that others can change. */
export const boundedMs = (ms: number): number => Math.min(LONGEST_MS, Math.max(0, ms));

/**
 * The semantic conventions 1.41.0, the last release with those for generative AI; they have since moved to a separate
 * repository, which keeps these names.
 */
const SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0";
