import { type JsonSpan, membersOf, objectOf, readJson, spanOfRaw, stringOf } from "./json/read.ts";
import type { Problem } from "./problem.ts";
import type { Result } from "./result.ts";
import { isBlank } from "./text/text.ts";
import type { Warning } from "./warning.ts";

/** The result of invoking one hook. An empty output gives the response null. */
export interface HookResult {
  readonly response: Result<HookResponse | null, Problem>;
  /** True if it was not started, because it is refused or not identified. */
  readonly wasNotInvoked: boolean;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** How the hook failed although its block has effect: `exit 1`. */
  readonly failedWith?: string;
  /** When it was started, relative to the start of the run. */
  readonly startMs?: number;
  readonly durationMs: number;
  readonly stderr: string;
  readonly warnings: readonly Warning[];
}

/** From the least to the most restrictive. The most restrictive decision of a response wins. */
export const DECISIONS = ["none", "allow", "ask", "block"] as const;
export type Decision = (typeof DECISIONS)[number];

/** Changes of the session's shared values, each value as raw JSON. */
export interface StatePatch {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
  readonly increment: ReadonlyMap<string, string>;
}

export const NO_PATCH: StatePatch = { set: new Map(), remove: [], increment: new Map() };

/** A hook's response in any dialect. Values that are passed on stay raw JSON. */
export interface HookResponse {
  readonly decision: Decision;
  readonly reason: string | null;
  /** The new value of the event's target, as raw JSON. */
  readonly change: string | null;
  /** The change ends the chain, like AgentHook's Replace. */
  readonly isReplace: boolean;
  readonly context: readonly string[];
  readonly contextMode: "append" | "overwrite";
  readonly followUps: readonly string[];
  /** Push directives as raw JSON objects. */
  readonly pushes: readonly string[];
  readonly state: StatePatch | null;
  readonly systemMessage: string | null;
  /** The number as written. It arrives too late to order the hooks, so it is only logged. */
  readonly priority: string | null;
  /** Raw JSON, stored in the audit log. */
  readonly metadata: string | null;
  readonly warnings: readonly Warning[];
  /**
   * A part that may be a block, an ask or a change but cannot be read, or came with a failure. A fail-closed hook
   * blocks because of it; for a fail-open hook the rest of the response is used.
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

/** The strictest of the decisions; `none` without any. */
export const strictestDecision = (decisions: readonly Decision[]): Decision =>
  DECISIONS.findLast((decision) => decisions.includes(decision)) ?? "none";

/** Returns the metadata and priority of a response as a raw JSON object, or null. */
export function metadataWithPriority({ metadata, priority }: HookResponse): string | null {
  if (priority === null) return metadata;
  const read = readJson(metadata ?? "{}", Number.POSITIVE_INFINITY);
  return objectOf(new Map([["priority", spanOfRaw(priority)], ...(read.ok ? membersOf(read.value) : [])])).raw;
}

/** A message that a hook sends to a session. */
interface Push {
  readonly message: string;
  /** True if it starts a turn; otherwise it waits in the inbox for the next one. */
  readonly wake: boolean;
  /** The session it goes to; null for the session of the call. */
  readonly session: string | null;
}

/** Parses a push directive; null if a field has the wrong type. `isWanted` is the value of `push_when`. */
export function parsePush(span: JsonSpan): (Push & { readonly isWanted: boolean }) | null {
  if (span.kind !== "object") return null;
  const members = membersOf(span);
  const message = members.get("message");
  const session = members.get("session");
  const wake = booleanMember(members.get("wake"));
  const isWanted = booleanMember(members.get("push_when"));
  if (message?.kind !== "string" || isBlank(stringOf(message)) || wake === null || isWanted === null) return null;
  if (session !== undefined && session.kind !== "string" && session.kind !== "null") return null;
  const name = session?.kind === "string" ? stringOf(session) : "";
  return { message: stringOf(message), wake, session: isBlank(name) ? null : name, isWanted };
}

/** Parses raw text that `parsePush` accepted before. */
export function pushFromRaw(raw: string): Push {
  const span = readJson(raw, Number.POSITIVE_INFINITY);
  return (span.ok ? parsePush(span.value) : null) ?? { message: "", wake: false, session: null };
}

/** Returns the directive with `wake: false`. */
export function withoutWake(raw: string): string {
  const span = readJson(raw, Number.POSITIVE_INFINITY);
  if (!span.ok) return raw;
  return objectOf(new Map([...membersOf(span.value), ["wake", { kind: "boolean", raw: "false" }] as const])).raw;
}

/** Both fields default to true. Null if the value is not a boolean. */
function booleanMember(span: JsonSpan | undefined): boolean | null {
  if (span === undefined || span.kind === "null") return true;
  return span.kind === "boolean" ? span.raw === "true" : null;
}
