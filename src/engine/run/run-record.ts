import { type Redact, redactJson } from "../../audit/redact.ts";
import { shellQuote } from "../../protocol/command-line.ts";
import { entryCommand, type LocatedEntry, schemeRow } from "../../protocol/entry.ts";
import { explain } from "../../protocol/explain.ts";
import type { HookResponse } from "../../protocol/hook-response.ts";
import { stringOf } from "../../protocol/json/read.ts";
import type { Problem } from "../../protocol/problem.ts";
import type { HookRecord, RunRecord } from "../../protocol/run-record.ts";
import { truncate } from "../../protocol/text.ts";
import type { Step, Verdict } from "../../protocol/verdict.ts";
import { changedFields } from "./changed-fields.ts";

export interface RunRecordInput {
  readonly verdict: Verdict;
  readonly runId: string;
  readonly durationMs: number;
  readonly redact: Redact;
}

/**
 * What is told about a run. What each hook said is redacted before it gets here (see `redacted-asked`), while it is
 * whole; here it is the turn of the texts that were made since (SPEC 11).
 */
export function makeRunRecord({ verdict, runId, durationMs, redact }: RunRecordInput): RunRecord {
  const redacted: Verdict = {
    ...verdict,
    reason: verdict.reason === null ? null : redact(verdict.reason),
    context: verdict.context.map(redact),
    warnings: verdict.warnings.map(redact),
    guardWarnings: verdict.guardWarnings.map((one) => ({ ...one, message: redact(one.message) })),
    systemMessage: verdict.systemMessage === null ? null : redact(verdict.systemMessage),
    metadata: Object.fromEntries(
      Object.entries(verdict.metadata).map(([hook, raw]) => [hook, redactJson(raw, redact)]),
    ),
  };
  return {
    run_id: runId,
    event: verdict.event,
    session: redact(verdict.payload.session),
    tool: toolOf(verdict, redact),
    decision: verdict.decision,
    reason: redacted.reason,
    decided_by: verdict.decidedBy,
    hooks: verdict.steps.map((step) => hookRecord(step, redact)),
    warnings: redacted.warnings,
    guard_warnings: redacted.guardWarnings,
    duration_ms: rounded(durationMs),
    changes: changedFields(verdict, redact),
    verdict: redacted,
  };
}

function hookRecord({ hook, outcome, result, why, change, failed }: Step, redact: Redact): HookRecord {
  const problem = failureOf(result, outcome) ?? hook.refusal;
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
    command: hook.entry === null ? null : shellCommand(hook.entry, redact),
    why,
    added: result?.response.ok ? addedBy(result.response.value) : [],
    exit_code: result?.exitCode ?? null,
    signal: result?.signal ?? null,
    ended_by: result?.failedWith ?? null,
    duration_ms: rounded(result?.durationMs ?? 0),
    stderr: redact(result?.stderr ?? ""),
    sandbox: null,
    trust: hook.trust,
    fail_open: hook.failOpen,
    hash: hook.hash,
    failed,
    change,
  };
}

/** A response may fail a fail-closed hook although some of it could be read. */
function failureOf(asked: Step["result"], outcome: Step["outcome"]): Problem | null {
  if (asked === null) return null;
  if (!asked.response.ok) return asked.response.error;
  return outcome === "failed" ? (asked.response.value?.possibleBlock ?? null) : null;
}

const NAME_LENGTH = 100;

function toolOf({ payload }: Verdict, redact: Redact): string | null {
  const name = payload.members.get("tool_name");
  return name?.kind === "string" ? truncate(redact(stringOf(name)), NAME_LENGTH) : null;
}

/** What an audit of shell hooks is about (SPEC 11). */
function shellCommand(entry: LocatedEntry, redact: Redact): string | null {
  const command = schemeRow(entry.scheme).requiresSandbox ? entryCommand(entry) : null;
  return command === null ? null : redact(typeof command === "string" ? command : command.map(shellQuote).join(" "));
}

function addedBy(reply: HookResponse | null): readonly string[] {
  if (reply === null) return [];
  const counts = { context: reply.context.length, "follow-ups": reply.followUps.length, pushes: reply.pushes.length };
  return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [what] : []));
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10;
