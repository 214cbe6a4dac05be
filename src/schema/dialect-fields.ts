import type { DialectName } from "../contract/event.ts";
import { type Fields, json, object, text } from "../contract/field.ts";

/** What a hook of a dialect finds in its payload beside the kodelet fields. */
export const DIALECT_FIELDS = {
  kodelet: {},
  basecoat: {
    hook: text.required("The event's name in this dialect.", "PreToolUse"),
    timestamp: text.required("When the hook was asked.", "2026-01-31T09:30:00.000Z"),
    sessionId: text.required("The same as `conv_id`.", "sample-session"),
    agent: text.optional("Who works: a recipe, the agent's program, `main` or `subagent`.", "backend-dev"),
    repository: text.optional("`owner/name`, as git's own files say.", "acme/shop"),
    branch: text.optional("The branch; not there on a detached HEAD.", "feat/145-hooks"),
    budget: object.optional("Tokens used and the limit.", { usedTokens: 131_072, effectiveLimit: 160_000 }),
    tool: object.optional("The tool and how its call went.", { name: "bash", success: true, durationMs: 41 }),
  },
  agenthook: {
    ctx: object.required("Where the agent is.", { session_id: "sample-session", turn_number: 3 }),
    args: json.optional("The same as `tool_input`.", { command: "ls -la" }),
    result: json.optional("The same as `tool_output`.", { success: true }),
  },
} as const satisfies Readonly<Record<DialectName, Fields>>;
