import { type JsonKind, type JsonObject, type JsonSpan, membersOf, stringOf } from "../protocol/json/read.ts";
import { type JsonRecord, type JsonValue, rawJson } from "../protocol/json/write.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import type { Verdict } from "../protocol/verdict.ts";
import type { Dialect, ResponseKey, ResponsePart } from "./dialect.ts";
import { spanAt } from "./field-paths.ts";
import { decidingKey, textKey, valueKey, wordKey } from "./response/response-keys.ts";

/** AgentHook v2: `{"Reject": reason}` or flat `{"action": "reject", "reason": reason}`, and the same for other actions. */
export const agenthook: Dialect = {
  name: "agenthook",
  envelope: {
    mark: "ctx",
    fields: {
      conv_id: (members) => spanAt(members, "ctx.session_id"),
      turn_number: (members) => spanAt(members, "ctx.turn_number"),
      step_number: (members) => spanAt(members, "ctx.step_number"),
      core_type: (members) => spanAt(members, "ctx.core_type"),
      state: ownState,
    },
    kinds: {
      ctx: "object",
      "ctx.session_id": "text",
      "ctx.turn_number": "number",
      "ctx.step_number": "number",
      "ctx.core_type": "text",
      "ctx.state": "object",
    },
  },
  aliases: { ctx: "conv_id" },
  mergedObjects: ["ctx"],
  extraFields: { ctx: agentHookContext },
  sample: { turn_number: 3, step_number: 1, core_type: "react" },
  nullReplaces: true,
  responseKeys: [
    {
      ...decidingKey(textKey("Reject", () => ({}))),
      isTag: true,
      read: (value) => (isReason(value) ? rejected(value) : null),
    },
    { ...decidingKey(valueKey("Transform", (raw) => ({ change: raw }))), takesNull: true },
    { ...decidingKey(valueKey("Replace", (raw) => ({ change: raw, isReplace: true }))), takesNull: true },
    // It differs from Claude's `continue` only in case, so `false` blocks, too.
    decidingKey(valueKey("Continue", (raw) => (raw === "false" ? { decision: "block" } : {}))),
    decidingKey(
      wordKey(
        "action",
        {
          continue: () => ({}),
          transform: (_word, _event, members) => valued(members.get("value"), false),
          replace: (_word, _event, members) => valued(members.get("value"), true),
          reject: (_word, _event, members) => rejected(members.get("reason") ?? members.get("value")),
        },
        ' (transform and replace with a "value")',
      ),
    ),
    valueKey("value", () => ({})),
  ] satisfies readonly ResponseKey[],
  formatVerdict: verdictOut,
};

function valued(value: JsonSpan | undefined, isReplace: boolean): ResponsePart | null {
  return value === undefined ? null : { change: value.raw, isReplace };
}

/** A rejection without a reason is still a rejection. */
const isReason = ({ kind }: JsonSpan): boolean => kind === "string" || kind === "null";

const rejected = (why: JsonSpan | undefined): ResponsePart =>
  why?.kind === "string" ? { decision: "block", reason: stringOf(why) } : { decision: "block" };

function verdictOut(verdict: Verdict): JsonValue {
  if (verdict.decision !== "continue") return { Reject: verdict.reason ?? "" };
  if (verdict.change === null) return "Continue";
  return verdict.decidedBy === null ? { Transform: rawJson(verdict.change) } : { Replace: rawJson(verdict.change) };
}

/** For an empty state the session's values are used. */
function ownState(members: JsonObject): JsonSpan | undefined {
  const state = spanAt(members, "ctx.state");
  return state?.kind === "object" && membersOf(state).size > 0 ? state : undefined;
}

/**
 * AgentHook's HookContext. No field is ever missing: without a value it is 0, an empty string or an empty object. hookctl
 * does not count turns itself, because it does not see all of them.
 */
export function agentHookContext({ session, members }: Payload): JsonRecord {
  const field = (key: string, kind: JsonKind): JsonValue | undefined => {
    const span = members.get(key);
    return span?.kind === kind ? rawJson(span) : undefined;
  };
  return {
    session_id: session,
    turn_number: field("turn_number", "number") ?? 0,
    step_number: field("step_number", "number") ?? 0,
    core_type: field("core_type", "string") ?? "",
    state: field("state", "object") ?? {},
  };
}
