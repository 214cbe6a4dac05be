import { type JsonRecord, rawJson, writeJson } from "../protocol/json-text.ts";
import type { HookRecord, RunRecord } from "../protocol/run-record.ts";
import type { GuardWarning } from "../protocol/warning.ts";

export interface LineInput {
  readonly run: RunRecord;
  readonly isoTime: string;
  /** The signal that ended the run before it could tell its decision; null: none did. */
  readonly interruptedBy: string | null;
  readonly hash: (text: string) => string;
}

/** One run as one line: names and numbers, never the payload's own values (SPEC 11). */
export function recordLine({ run, isoTime, interruptedBy, hash }: LineInput): string {
  const { change } = run.verdict;
  return writeJson({
    schema: "hookctl.record/1",
    time: isoTime,
    run_id: run.run_id,
    event: run.event,
    session: run.session === "" ? undefined : run.session,
    tool: run.tool ?? undefined,
    decision: run.decision,
    interrupted: interruptedBy ?? undefined,
    decided_by: run.decided_by ?? undefined,
    reason: run.reason ?? undefined,
    value_hash: change === null ? undefined : hash(change),
    duration_ms: run.duration_ms,
    hooks: run.hooks.map((hook) => hookPart(hook, run, hash)),
    warnings: run.warnings.length > 0 ? run.warnings : undefined,
    guard_warnings: run.guard_warnings.length > 0 ? run.guard_warnings.map(guardPart) : undefined,
  });
}

/** Its words stand among the warnings. */
const guardPart = ({ code, hook }: GuardWarning): JsonRecord => ({ code, hook: hook ?? undefined });

function hookPart(hook: HookRecord, run: RunRecord, hash: LineInput["hash"]): JsonRecord {
  // A hook may be named like something that every object has by birth: `constructor`.
  const metadata = Object.hasOwn(run.verdict.metadata, hook.name) ? run.verdict.metadata[hook.name] : undefined;
  return {
    name: hook.name,
    event: hook.failed === null ? undefined : "on_error",
    failed_hook: hook.failed?.kind === "hook" ? hook.failed.name : undefined,
    failed_tool: hook.failed?.kind === "tool" ? hook.failed.name : undefined,
    source: hook.source,
    path: hook.path,
    hash: hook.hash ?? undefined,
    outcome: hook.outcome,
    failure: hook.failure?.code,
    why: hook.why ?? undefined,
    duration_ms: hook.duration_ms,
    exit: hook.exit_code ?? undefined,
    signal: hook.signal ?? undefined,
    trust: hook.trust,
    sandbox: hook.sandbox ?? undefined,
    value_hash: hook.change === null ? undefined : hash(hook.change),
    metadata: metadata === undefined ? undefined : rawJson(metadata),
  };
}
