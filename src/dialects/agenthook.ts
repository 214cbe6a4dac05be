import { type JsonObject, type JsonSpan, membersOf, stringOf } from "../contract/json.ts";
import { type JsonOut, rawJson } from "../contract/json-text.ts";
import type { Payload } from "../contract/payload.ts";
import type { Verdict } from "../contract/verdict.ts";
import type { Dialect, ReplyKey, ReplyPart } from "./dialect.ts";
import { deciding, tag, textKey, valueKey, wordKey } from "./keys.ts";

/** AgentHook v2: `{"Reject": why}` or flat `{"action": "reject", "reason": why}`, and so for its siblings. */
export const agenthook: Dialect = {
  name: "agenthook",
  envelope: {
    mark: "ctx",
    fields: {
      conv_id: (members) => inContext(members, "session_id"),
      turn_number: (members) => inContext(members, "turn_number"),
      step_number: (members) => inContext(members, "step_number"),
      core_type: (members) => inContext(members, "core_type"),
      state: ownState,
    },
    // Its names for arguments and results are no second ones: `fieldNames` has them.
    echoes: [],
  },
  added: {
    ctx: (payload) => ({
      session_id: payload.session,
      turn_number: member(payload, "turn_number"),
      step_number: member(payload, "step_number"),
      core_type: member(payload, "core_type"),
      state: member(payload, "state") ?? (payload.session === "" ? undefined : {}),
    }),
  },
  replyKeys: [
    tag(textKey("Reject", (reason) => ({ decision: "block", reason }))),
    deciding(valueKey("Transform", (raw) => ({ change: raw }))),
    deciding(valueKey("Replace", (raw) => ({ change: raw, isReplace: true }))),
    // It differs from Claude's `continue` only in case, so `false` means the same.
    deciding(valueKey("Continue", (raw) => (raw === "false" ? { decision: "block" } : {}))),
    deciding(
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
  ] satisfies readonly ReplyKey[],
  verdictOut,
};

function valued(value: JsonSpan | undefined, isReplace: boolean): ReplyPart | null {
  if (value === undefined) return null;
  return value.kind === "null" ? {} : { change: value.raw, isReplace };
}

const rejected = (why: JsonSpan | undefined): ReplyPart =>
  why?.kind === "string" ? { decision: "block", reason: stringOf(why) } : { decision: "block" };

function verdictOut(verdict: Verdict): JsonOut {
  if (verdict.decision !== "continue") return { Reject: verdict.reason ?? "" };
  if (verdict.change === null) return "Continue";
  return verdict.decidedBy === null ? { Transform: rawJson(verdict.change) } : { Replace: rawJson(verdict.change) };
}

function inContext(members: JsonObject, key: string): JsonSpan | undefined {
  const context = members.get("ctx");
  return context?.kind === "object" ? membersOf(context).get(key) : undefined;
}

/** An agent that sends an empty state keeps none of its own: the session's values take the place. */
function ownState(members: JsonObject): JsonSpan | undefined {
  const state = inContext(members, "state");
  return state?.kind === "object" && membersOf(state).size > 0 ? state : undefined;
}

function member(payload: Payload, key: string): JsonOut | undefined {
  const span = payload.members.get(key);
  return span === undefined ? undefined : rawJson(span.raw);
}
