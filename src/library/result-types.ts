import type { DialectName, EventName } from "../protocol/event.ts";
import type { HookKind, Match, SkipReason, Source, TrustState } from "../protocol/hook.ts";
import type { HookRecord } from "../protocol/run-record.ts";
import type { VerdictDecision } from "../protocol/verdict.ts";
import type { GuardWarning } from "../protocol/warning.ts";

/** What `run --json` prints: one run from its payload to its decision. Names are those of the wire. */
export interface RunValue {
  readonly schema: "hookctl.run/1";
  readonly run_id: string;
  readonly event: EventName;
  /** Anything but `continue` means: do not go on. */
  readonly decision: VerdictDecision;
  readonly reason: string | null;
  /** The hook that ended the chain; null when none did. */
  readonly decided_by: string | null;
  /** The protocol's own answer. */
  readonly result: RunResult;
  /** Every hook of the chain in run order, also those that had no turn. */
  readonly hooks: readonly RunHook[];
  /** Turns in a row that hooks have opened; not there when this run opened none. */
  readonly hook_driven_turns?: HookDrivenTurns;
  readonly warnings: readonly string[];
  /** Those of the warnings that say that a guard does not protect; not there when none does. */
  readonly guard_warnings?: readonly GuardWarning[];
  readonly duration_ms: number;
}

export interface HookDrivenTurns {
  readonly count: number;
  readonly limit: number;
  readonly over: boolean;
}

/** The answer in kodelet's keys; those of the superset are there when they say something. */
export interface RunResult {
  readonly blocked?: boolean;
  readonly reason?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly message?: string;
  readonly follow_up_messages?: readonly string[];
  readonly decision?: "ask" | "allow";
  readonly additional_context?: readonly string[];
  readonly pushes?: readonly Readonly<Record<string, unknown>>[];
  /** Only over the limit. */
  readonly hook_driven_turns?: HookDrivenTurns;
  readonly system_message?: string;
  readonly warnings?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Kept for the story and the record. */
type InternalKey = "command" | "added" | "hash";

/** One hook's part in a run; what says nothing is not there. `path` is `function:<name>` for a function. */
export interface RunHook extends Omit<HookRecord, InternalKey | "failure" | "why" | "failed" | "change"> {
  /** Why it gave no answer. */
  readonly failure?: NonNullable<HookRecord["failure"]>;
  /** Why it was passed over. */
  readonly why?: string;
  /** The value it gave the event's target. */
  readonly change?: unknown;
  /** Said of a hook that was told of a failure: then this is the event it was asked for. */
  readonly event?: "on_error";
  /** The hook that failed. */
  readonly failed_hook?: string;
  /** The tool that failed. */
  readonly failed_tool?: string;
}

/** What `list --json` prints. */
export interface ListValue {
  readonly schema: "hookctl.list/1";
  /** In run order. */
  readonly hooks: readonly ListHook[];
  readonly skipped: readonly {
    readonly name: string;
    readonly path: string;
    readonly reason: SkipReason;
    readonly detail: string;
  }[];
  /** Folders that were looked into. */
  readonly searched: readonly string[];
  readonly warnings: readonly string[];
}

export interface ListHook {
  readonly name: string;
  readonly path: string;
  /** A function is listed as `config`, with the kind `function`. */
  readonly source: Source;
  readonly kind: HookKind;
  readonly events: readonly EventName[];
  readonly claims: readonly EventName[];
  readonly priority: number;
  readonly fail_open: boolean;
  readonly observe: boolean;
  readonly timeout_ms: number;
  /** Of its first event. */
  readonly dialect: DialectName;
  /** Of each event; only there where they differ. */
  readonly dialects?: Readonly<Partial<Record<EventName, DialectName>>>;
  readonly match: Match | null;
  readonly trust: TrustState;
  readonly shadows: string | null;
  readonly enabled: boolean;
}
