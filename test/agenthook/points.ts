import type { EventName } from "../../src/protocol/event.ts";

/** One method of the trait: what the agent sends, and what a hook may make of it. */
export interface Point {
  readonly point: string;
  readonly method: string;
  readonly event: EventName;
  /** The method's arguments beside `ctx`, by the names of the wire. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The argument that a change replaces, by its kodelet name; null where the method returns nothing. */
  readonly target: string | null;
  /** A new value. */
  readonly value: unknown;
  /** What `Reject` comes to. */
  readonly reject: "block" | "halt" | "continue";
  readonly phase: "pre" | "post";
}

export const CTX = { session_id: "s1", turn_number: 3, step_number: 7, core_type: "react" };

const messages = [{ role: "user", content: "Run the tests" }];
const tools = [{ name: "bash" }];
const input = { message: "Run the tests" };
const call = { tool_name: "bash", args: { command: "ls", depth: 12345678901234 }, grant: { sandbox: "workspace" } };
const response = { text: "Done.", usage: { input_tokens: 1200, output_tokens: 80 } };

export const POINTS: readonly Point[] = [
  row("on_session_start", "onSessionStart", "session_start", {}, ["pre", "block", null, { any: 1 }]),
  row("on_session_end", "onSessionEnd", "session_end", {}, ["post", "continue", null, { any: 1 }]),
  row("pre_turn", "preTurn", "turn_start", { input }, ["pre", "block", "input", { message: "Lint" }]),
  row("post_turn", "postTurn", "turn_end", { input, output: "12 pass" }, ["post", "halt", "response", "12 of 12 pass"]),
  row("on_turn_error", "onTurnError", "turn_error", { input, error: { kind: "provider" } }, [
    ...(["post", "halt", "output"] as const),
    { text: "Sorry" },
  ]),
  row("pre_llm_call", "preLlmCall", "before_llm_call", { messages, tools }, [
    ...(["pre", "block", "messages"] as const),
    { messages: [{ role: "system", content: "Be brief" }], tools: [] },
  ]),
  row("post_llm_call", "postLlmCall", "after_llm_call", { response }, [
    ...(["post", "halt", "response"] as const),
    { text: "[gone]" },
  ]),
  row("on_llm_error", "onLlmError", "llm_error", { error: "overloaded", attempt: 2 }, [
    ...(["post", "halt", "retry"] as const),
    { retry: true, after_ms: 500, provider: "backup" },
  ]),
  row("pre_tool_call", "preToolCall", "before_tool_call", call, [
    ...(["pre", "block", "tool_input"] as const),
    { command: "ls -a" },
  ]),
  row("post_tool_call", "postToolCall", "after_tool_call", { ...call, result: { Ok: "total 0" }, elapsed_ms: 41 }, [
    ...(["post", "halt", "tool_output"] as const),
    { Ok: "[gone]" },
  ]),
  row("pre_compaction", "preCompaction", "before_compaction", { messages, budget: { used_tokens: 9 } }, [
    ...(["pre", "block", "hint"] as const),
    { keep: ["open todos"], drop: ["tool results"] },
  ]),
  row("post_compaction", "postCompaction", "after_compaction", { removed_count: 42, summary: "Fixed it." }, [
    ...(["post", "continue", null] as const),
    { any: 1 },
  ]),
];

function row(
  point: string,
  method: string,
  event: EventName,
  args: Point["args"],
  [phase, reject, target, value]: readonly [Point["phase"], Point["reject"], Point["target"], unknown],
): Point {
  return { point, method, event, args, target, value, reject, phase };
}

/** What an agent with this trait sends: the arguments of the method, and nothing in kodelet's words. */
export const envelopeOf = ({ args }: Point, more: object = {}): string =>
  JSON.stringify({ ...args, ctx: CTX, ...more });
