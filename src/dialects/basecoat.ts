import { EVENT_ROWS } from "../protocol/event.ts";
import { type JsonObject, type JsonSpan, NULL, objectOf } from "../protocol/json/read.ts";
import { type JsonRecord, type JsonValue, rawJson } from "../protocol/json/write.ts";
import { hasFailedOutput, type Payload } from "../protocol/payload/payload.ts";
import { metadataJson, type Verdict } from "../protocol/verdict.ts";
import type { Dialect, ResponsePart } from "./dialect.ts";
import { rawAt, spanAt } from "./field-paths.ts";
import { decidingKey, numberKey, outputPart, textsKey, valueKey, wordKey } from "./response/response-keys.ts";

/** Base Coat: `action` decides, `modifiedInput` / `modifiedOutput` change, `additionalContext` injects. */
export const basecoat: Dialect = {
  name: "basecoat",
  envelope: {
    mark: "hook",
    fields: {
      event: (members) => members.get("hook"),
      conv_id: (members) => members.get("sessionId"),
      tool_name: (members) => spanAt(members, "tool.name"),
      // The envelope may have no arguments; a guard then has only the tool's name.
      tool_input: (members) => (hasTool(members) ? (spanAt(members, "tool.input") ?? NULL) : undefined),
      tool_output: (members) =>
        members.has("tool_output") ? undefined : (spanAt(members, "tool.output") ?? successIn(members)),
      elapsed_ms: (members) => spanAt(members, "tool.durationMs"),
      budget: (members) =>
        definedIn({
          used_tokens: spanAt(members, "budget.usedTokens"),
          effective_limit: spanAt(members, "budget.effectiveLimit"),
        }),
    },
    kinds: { hook: "text", sessionId: "text", "tool.name": "text", "tool.durationMs": "number" },
  },
  aliases: { hook: "event", sessionId: "conv_id", agent: "agent", tool: "tool_name", budget: "budget" },
  mergedObjects: ["tool", "budget"],
  extraFields: {
    hook: (payload) => EVENT_ROWS[payload.event].aliases.basecoat?.[0] ?? payload.event,
    timestamp: (_payload, moment) => moment.isoTime,
    sessionId: (payload) => payload.session,
    agent: agentOf,
    repository: (_payload, moment) => moment.checkout().repository ?? undefined,
    branch: (_payload, moment) => moment.checkout().branch ?? undefined,
    budget: budgetOf,
    tool: toolOf,
  },
  responseKeys: [
    decidingKey(
      wordKey("action", {
        passThrough: () => ({}),
        injectContext: () => ({}),
        modify: (_word, _event, members) => (CHANGES.some((key) => members.has(key)) ? {} : LOST_CHANGE),
        block: () => ({ decision: "block" }),
      }),
    ),
    valueKey("modifiedInput", (raw, event) => (event.phase === "pre" ? { change: raw } : { isOutOfPlace: true })),
    valueKey("modifiedOutput", outputPart),
    textsKey("additionalContext", (context) => ({ context })),
    numberKey("priority", (priority) => ({ priority })),
  ],
  formatVerdict: verdictOut,
};

function verdictOut(verdict: Verdict): JsonRecord {
  const isStopped = verdict.decision !== "continue";
  const changeKey = EVENT_ROWS[verdict.event].phase === "pre" ? "modifiedInput" : "modifiedOutput";
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
    metadata: metadataJson(verdict),
  };
}

/** The agent: its name, else the recipe, else main or subagent. */
function agentOf({ members }: Payload): JsonValue | undefined {
  const name = spanAt(members, "agent.name");
  const named = name?.kind === "string" ? name : (members.get("recipe_name") ?? members.get("invoked_by"));
  return named === undefined ? undefined : rawJson(named);
}

function budgetOf({ members }: Payload): JsonValue | undefined {
  const [usedTokens, effectiveLimit] = ["used_tokens", "effective_limit"].map((key) => rawAt(members, `budget.${key}`));
  return usedTokens === undefined || effectiveLimit === undefined ? undefined : { usedTokens, effectiveLimit };
}

function toolOf({ members }: Payload): JsonValue | undefined {
  const name = rawAt(members, "tool_name");
  if (name === undefined) return undefined;
  return {
    name,
    success: rawAt(members, "tool_output.success") ?? (hasFailedOutput(members) ? false : undefined),
    durationMs: rawAt(members, "elapsed_ms"),
    // Sent only if the caller sent them in `tool`.
    input: spanAt(members, "tool.input") && rawAt(members, "tool_input"),
    output: spanAt(members, "tool.output") && rawAt(members, "tool_output"),
  };
}

/** The keys of a new value in any dialect. */
const CHANGES = ["modifiedInput", "modifiedOutput", "input", "output", "message"];
const LOST_CHANGE: ResponsePart = { warnings: [{ code: "CHANGE_MISSING", hook: "" }] };

const hasTool = (members: JsonObject): boolean => members.get("tool")?.kind === "object";

function successIn(members: JsonObject): JsonSpan | undefined {
  const success = spanAt(members, "tool.success");
  return hasTool(members) ? (definedIn({ success }) ?? NULL) : undefined;
}

/** An object of the defined members; undefined if there are none. */
function definedIn(spans: Readonly<Record<string, JsonSpan | undefined>>): JsonSpan | undefined {
  const defined = Object.entries(spans).flatMap(([key, span]) => (span === undefined ? [] : [[key, span] as const]));
  return defined.length === 0 ? undefined : objectOf(defined);
}
