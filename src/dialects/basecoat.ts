import { eventRow } from "../contract/event.ts";
import { type JsonObject, type JsonSpan, membersOf } from "../contract/json.ts";
import { type JsonOut, type JsonRecord, rawJson } from "../contract/json-text.ts";
import type { Payload } from "../contract/payload.ts";
import type { Verdict } from "../contract/verdict.ts";
import type { Dialect } from "./dialect.ts";
import { deciding, numberKey, outputPart, textsKey, valueKey, wordKey } from "./keys.ts";

/** Base Coat: `action` decides, `modifiedInput` / `modifiedOutput` change, `additionalContext` injects. */
export const basecoat: Dialect = {
  name: "basecoat",
  envelope: {
    mark: "hook",
    fields: {
      event: (members) => members.get("hook"),
      conv_id: (members) => members.get("sessionId"),
      tool_name: (members) => inside(members, "tool", "name"),
    },
  },
  added: {
    hook: (payload) => eventRow(payload.event).aliases.basecoat?.[0] ?? payload.event,
    timestamp: (_payload, moment) => moment.isoTime,
    sessionId: (payload) => payload.session,
    budget: budgetOf,
    tool: toolOf,
  },
  replyKeys: [
    deciding(
      wordKey("action", {
        passThrough: () => ({}),
        injectContext: () => ({}),
        modify: () => ({}),
        block: () => ({ decision: "block" }),
      }),
    ),
    valueKey("modifiedInput", (raw, event) => (event.phase === "pre" ? { change: raw } : { isOutOfPlace: true })),
    valueKey("modifiedOutput", outputPart),
    textsKey("additionalContext", (context) => ({ context })),
    // Arrives too late to order anything: the hook has been asked by then.
    numberKey("priority"),
  ],
  verdictOut,
};

function verdictOut(verdict: Verdict): JsonRecord {
  const isStopped = verdict.decision !== "continue";
  const changeKey = eventRow(verdict.event).phase === "pre" ? "modifiedInput" : "modifiedOutput";
  const action = isStopped
    ? "block"
    : verdict.change !== null
      ? "modify"
      : verdict.context.length > 0
        ? "injectContext"
        : "passThrough";
  return {
    action,
    reason: verdict.reason ?? undefined,
    [changeKey]: verdict.change === null ? undefined : rawJson(verdict.change),
    additionalContext: verdict.context.length > 0 ? verdict.context : undefined,
    warnings: verdict.warnings.length > 0 ? verdict.warnings : undefined,
  };
}

function budgetOf(payload: Payload): JsonOut | undefined {
  const used = inside(payload.members, "budget", "used_tokens");
  const limit = inside(payload.members, "budget", "effective_limit");
  if (used === undefined || limit === undefined) return undefined;
  return { usedTokens: rawJson(used.raw), effectiveLimit: rawJson(limit.raw) };
}

function toolOf(payload: Payload): JsonOut | undefined {
  const name = payload.members.get("tool_name");
  if (name === undefined) return undefined;
  const success = inside(payload.members, "tool_output", "success");
  const elapsed = payload.members.get("elapsed_ms");
  return {
    name: rawJson(name.raw),
    success: success === undefined ? undefined : rawJson(success.raw),
    durationMs: elapsed === undefined ? undefined : rawJson(elapsed.raw),
  };
}

function inside(members: JsonObject, outer: string, inner: string): JsonSpan | undefined {
  const span = members.get(outer);
  return span?.kind === "object" ? membersOf(span).get(inner) : undefined;
}
