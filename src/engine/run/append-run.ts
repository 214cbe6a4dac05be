import { appendLine } from "../../audit/append.ts";
import { runLine, shellCommandLines } from "../../audit/log-lines.ts";
import { valueHash } from "../../audit/value-hash.ts";
import type { HookRecord, RunRecord } from "../../protocol/run-record.ts";
import { type Warning, warningText } from "../../protocol/warning.ts";
import { isoTime } from "../iso-time.ts";
import type { RunContext } from "../run-context.ts";

/** Appends the run to the record, and gives it back with a warning if that failed. A run in which no hook had a turn and no guard was missed leaves no trace. */
export function appendRun(record: RunRecord, context: RunContext): RunRecord {
  const { auditFile: file } = context;
  const isEventless =
    record.decision === "continue" && record.hooks.every(wasPassedOver) && record.guard_warnings.length === 0;
  if (isEventless || file === null || context.settings.record === "off") return record;
  const time = isoTime(context.nowMs);
  const line = runLine({
    run: record,
    isoTime: time,
    interruptedBy: context.interrupt.raised(),
    hash: valueHash,
  });
  const lost = [line, ...shellCommandLines(record, time)].map((one) => appendLine(file, one));
  const cause = lost.find((one) => one !== null) ?? null;
  return cause === null ? record : withWarning(record, { code: "RECORD_NOT_WRITTEN", path: file, cause });
}

const wasPassedOver = (hook: HookRecord): boolean => hook.why !== null;

function withWarning(record: RunRecord, warning: Warning): RunRecord {
  const all = [...record.warnings, warningText(warning)];
  return { ...record, warnings: all, verdict: { ...record.verdict, warnings: all } };
}
