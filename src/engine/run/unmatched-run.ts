import { appendLine } from "../../audit/append.ts";
import { type FieldRedactor, shownMismatch, unmatchedLine } from "../../audit/log-lines.ts";
import { plainTexts } from "../../audit/plain-text.ts";
import { isoTimeOf } from "../../audit/run-stamp.ts";
import { mayNameSecret, redactedStart } from "../../audit/secret-values.ts";
import type { Candidate } from "../../protocol/hook.ts";
import type { Mismatch } from "../../protocol/match.ts";
import type { Payload } from "../../protocol/payload/payload.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { CallContext, RunContext } from "../run-context.ts";
import { originOf, redactedEnv, toolOf } from "./call-origin.ts";

/** An enabled hook of the payload's event that does not run, because its `match` does not fit. */
export interface UnmatchedHook extends Pick<Candidate, "name" | "path" | "source" | "entry"> {
  readonly mismatch: Mismatch;
}

interface UnmatchedCall {
  readonly payload: Payload;
  readonly context: RunContext;
}

/**
 * Appends a call that no hook matched to the audit log, and its payload if the user wants that. Returns a warning for each
 * line that could not be written.
 */
export async function appendUnmatched(
  hooks: readonly UnmatchedHook[],
  call: UnmatchedCall,
): Promise<readonly Warning[]> {
  const { auditFile: file, settings, env, native = null } = call.context;
  if (file === null) return [];
  const lines = [
    { path: file, line: plainLine(hooks, call, redactedEnv(hooks, env)) ?? (await redactedLine(hooks, call)) },
  ];
  if (settings.record === "payloads") {
    const { recordRedactor } = await import("./known-values.ts");
    const { payloadLine, payloadLogOf } = await import("../../audit/payload-log.ts");
    const redact = recordRedactor(hooks, call.payload.session, call.context);
    lines.push({ path: payloadLogOf(file), line: payloadLine({ ...headOf(call, redact), native, redact }) });
  }
  return lines.flatMap(({ path, line }): Warning[] => {
    const cause = appendLine(path, line, settings.recordLimits);
    return cause === null ? [] : [{ code: "RECORD_NOT_WRITTEN", path, cause }];
  });
}

/** The line of a call in which nothing can be a secret. Null if the line needs the redactor, which is not loaded for most calls. */
function plainLine(hooks: readonly UnmatchedHook[], call: UnmatchedCall, env: CallContext["env"]): string | null {
  const isPlain = plainTexts(env);
  let isSure = true;
  const redact = (text: string): string => {
    isSure &&= isPlain(text);
    return text;
  };
  const redactField = (path: string, text: string): string => {
    isSure &&= !path.split(".").some(mayNameSecret);
    return redactedStart(text, redact);
  };
  const line = lineOf(hooks, call, { redact, redactField });
  return isSure ? line : null;
}

async function redactedLine(hooks: readonly UnmatchedHook[], call: UnmatchedCall): Promise<string> {
  const { redactField } = await import("../../audit/redact.ts");
  const { recordRedactor } = await import("./known-values.ts");
  return lineOf(hooks, call, { redact: recordRedactor(hooks, call.payload.session, call.context), redactField });
}

function lineOf(hooks: readonly UnmatchedHook[], call: UnmatchedCall, redactor: FieldRedactor): string {
  const { redact } = redactor;
  const shown = hooks.map(({ name, source, path, mismatch }) => ({
    name,
    source,
    path: redact(path),
    mismatch: shownMismatch(mismatch, redactor),
  }));
  return unmatchedLine({ ...headOf(call, redact), hooks: shown });
}

function headOf({ payload, context }: UnmatchedCall, redact: FieldRedactor["redact"]) {
  const verdict = { event: payload.event, sent: payload, decision: "continue", ...NO_DECISION } as const;
  const tool = toolOf(payload, redact);
  const run = { run_id: context.runId, session: redact(payload.session), tool, hooks: [], verdict };
  return { run, origin: originOf(payload, context, redact), isoTime: isoTimeOf(context.nowMs) };
}

const NO_DECISION = { decidedBy: null, reason: null, change: null };
