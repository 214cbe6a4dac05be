import { hasRun, type LoggedHook } from "../../../src/protocol/logged-run.ts";
import { ATTRIBUTE, type Attributes, boundedMs, keyValues, nanoText, safeText } from "./otlp.ts";
import { type ExportedRun, hookSpanId } from "./read-run.ts";
import { decisionAttributes, hookAttributes, runIdentity } from "./spans.ts";

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
export const logRecordsOf = (exported: ExportedRun): readonly object[] =>
  [...stopEvents(exported), ...failureEvents(exported), ...guardEvents(exported)].map((event) =>
    logRecord(event, exported),
  );

function stopEvents({ run }: ExportedRun): readonly LogEvent[] {
  const { decision, decidedBy, reason } = run;
  if (decision === "continue" || decision === "") return [];
  const severity = decision === "ask" ? "info" : "warn";
  const text = `${decision} by ${decidedBy ?? "hookctl"}: ${reason ?? "no reason given"}`;
  return [{ name: `hookctl.${decision}`, severity, text, attributes: decisionAttributes(run) }];
}

const failureEvents = (exported: ExportedRun): readonly LogEvent[] =>
  exported.run.hooks.flatMap((hook, index) => {
    if (hook.failure === null) return [];
    return [{ ...failureEvent(hook), ...(hasRun(hook) ? { spanId: hookSpanId(exported, index) } : {}) }];
  });

const failureEvent = (hook: LoggedHook): LogEvent => ({
  name: hook.outcome === "refused" ? "hookctl.hook_refusal" : "hookctl.hook_failure",
  severity: hook.outcome === "failed" ? "error" : "warn",
  text: `hook ${hook.name} ${hook.outcome}: ${hook.failure ?? ""}`,
  attributes: hookAttributes(hook),
});

const guardEvents = ({ run }: ExportedRun): readonly LogEvent[] =>
  run.guardWarnings.map(({ code, hook }) => ({
    name: "hookctl.guard_warning",
    severity: "error",
    text: `a guard does not protect: ${code}${hook === null ? "" : ` (${hook})`}`,
    attributes: { [ATTRIBUTE.error]: code, [ATTRIBUTE.hook]: hook },
  }));

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
