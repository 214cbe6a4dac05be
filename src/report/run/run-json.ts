import { additionsJson } from "../../protocol/additions.ts";
import { type JsonRecord, type JsonValue, printableJson, rawJson } from "../../protocol/json/write.ts";
import type { HookRecord, RunRecord } from "../../protocol/run-record.ts";

/** The full record of a run: `hookctl.run/1`. `result` is the protocol's own object. */
export function runJson(run: RunRecord, result: JsonValue): string {
  return printableJson({
    schema: "hookctl.run/1",
    run_id: run.run_id,
    event: run.verdict.event,
    decision: run.verdict.decision,
    reason: run.verdict.reason,
    decided_by: run.verdict.decidedBy,
    rule: run.rule ?? undefined,
    result,
    hooks: run.hooks.map(hookJson),
    hook_driven_turns: turnsOf(run),
    warnings: run.verdict.warnings,
    guard_warnings:
      run.verdict.guardWarnings.length > 0 ? run.verdict.guardWarnings.map((one) => ({ ...one })) : undefined,
    duration_ms: run.duration_ms,
  });
}

function turnsOf({ verdict: { turns } }: RunRecord): JsonRecord | undefined {
  return turns === null ? undefined : { count: turns.count, limit: turns.limit, over: turns.isOver };
}

/** The additional fields of `on_error` steps. */
const failedPart = ({ failed }: HookRecord): JsonRecord =>
  failed === null ? {} : { event: "on_error", [`failed_${failed.kind}`]: failed.name };

function hookJson(hook: HookRecord): JsonRecord {
  return {
    name: hook.name,
    ...failedPart(hook),
    path: hook.path,
    source: hook.source,
    kind: hook.kind,
    outcome: hook.outcome,
    failure: hook.failure === null ? undefined : { ...hook.failure },
    why: hook.why ?? undefined,
    mismatch: hook.mismatch === null ? undefined : { ...hook.mismatch },
    exit_code: hook.exit_code,
    signal: hook.signal,
    duration_ms: hook.duration_ms,
    stderr: hook.stderr,
    sandbox: hook.sandbox,
    trust: hook.trust,
    fail_open: hook.fail_open,
    added: additionsJson(hook.added),
    change: hook.change === null ? undefined : rawJson(hook.change),
  };
}
