import { appendLine } from "../../audit/append.ts";
import { describeCall } from "../../audit/describe-call.ts";
import { type CallOrigin, runLine, shellCommandLines } from "../../audit/log-lines.ts";
import type { Redact } from "../../audit/redact.ts";
import { readTraceParent } from "../../audit/trace-parent.ts";
import { sha256Of } from "../../fs/hash.ts";
import { type HookRecord, type RunRecord, withRunWarnings } from "../../protocol/run-record.ts";
import { warningText } from "../../protocol/warning.ts";
import type { RunContext } from "../run-context.ts";
import { redactorOf } from "./run-redactor.ts";

/** Appends the run to the audit log, and returns it with a warning if that failed. A run without an invoked hook or a guard warning is not logged. */
export function appendRun(record: RunRecord, context: RunContext): RunRecord {
  const { auditFile: file } = context;
  const isEventless =
    record.verdict.decision === "continue" &&
    record.hooks.every(wasSkipped) &&
    record.verdict.guardWarnings.length === 0;
  if (isEventless || file === null || context.settings.record === "off") return record;
  const redact = redactorOf(
    record.verdict.steps.map(({ hook }) => hook),
    context.env,
  );
  const time = new Date(context.nowMs).toISOString();
  const line = runLine({
    run: record,
    origin: originOf(record, context, redact),
    isoTime: time,
    interruptedBy: context.interrupt.raised(),
    hash: sha256Of,
  });
  const lost = [line, ...shellCommandLines(record, time)].map((one) => appendLine(file, one));
  const cause = lost.find((one) => one !== null) ?? null;
  return cause === null
    ? record
    : withRunWarnings(record, [warningText({ code: "RECORD_NOT_WRITTEN", path: file, cause })]);
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
