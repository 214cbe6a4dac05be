import { createHash } from "node:crypto";
import { hasAdditions } from "../../../src/protocol/additions.ts";
import { parsedOrUndefined } from "../../../src/protocol/json/read.ts";
import {
  hasFailed,
  hasRun,
  isUnmatched,
  type LoggedHook,
  type LoggedRun,
  type LoggedTrace,
  parseLoggedLine,
} from "../../../src/protocol/logged-run.ts";
import { type Attributes, boundedMs, keyValues, nanoText, safeText } from "./otlp.ts";

/** One line of the audit log that is a run with a readable time, and the ids that its telemetry gets. */
export interface ExportedRun {
  readonly run: LoggedRun;
  readonly startMs: number;
  readonly traceId: string;
  readonly spanId: string;
  /** The span of the calling agent; null if the run begins a trace. */
  readonly parentSpanId: string | null;
}

/**
 * Reads one line of the audit log. Its ids follow from its content: a batch that is sent twice, because its
 * acknowledgement was lost, carries the same ids both times. A line that is no run of hooks is of another kind such as a
 * pause, erased by `log --purge`, or unreadable.
 */
export function readLine(line: string): ExportedRun | "other" | "erased" | "unreadable" {
  if (line.trim() === "") return "erased";
  const run = parseLoggedLine(line);
  if (run === null) return parsedOrUndefined(line) === undefined ? "unreadable" : "other";
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
const hookSpanId = ({ spanId }: ExportedRun, index: number): string => digest(`${spanId}/${index}`).slice(0, 16);

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

function validTrace(trace: LoggedTrace | null): LoggedTrace | null {
  if (trace === null || !TRACE_ID.test(trace.traceId)) return null;
  return SPAN_ID.test(trace.spanId ?? "") ? trace : { traceId: trace.traceId, spanId: null };
}

const KIND_INTERNAL = 1;
const STATUS_ERROR = 2;
/** The sampled flag, and whether the parent is known to be remote. */
const FLAGS = { local: 0x101, remote: 0x301 } as const;

/** One span for the run, and below it one for each hook that ran. */
export function spansOf(exported: ExportedRun): readonly object[] {
  const { run, startMs, traceId, spanId, parentSpanId } = exported;
  const failed = run.hooks.find(hasFailed);
  const root = {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    flags: parentSpanId === null ? FLAGS.local : FLAGS.remote,
    name: safeText([run.event, run.tool ?? ""].filter((part) => part !== "").join(" ") || "run"),
    kind: KIND_INTERNAL,
    ...timesOf(startMs, run.durationMs),
    attributes: keyValues(runAttributes(run)),
    ...statusOf(failed?.failure ?? null),
  };
  return [root, ...hookSpans(exported)];
}

function hookSpans(exported: ExportedRun): readonly object[] {
  const { run, traceId, spanId } = exported;
  let nextMs = exported.startMs;
  return run.hooks.flatMap((hook, index) => {
    if (!hasRun(hook)) return [];
    // A line without offsets was written by an earlier version, which ran the hooks one after another.
    const startMs = hook.startMs === null ? nextMs : exported.startMs + boundedMs(hook.startMs);
    nextMs = startMs + boundedMs(hook.durationMs);
    return {
      traceId,
      spanId: hookSpanId(exported, index),
      parentSpanId: spanId,
      flags: FLAGS.local,
      name: safeText(`hook ${hook.name}`),
      kind: KIND_INTERNAL,
      ...timesOf(startMs, hook.durationMs),
      attributes: keyValues(hookAttributes(hook)),
      ...statusOf(hook.failure),
    };
  });
}

const timesOf = (startMs: number, durationMs: number) => ({
  startTimeUnixNano: nanoText(startMs),
  endTimeUnixNano: nanoText(startMs + boundedMs(durationMs)),
});

const statusOf = (failure: string | null): object =>
  failure === null ? {} : { status: { code: STATUS_ERROR, message: safeText(failure) } };

/** The attributes by which a run is found and grouped. */
const runIdentity = (run: LoggedRun): Attributes => ({
  "hookctl.run.id": run.runId,
  "hookctl.event": run.event,
  "hookctl.decision": run.decision,
  "gen_ai.tool.name": run.tool,
  "gen_ai.agent.name": run.agent,
  "user.name": run.user,
  "hookctl.policy": run.policy,
  "gen_ai.conversation.id": run.session,
  "hookctl.project": run.project,
});

/** The content of a call is exported only if it was stopped: a collector must not monitor what people do. */
const decisionAttributes = (run: LoggedRun): Attributes => ({
  "hookctl.decided_by": run.decidedBy,
  "hookctl.rule": run.rule,
  "hookctl.reason": run.reason,
  "hookctl.call": run.decision === "continue" ? null : run.call,
});

const runAttributes = (run: LoggedRun): Attributes => ({
  ...runIdentity(run),
  ...decisionAttributes(run),
  "hookctl.changed": run.changed.length === 0 ? null : run.changed,
  "hookctl.interrupted": run.interrupted,
  "error.type": run.hooks.find(hasFailed)?.failure,
});

const hookAttributes = (hook: LoggedHook): Attributes => ({
  "hookctl.hook.name": hook.name,
  "hookctl.hook.source": hook.source,
  "hookctl.hook.outcome": hook.outcome,
  "error.type": hook.failure,
  "hookctl.hook.added": hasAdditions(hook.added) ? Object.keys(hook.added) : null,
  "hookctl.hook.failed_hook": hook.failedHook,
  "hookctl.hook.failed_tool": hook.failedTool,
  "process.exit.code": hook.exitCode,
  "hookctl.hook.signal": hook.signal,
  "hookctl.hook.trust": hook.trust,
  "hookctl.hook.sandbox": hook.sandbox,
});

const SEVERITIES = {
  info: { severityNumber: 9, severityText: "INFO" },
  warn: { severityNumber: 13, severityText: "WARN" },
  error: { severityNumber: 17, severityText: "ERROR" },
} as const;

interface LogEvent {
  readonly name: string;
  readonly severity: keyof typeof SEVERITIES;
  readonly text: string;
  readonly attributes: Attributes;
  /** The span of a hook; without it the record belongs to that of the run. */
  readonly spanId?: string;
}

/** A record for a call that was stopped, for each hook that failed or was refused, and for each warning of a guard. */
export function logRecordsOf(exported: ExportedRun): readonly object[] {
  const { run } = exported;
  const { decision, decidedBy, reason } = run;
  const stop: LogEvent = {
    name: `hookctl.${decision}`,
    severity: decision === "ask" ? "info" : "warn",
    text: `${decision} by ${decidedBy ?? "hookctl"}: ${reason ?? "no reason given"}`,
    attributes: decisionAttributes(run),
  };
  const failures = run.hooks.flatMap((hook, index): readonly LogEvent[] =>
    hook.failure === null
      ? []
      : [
          {
            name: hook.outcome === "refused" ? "hookctl.hook_refusal" : "hookctl.hook_failure",
            severity: hook.outcome === "failed" ? "error" : "warn",
            text: `hook ${hook.name} ${hook.outcome}: ${hook.failure}`,
            attributes: hookAttributes(hook),
            ...(hasRun(hook) ? { spanId: hookSpanId(exported, index) } : {}),
          },
        ],
  );
  const warnings = run.guardWarnings.map(
    ({ code, hook }): LogEvent => ({
      name: "hookctl.guard_warning",
      severity: "error",
      text: `a guard does not protect: ${code}${hook === null ? "" : ` (${hook})`}`,
      attributes: { "error.type": code, "hookctl.hook.name": hook },
    }),
  );
  const stops = decision === "continue" || decision === "" ? [] : [stop];
  return [...stops, ...failures, ...warnings].map((event) => logRecord(event, exported));
}

const logRecord = ({ name, severity, text, attributes, spanId }: LogEvent, exported: ExportedRun): object => ({
  timeUnixNano: nanoText(exported.startMs),
  // The end of the run: the time of the export would differ when a batch is sent again.
  observedTimeUnixNano: nanoText(exported.startMs + boundedMs(exported.run.durationMs)),
  ...SEVERITIES[severity],
  eventName: safeText(name),
  body: { stringValue: safeText(text) },
  attributes: keyValues({ ...runIdentity(exported.run), ...attributes }),
  traceId: exported.traceId,
  spanId: spanId ?? exported.spanId,
});
