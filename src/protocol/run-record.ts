import type { HookKind, Source, TrustState } from "./hook.ts";
import type { ProblemCode } from "./problem.ts";
import type { FailureSource, Outcome, Verdict } from "./verdict.ts";

/** One run as it is told to people, programs and the record: redacted, with names as on the wire. */
export interface RunRecord {
  readonly run_id: string;
  readonly session: string;
  /** The tool that the payload is about. */
  readonly tool: string | null;
  readonly hooks: readonly HookRecord[];
  readonly duration_ms: number;
  /** What is different in the target now, for eyes. */
  readonly changes: readonly FieldChange[];
  /** The chain's verdict, redacted; printed in the protocol's own words as `result`. */
  readonly verdict: Verdict;
}

/** One member of the target before and after, as JSON text; null where there is none. */
export interface FieldChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface HookRecord {
  readonly name: string;
  readonly path: string;
  readonly source: Source;
  readonly kind: HookKind;
  readonly outcome: Outcome;
  readonly failure: { readonly code: ProblemCode; readonly message: string; readonly hint: string } | null;
  /** What Reyn's shell schemes start, as it was configured; null for any other hook. */
  readonly command: string | null;
  /** Why it was passed over; null when it had its turn. */
  readonly why: string | null;
  /** What it added beside a decision, in words: context, follow-ups, pushes. */
  readonly added: readonly string[];
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** How it failed, if its block counts in spite of it: `exit 1`. */
  readonly ended_by: string | null;
  readonly duration_ms: number;
  readonly stderr: string;
  readonly sandbox: string | null;
  readonly trust: TrustState;
  readonly fail_open: boolean;
  /** SHA-256 of its content, when known. */
  readonly hash: string | null;
  /** The failure that it was told of at `on_error`; null for a hook of the chain itself. */
  readonly failed: FailureSource | null;
  /** The value it gave the target, as raw JSON; null when it changed nothing. */
  readonly change: string | null;
}

/** The record with further warnings at the end of its verdict's. */
export const withRunWarnings = (run: RunRecord, warnings: readonly string[]): RunRecord => ({
  ...run,
  verdict: { ...run.verdict, warnings: [...run.verdict.warnings, ...warnings] },
});
