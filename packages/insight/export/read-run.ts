import { createHash } from "node:crypto";
import { isUnmatched, type LoggedRun, type LoggedTrace, parseLoggedLine } from "../../../src/protocol/logged-run.ts";

/** One line of the audit log that is a run with a readable time, and the ids that its telemetry gets. */
export interface ExportedRun {
  readonly run: LoggedRun;
  readonly startMs: number;
  readonly traceId: string;
  readonly spanId: string;
  /** The span of the calling agent; null if the run begins a trace. */
  readonly parentSpanId: string | null;
}

/** A line is a run of hooks, of another kind such as a pause, erased by `log --purge`, or unreadable. */
export type ReadLine = ExportedRun | "other" | "erased" | "unreadable";

/**
 * Reads one line of the audit log. Its ids follow from its content: a batch that is sent twice, because its
 * acknowledgement was lost, carries the same ids both times.
 */
export function readLine(line: string): ReadLine {
  if (line.trim() === "") return "erased";
  const run = parseLoggedLine(line);
  if (run === null) return isJson(line) ? "other" : "unreadable";
  if (run.kind !== "run" || isUnmatched(run)) return "other";
  if (run.timeMs === null) return "unreadable";
  const caller = validTrace(run.trace);
  return {
    run,
    startMs: run.timeMs,
    traceId: caller?.traceId ?? digest(run.runId).slice(0, 32),
    spanId: digest(line).slice(0, 16),
    parentSpanId: caller?.spanId ?? null,
  };
}

/** The span id of the hook with this number in its run. */
export const hookSpanId = ({ spanId }: ExportedRun, index: number): string => digest(`${spanId}/${index}`).slice(0, 16);

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

function validTrace(trace: LoggedTrace | null): LoggedTrace | null {
  if (trace === null || !TRACE_ID.test(trace.traceId)) return null;
  return SPAN_ID.test(trace.spanId ?? "") ? trace : { traceId: trace.traceId, spanId: null };
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
