import type { LoggedRun } from "../protocol/logged-run.ts";
import type { KeyValue } from "./otlp.ts";

/** One line of the audit log that is a run with a readable time, and the ids that its telemetry gets. */
export interface ExportedRun {
  readonly run: LoggedRun;
  readonly startMs: number;
  readonly traceId: string;
  readonly spanId: string;
  /** The span of the agent that called; null: the run begins a trace. */
  readonly parentSpanId: string | null;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly flags: number;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status?: { readonly code: number; readonly message: string };
}

export interface LogRecord {
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly eventName: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: readonly KeyValue[];
  readonly traceId?: string;
  readonly spanId?: string;
}
