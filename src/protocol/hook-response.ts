import { type JsonSpan, membersOf, readJson } from "./json/read.ts";
import type { Problem } from "./problem.ts";
import type { Result } from "./result.ts";
import type { Warning } from "./warning.ts";

/** What came of asking one hook. `reply` null: it had nothing to say. */
export interface HookResult {
  readonly response: Result<HookResponse | null, Problem>;
  /** Not started at all, for want of trust or of an identity. */
  readonly wasNotInvoked: boolean;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** How a hook failed whose block counts in spite of it: `exit 1`. */
  readonly failedWith?: string;
  readonly durationMs: number;
  readonly stderr: string;
  readonly warnings: readonly Warning[];
}

/** From the least to the most restrictive; in one reply the most restrictive meaning wins (SPEC 6). */
export const DECISIONS = ["none", "allow", "ask", "block"] as const;
export type Decision = (typeof DECISIONS)[number];

/** What a hook wants changed in the session's shared values; each value as raw JSON text. */
export interface StatePatch {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
  readonly increment: ReadonlyMap<string, string>;
}

export const NO_PATCH: StatePatch = { set: new Map(), remove: [], increment: new Map() };

/** What one hook said, whatever dialect it said it in. Values that travel on are raw JSON text. */
export interface HookResponse {
  readonly decision: Decision;
  readonly reason: string | null;
  /** The new value of the event's target, as raw JSON text. */
  readonly change: string | null;
  /** The change ends the chain (AgentHook's Replace). */
  readonly isReplace: boolean;
  readonly context: readonly string[];
  readonly contextMode: "append" | "overwrite";
  readonly followUps: readonly string[];
  /** Push directives as raw JSON objects. */
  readonly pushes: readonly string[];
  readonly state: StatePatch | null;
  readonly systemMessage: string | null;
  /** A number as it was written. Arrives too late to order anything, so it is kept with the metadata. */
  readonly priority: string | null;
  /** Raw JSON, kept in the record. */
  readonly metadata: string | null;
  readonly warnings: readonly Warning[];
  /**
   * What else of it may be a block, a question or a change, and cannot be read or came with a failure: a fail-closed hook
   * blocks because of it, for any other the rest of the response counts. Null: nothing.
   */
  readonly possibleBlock: Problem | null;
}

export const EMPTY_RESPONSE: HookResponse = {
  decision: "none",
  reason: null,
  change: null,
  isReplace: false,
  context: [],
  contextMode: "append",
  followUps: [],
  pushes: [],
  state: null,
  systemMessage: null,
  priority: null,
  metadata: null,
  warnings: [],
  possibleBlock: null,
};

export function stricterDecision(a: Decision, b: Decision): Decision {
  return DECISIONS.indexOf(a) >= DECISIONS.indexOf(b) ? a : b;
}

/** What is kept of a reply beside its meaning, as a raw JSON object; null when there is nothing. */
export function metadataWithPriority({ metadata, priority }: HookResponse): string | null {
  if (priority === null) return metadata;
  const read = readJson(metadata ?? "{}", Number.POSITIVE_INFINITY);
  const own: ReadonlyMap<string, JsonSpan> = read.ok ? membersOf(read.value) : new Map();
  const all = new Map([["priority", priority], ...[...own].map(([key, { raw }]) => [key, raw] as const)]);
  return `{${[...all].map(([key, raw]) => `${JSON.stringify(key)}:${raw}`).join(",")}}`;
}
