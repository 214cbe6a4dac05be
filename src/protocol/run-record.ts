import type { Additions } from "./additions.ts";
import type { Hook } from "./hook.ts";
import type { Mismatch } from "./match.ts";
import type { ProblemCode } from "./problem.ts";
import type { Step, Verdict } from "./verdict.ts";

/** One run for reports and the audit log, with secrets redacted. */
export interface RunRecord {
  readonly run_id: string;
  readonly session: string;
  /** The tool's name, if the payload has one. */
  readonly tool: string | null;
  /** The rule that decided, `HOOK/RULE`: from `metadata.rule` of the deciding hook, which built-in guards set. */
  readonly rule: string | null;
  readonly hooks: readonly HookRecord[];
  readonly duration_ms: number;
  /** The fields of the target that changed, for reports. */
  readonly changes: readonly FieldChange[];
  /** The verdict of the chain with secrets redacted. */
  readonly verdict: Verdict;
}

/** One field of the target before and after, as JSON text; null if it is missing. */
export interface FieldChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface HookRecord
  extends Pick<Hook, "name" | "path" | "source" | "kind" | "trust" | "hash">,
    Pick<Step, "outcome" | "why" | "failed" | "change"> {
  readonly failure: { readonly code: ProblemCode; readonly message: string; readonly hint: string } | null;
  /** The configured command of a `shell_exec` or `shell_push` entry; null for any other hook. */
  readonly command: string | null;
  /** The condition of its `match` for which it was skipped, cut for display. */
  readonly mismatch: Mismatch | null;
  /** The parts of its response that the run used, beside its decision and its change. */
  readonly added: Additions;
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** How the hook failed if its block has effect nevertheless: `exit 1`. */
  readonly ended_by: string | null;
  /** When it was started, relative to the start of the run; null if it was not. */
  readonly start_ms: number | null;
  readonly duration_ms: number;
  readonly stderr: string;
  readonly sandbox: string | null;
  readonly fail_open: boolean;
}

/** Appends warnings to the record's verdict. */
export const withRunWarnings = (run: RunRecord, warnings: readonly string[]): RunRecord => ({
  ...run,
  verdict: { ...run.verdict, warnings: [...run.verdict.warnings, ...warnings] },
});

/** The limits of one kind of log, for all of its files together. */
export interface LogLimits {
  readonly sizeBytes: number;
  /** Null for no limit of age. */
  readonly days: number | null;
}

export const DEFAULT_LOG_LIMITS: LogLimits = { sizeBytes: 256 * 1024 * 1024, days: 30 };
