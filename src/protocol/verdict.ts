import type { EventName, EventRow } from "./event.ts";
import type { Hook } from "./hook.ts";
import type { HookResult } from "./hook-response.ts";
import { type JsonRecord, rawJson } from "./json/write.ts";
import type { Mismatch } from "./match.ts";
import type { Payload } from "./payload/payload.ts";
import type { GuardWarning } from "./warning.ts";

/** The action for the caller. `halt`: the action has happened already, so the agent should stop. */
export type VerdictDecision = "continue" | "block" | "halt" | "ask";
export type Outcome = "continue" | "block" | "modify" | "replace" | "observed" | "failed" | "refused" | "skipped";

/** The failed hook or tool that an `on_error` hook was run for. */
export interface FailureSource {
  readonly kind: "hook" | "tool";
  readonly name: string;
}

/** The outcome of one hook in the chain. */
export interface Step {
  readonly hook: Hook;
  readonly outcome: Outcome;
  /** Null if the hook was skipped. */
  readonly result: HookResult | null;
  /** Why the hook was skipped; null if it ran. */
  readonly why: string | null;
  /** The condition of its `match` for which it was skipped. */
  readonly mismatch: Mismatch | null;
  /** The new value of the target as raw JSON; null if this hook did not change it. */
  readonly change: string | null;
  /** For an `on_error` hook, the failure it was run for; null for the hooks of the event itself. */
  readonly failed: FailureSource | null;
}

/** The result of the whole chain. Raw JSON stays as the hooks wrote it. */
export interface Verdict {
  readonly event: EventName;
  readonly decision: VerdictDecision;
  readonly reason: string | null;
  readonly decidedBy: string | null;
  /** A hook responded `allow`, so the agent may skip its own confirmation. */
  readonly isAllowed: boolean;
  /** The payload as the caller sent it. */
  readonly sent: Payload;
  /** The payload with all accepted changes. */
  readonly payload: Payload;
  /** The new value of the target as raw JSON; null if it is unchanged or the call was blocked. */
  readonly change: string | null;
  readonly context: readonly string[];
  readonly followUps: readonly string[];
  readonly pushes: readonly string[];
  /** Turns in a row that hooks started; null if they started none, or without a session. */
  readonly turns: { readonly count: number; readonly limit: number; readonly isOver: boolean } | null;
  readonly systemMessage: string | null;
  /** Raw JSON by hook name. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  /** The warnings about guards that do not protect. */
  readonly guardWarnings: readonly GuardWarning[];
  readonly steps: readonly Step[];
}

/** The output of `run` without any response: `{"blocked":false}` if the event can be blocked, else `{}`. */
export const emptyAnswer = ({ onBlock }: EventRow): JsonRecord => (onBlock === "deny" ? { blocked: false } : {});

/** The metadata of all responses by hook name; undefined if there is none. */
export function metadataJson({ metadata }: Verdict): JsonRecord | undefined {
  const entries = Object.entries(metadata);
  return entries.length === 0 ? undefined : Object.fromEntries(entries.map(([hook, raw]) => [hook, rawJson(raw)]));
}
