import { appendLine } from "../../audit/append.ts";
import { shownMismatch, unmatchedLine } from "../../audit/log-lines.ts";
import type { Payload } from "../../protocol/payload/payload.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { UnmatchedHook } from "../hooks/concerned-hooks.ts";
import type { RunContext } from "../run-context.ts";
import { originOf, redactorOf, toolOf } from "./call-origin.ts";

interface UnmatchedCall {
  readonly payload: Payload;
  readonly context: RunContext;
}

/** Appends a call that no hook matched to the audit log, and its payload if the user wants that. Returns what was lost. */
export async function appendUnmatched(
  hooks: readonly UnmatchedHook[],
  { payload, context }: UnmatchedCall,
): Promise<readonly Warning[]> {
  const { auditFile: file, settings, runId, nowMs, env } = context;
  if (file === null) return [];
  const redact = redactorOf(hooks, env);
  const verdict = { event: payload.event, sent: payload, decision: "continue", ...NO_DECISION } as const;
  const run = { run_id: runId, session: redact(payload.session), tool: toolOf(payload, redact), hooks: [], verdict };
  const head = { run, origin: originOf(payload, context, redact), isoTime: new Date(nowMs).toISOString() };
  const shown = hooks.map(({ name, source, path, mismatch }) => ({
    ...{ name, source, path: redact(path), mismatch: shownMismatch(mismatch, redact) },
  }));
  const lines = [{ path: file, line: unmatchedLine({ ...head, hooks: shown }) }];
  if (settings.record === "payloads") {
    const { payloadLine, payloadLogOf } = await import("../../audit/payload-log.ts");
    const native = context.native ?? null;
    lines.push({ path: payloadLogOf(file), line: payloadLine({ ...head, native, redact }) });
  }
  return lines.flatMap(({ path, line }): Warning[] => {
    const cause = appendLine(path, line, settings.recordLimits);
    return cause === null ? [] : [{ code: "RECORD_NOT_WRITTEN", path, cause }];
  });
}

const NO_DECISION = { decidedBy: null, reason: null, change: null };
