import { hasAdditions } from "../../../src/protocol/additions.ts";
import { hasFailed, hasRun, type LoggedHook, type LoggedRun } from "../../../src/protocol/logged-run.ts";
import { ATTRIBUTE, type Attributes, boundedMs, keyValues, nanoText, safeText } from "./otlp.ts";
import { type ExportedRun, hookSpanId } from "./read-run.ts";

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
export const runIdentity = (run: LoggedRun): Attributes => ({
  [ATTRIBUTE.runId]: run.runId,
  [ATTRIBUTE.event]: run.event,
  [ATTRIBUTE.decision]: run.decision,
  [ATTRIBUTE.tool]: run.tool,
  [ATTRIBUTE.agent]: run.agent,
  [ATTRIBUTE.user]: run.user,
  [ATTRIBUTE.policy]: run.policy,
  [ATTRIBUTE.session]: run.session,
  [ATTRIBUTE.project]: run.project,
});

/** The content of a call is exported only if it was stopped: a collector must not monitor what people do. */
export const decisionAttributes = (run: LoggedRun): Attributes => ({
  [ATTRIBUTE.decidedBy]: run.decidedBy,
  [ATTRIBUTE.rule]: run.rule,
  [ATTRIBUTE.reason]: run.reason,
  [ATTRIBUTE.call]: run.decision === "continue" ? null : run.call,
});

const runAttributes = (run: LoggedRun): Attributes => ({
  ...runIdentity(run),
  ...decisionAttributes(run),
  [ATTRIBUTE.changed]: run.changed.length === 0 ? null : run.changed,
  [ATTRIBUTE.interrupted]: run.interrupted,
  [ATTRIBUTE.error]: run.hooks.find(hasFailed)?.failure,
});

export const hookAttributes = (hook: LoggedHook): Attributes => ({
  [ATTRIBUTE.hook]: hook.name,
  [ATTRIBUTE.source]: hook.source,
  [ATTRIBUTE.outcome]: hook.outcome,
  [ATTRIBUTE.error]: hook.failure,
  [ATTRIBUTE.added]: hasAdditions(hook.added) ? Object.keys(hook.added) : null,
  [ATTRIBUTE.failedHook]: hook.failedHook,
  [ATTRIBUTE.failedTool]: hook.failedTool,
  [ATTRIBUTE.exitCode]: hook.exitCode,
  [ATTRIBUTE.signal]: hook.signal,
  [ATTRIBUTE.trust]: hook.trust,
  [ATTRIBUTE.sandbox]: hook.sandbox,
});
