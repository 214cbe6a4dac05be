import { hasRun, type LoggedHook } from "../protocol/logged-run.ts";
import { ATTRIBUTE, type Attributes, boundedMs, keyValues, nanoText, safeText } from "./otlp.ts";
import { hookSpanId } from "./read-run.ts";
import { decisionAttributes, hookAttributes, runIdentity } from "./spans.ts";
import type { ExportedRun, LogRecord } from "./telemetry.ts";

const SEVERITIES = { info: [9, "INFO"], warn: [13, "WARN"], error: [17, "ERROR"] } as const;
type Severity = keyof typeof SEVERITIES;

/** A record for a call that was stopped, for each hook that failed or was refused, and for each warning of a guard. */
export function logRecordsOf(exported: ExportedRun): readonly LogRecord[] {
  const { run } = exported;
  const record = (event: LogEvent) => logRecord(event, exported);
  const stopped =
    run.decision === "continue" || run.decision === ""
      ? []
      : [
          record({
            name: `hookctl.${run.decision}`,
            severity: run.decision === "ask" ? "info" : "warn",
            text: `${run.decision} by ${run.decidedBy ?? "hookctl"}: ${run.reason ?? "no reason given"}`,
            attributes: decisionAttributes(run),
            spanId: exported.spanId,
          }),
        ];
  const failures = run.hooks.flatMap((hook, index) => {
    if (hook.failure === null) return [];
    return [record(failureEvent(hook, hasRun(hook) ? hookSpanId(exported, index) : exported.spanId))];
  });
  const warnings = run.guardWarnings.map(({ code, hook }) =>
    record({
      name: "hookctl.guard_warning",
      severity: "error",
      text: `a guard does not protect: ${code}${hook === null ? "" : ` (${hook})`}`,
      attributes: { [ATTRIBUTE.error]: code, [ATTRIBUTE.hook]: hook },
      spanId: exported.spanId,
    }),
  );
  return [...stopped, ...failures, ...warnings];
}

interface LogEvent {
  readonly name: string;
  readonly severity: Severity;
  readonly text: string;
  readonly attributes: Attributes;
  readonly spanId: string;
}

const failureEvent = (hook: LoggedHook, spanId: string): LogEvent => ({
  name: "hookctl.hook_failure",
  severity: hook.outcome === "failed" ? "error" : "warn",
  text: `hook ${hook.name} ${hook.outcome}: ${hook.failure ?? ""}`,
  attributes: hookAttributes(hook),
  spanId,
});

function logRecord({ name, severity, text, attributes, spanId }: LogEvent, exported: ExportedRun): LogRecord {
  const [severityNumber, severityText] = SEVERITIES[severity];
  const { run, startMs, traceId } = exported;
  return {
    // hookctl saw it when the run ended: the time of the export would differ when a batch is sent again.
    ...{ timeUnixNano: nanoText(startMs), observedTimeUnixNano: nanoText(startMs + boundedMs(run.durationMs)) },
    ...{ severityNumber, severityText, eventName: safeText(name) },
    body: { stringValue: safeText(text) },
    attributes: keyValues({ ...runIdentity(run), ...attributes }),
    ...{ traceId, spanId },
  };
}
