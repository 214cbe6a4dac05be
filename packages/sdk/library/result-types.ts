import type { DialectName, EventName } from "../../../src/protocol/event.ts";
import type { HookKind, Match, SkipReason, Source, TrustState } from "../../../src/protocol/hook.ts";
import type { HookRecord } from "../../../src/protocol/run-record.ts";
import type { VerdictDecision } from "../../../src/protocol/verdict.ts";
import type { GuardWarning } from "../../../src/protocol/warning.ts";

/** The output of `run --json`: one run from its payload to its decision. Keys are spelt as in the JSON. */
export interface RunValue {
  readonly schema: "hookctl.run/1";
  readonly run_id: string;
  readonly event: EventName;
  /** Only `continue` allows the event. */
  readonly decision: VerdictDecision;
  readonly reason: string | null;
  /** The hook that ended the chain; null when none did. */
  readonly decided_by: string | null;
  /** The rule that decided, `HOOK/RULE`, from that hook's `metadata.rule`; absent if it names none. */
  readonly rule?: string;
  /** The combined response, in the keys of the kodelet protocol. */
  readonly result: RunResult;
  /** Every hook of the chain in run order, including those that were not started. */
  readonly hooks: readonly RunHook[];
  /** Consecutive agent turns started by hooks; absent if this run started none. */
  readonly hook_driven_turns?: HookDrivenTurns;
  readonly warnings: readonly string[];
  /** The warnings about guards that do not protect; absent if there are none. */
  readonly guard_warnings?: readonly GuardWarning[];
  readonly duration_ms: number;
}

export interface HookDrivenTurns {
  readonly count: number;
  readonly limit: number;
  readonly over: boolean;
}

/** The response in kodelet's keys, with hookctl's own keys if they have a value. */
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
  /** Present only above the limit. */
  readonly hook_driven_turns?: HookDrivenTurns;
  readonly system_message?: string;
  readonly warnings?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Used only by the text report and the audit log. */
type InternalKey = "command" | "hash";

/** One hook's part in a run. Fields without a value are absent. `path` is `function:<name>` for a function. */
export interface RunHook extends Omit<HookRecord, InternalKey | "failure" | "why" | "failed" | "change" | "added"> {
  /** Why it has no valid response. */
  readonly failure?: NonNullable<HookRecord["failure"]>;
  /** Why it was skipped. */
  readonly why?: string;
  /** The parts of its response that the run used: `context`, `follow_ups`, `pushes`, `system_message`, `state`. */
  readonly added?: HookRecord["added"];
  /** The new value of the field that the event lets hooks change. */
  readonly change?: unknown;
  /** Set if the hook was run to report the failure of a hook or tool. */
  readonly event?: "on_error";
  /** The hook that failed. */
  readonly failed_hook?: string;
  /** The tool that failed. */
  readonly failed_tool?: string;
}

/** The output of `list --json`. */
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
  /** The folders that were searched for hooks. */
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
  /** The dialect of its first event. */
  readonly dialect: DialectName;
  /** The dialect of each event; absent if all are the same. */
  readonly dialects?: Readonly<Partial<Record<EventName, DialectName>>>;
  readonly match: Match | null;
  readonly trust: TrustState;
  readonly shadows: string | null;
  readonly enabled: boolean;
  /** Why it is disabled; absent: it is not. */
  readonly disabled_reason?: string;
}
