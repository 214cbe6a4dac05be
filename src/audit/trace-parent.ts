/** The trace to which a run belongs, as W3C Trace Context names it. */
export interface TraceParent {
  readonly trace_id: string;
  readonly span_id: string;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** Reads the variable TRACEPARENT. Null if it is missing or not valid; only later versions may have further fields. */
export function readTraceParent(text: string | undefined): TraceParent | null {
  const [, traceId, spanId, further] = TRACEPARENT.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return further !== undefined && text?.startsWith("00") ? null : { trace_id: traceId, span_id: spanId };
}
