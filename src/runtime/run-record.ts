import { explain } from "../contract/explain.ts";
import type { HookRecord, RunRecord } from "../contract/run-record.ts";
import type { Step, Verdict } from "../contract/verdict.ts";
import { type Redact, redactedJson } from "../record/redact.ts";

export interface RunRecordInput {
  readonly verdict: Verdict;
  readonly runId: string;
  readonly durationMs: number;
  readonly redact: Redact;
}

/** What is told about a run: everything that may carry a secret by accident is redacted here, once (SPEC 11). */
export function runRecord({ verdict, runId, durationMs, redact }: RunRecordInput): RunRecord {
  const redacted: Verdict = {
    ...verdict,
    reason: verdict.reason === null ? null : redact(verdict.reason),
    context: verdict.context.map(redact),
    warnings: verdict.warnings.map(redact),
    systemMessage: verdict.systemMessage === null ? null : redact(verdict.systemMessage),
    metadata: Object.fromEntries(
      Object.entries(verdict.metadata).map(([hook, raw]) => [hook, redactedJson(raw, redact)]),
    ),
  };
  return {
    run_id: runId,
    event: verdict.event,
    session: verdict.payload.session,
    decision: verdict.decision,
    reason: redacted.reason,
    decided_by: verdict.decidedBy,
    hooks: verdict.steps.map((step) => hookRecord(step, redact)),
    warnings: redacted.warnings,
    duration_ms: rounded(durationMs),
    verdict: redacted,
  };
}

function hookRecord({ hook, outcome, asked, why, change }: Step, redact: Redact): HookRecord {
  const problem = asked !== null && !asked.reply.ok ? asked.reply.error : hook.hindrance;
  const words = problem === null ? null : explain(problem);
  return {
    name: hook.name,
    path: hook.path,
    source: hook.source,
    kind: hook.kind,
    outcome,
    failure:
      problem === null || words === null
        ? null
        : { code: problem.code, message: redact(words.summary), hint: words.hint },
    why,
    exit_code: asked?.exitCode ?? null,
    signal: asked?.signal ?? null,
    duration_ms: rounded(asked?.durationMs ?? 0),
    stderr: redact(asked?.stderr ?? ""),
    sandbox: null,
    trust: hook.trust,
    fail_open: hook.failOpen,
    hash: hook.hash,
    change,
  };
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10;
