import { appendLine } from "../../audit/append.ts";
import { describeCall } from "../../audit/describe-call.ts";
import { type CallOrigin, runLine, shellCommandLines } from "../../audit/log-lines.ts";
import { payloadLine, payloadLogOf } from "../../audit/payload-log.ts";
import type { Redact } from "../../audit/redact.ts";
import { readTraceParent } from "../../audit/trace-parent.ts";
import { sha256Of } from "../../fs/hash.ts";
import { type HookRecord, type RunRecord, withRunWarnings } from "../../protocol/run-record.ts";
import { type Warning, warningText } from "../../protocol/warning.ts";
import type { RunContext } from "../run-context.ts";
import { redactorOf } from "./run-redactor.ts";

/**
 * Appends the run to the audit log, and its payload if the user wants that. Returns it with a warning if that failed. A run
 * without an invoked hook or a guard warning is not logged.
 */
export function appendRun(record: RunRecord, context: RunContext): RunRecord {
  const { auditFile: file, settings } = context;
  const isEventless =
    record.verdict.decision === "continue" &&
    record.hooks.every(wasSkipped) &&
    record.verdict.guardWarnings.length === 0;
  if (isEventless || file === null || settings.record === "off") return record;
  const redact = redactorOf(
    record.verdict.steps.map(({ hook }) => hook),
    context.env,
  );
  const origin = originOf(record, context, redact);
  const isoTime = new Date(context.nowMs).toISOString();
  const interruptedBy = context.interrupt.raised();
  const lines = [
    runLine({ run: record, origin, isoTime, interruptedBy, hash: sha256Of }),
    ...shellCommandLines(record, isoTime),
  ].map((line) => ({ path: file, line }));
  if (settings.record === "payloads") {
    const native = context.native ?? null;
    lines.push({ path: payloadLogOf(file), line: payloadLine({ run: record, origin, isoTime, native, redact }) });
  }
  const lost = lines.flatMap(({ path, line }): Warning[] => {
    const cause = appendLine(path, line, settings.recordLimits);
    return cause === null ? [] : [{ code: "RECORD_NOT_WRITTEN", path, cause }];
  });
  const [first] = lost;
  return first === undefined ? record : withRunWarnings(record, [warningText(first)]);
}

/** The id with which `hookctl why` finds a run that was to be appended; null: the run is not recorded, or its line was lost. */
export function explainableId(run: RunRecord, appended: RunRecord, { auditFile, settings }: RunContext): string | null {
  const isRecorded = auditFile !== null && settings.record !== "off" && appended === run;
  return isRecorded ? run.run_id : null;
}

const wasSkipped = (hook: HookRecord): boolean => hook.why !== null;

function originOf({ verdict }: RunRecord, { scopes, options, env }: RunContext, redact: Redact): CallOrigin {
  const trace = readTraceParent(env.TRACEPARENT);
  return {
    project: scopes.hasProject ? redact(scopes.projectDir) : null,
    agent: options.agent,
    call: describeCall(verdict.sent.members, redact),
    // An id that is a secret of the environment would no longer be an id.
    trace: trace !== null && Object.values(trace).every((id) => redact(id) === id) ? trace : null,
  };
}
