import type { DialectName } from "../contract/event.ts";
import { type Fields, object, text } from "../contract/field.ts";

/** What a hook of a dialect finds in its payload beside the kodelet fields, at every event. */
export const DIALECT_FIELDS = {
  kodelet: {},
  basecoat: {
    hook: text.required("The event's name in this dialect.", "PreToolUse"),
    timestamp: text.required("When the hook was asked.", "2026-01-31T09:30:00.000Z"),
    sessionId: text.required("The same as `conv_id`.", "sample-session"),
    budget: object.optional("Tokens used and the limit.", { usedTokens: 131_072, effectiveLimit: 160_000 }),
    tool: object.optional("The tool and how its call went.", { name: "bash", success: true, durationMs: 41 }),
  },
  reyn: {},
  agenthook: {
    ctx: object.required("Where the agent is.", {
      session_id: "sample-session",
      turn_number: 3,
      state: { total_cost: 0.02 },
    }),
  },
} as const satisfies Readonly<Record<DialectName, Fields>>;
