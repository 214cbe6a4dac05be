import type { EventName } from "./event.ts";
import type { Hook } from "./hook.ts";
import type { HookResult } from "./hook-response.ts";
import { type JsonRecord, rawJson } from "./json/write.ts";
import type { Payload } from "./payload.ts";
import type { GuardWarning } from "./warning.ts";

/** What the caller is to do. `halt`: the thing has happened, the agent should stop. */
export type VerdictDecision = "continue" | "block" | "halt" | "ask";
export type Outcome = "continue" | "block" | "modify" | "replace" | "observed" | "failed" | "refused" | "skipped";

/** Whose failure a hook was told of at `on_error`. */
export interface FailureSource {
  readonly kind: "hook" | "tool";
  readonly name: string;
}

/** What became of one hook of the chain. */
export interface Step {
  readonly hook: Hook;
  readonly outcome: Outcome;
  /** Null for a hook that was passed over. */
  readonly result: HookResult | null;
  /** Why it was passed over, in words; null when it was asked. */
  readonly why: string | null;
  /** The target's new value as raw JSON, when this hook changed it. */
  readonly change: string | null;
  /** The failure that it was told of at `on_error`; null for a hook of the chain itself. */
  readonly failed: FailureSource | null;
}

/** What the chain decided. Raw JSON texts are kept as they came. */
export interface Verdict {
  readonly event: EventName;
  readonly decision: VerdictDecision;
  readonly reason: string | null;
  readonly decidedBy: string | null;
  /** A hook said `allow` in words; the agent may skip its own question. */
  readonly isAllowed: boolean;
  /** The payload as the caller sent it. */
  readonly sent: Payload;
  /** The payload after all changes that count. */
  readonly payload: Payload;
  /** The target's new value as raw JSON; null when unchanged or when a block dropped the changes. */
  readonly change: string | null;
  readonly context: readonly string[];
  readonly followUps: readonly string[];
  readonly pushes: readonly string[];
  /** How often in a row hooks have opened a turn; null where they open none, or nobody counts. */
  readonly turns: { readonly count: number; readonly limit: number; readonly isOver: boolean } | null;
  readonly systemMessage: string | null;
  /** Hook name -> raw JSON. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  /** Those of the warnings that say that a guard does not protect. */
  readonly guardWarnings: readonly GuardWarning[];
  readonly steps: readonly Step[];
}

/** What hooks said beside the matter, by hook; undefined when none did. */
export function metadataJson({ metadata }: Verdict): JsonRecord | undefined {
  const entries = Object.entries(metadata);
  return entries.length === 0 ? undefined : Object.fromEntries(entries.map(([hook, raw]) => [hook, rawJson(raw)]));
}
