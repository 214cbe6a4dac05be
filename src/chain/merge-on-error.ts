import { EVENT_ROWS } from "../protocol/event.ts";
import { type JsonSpan, membersOrNone, NULL } from "../protocol/json/read.ts";
import { jsonText } from "../protocol/json/write.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import { explain } from "../protocol/problem-messages/explain.ts";
import type { FailureSource, Step, Verdict } from "../protocol/verdict.ts";
import { warningText } from "../protocol/warning.ts";

/** The steps of hooks that failed. None at `on_error` itself, or failures could loop. */
export const failedSteps = ({ event, steps }: Verdict): readonly Step[] =>
  event === "on_error" ? [] : steps.filter(({ outcome }) => outcome === "failed");

/** The names under which dialects send the event's name. */
const EVENT_KEYS = ["event", "hook", "hook_event_name", "hookEventName", "point"];

/** The `on_error` payload for a failed tool call: the call as it was sent, and its error. */
export function failedToolCallPayload(payload: Payload): Payload {
  const others = [...payload.members].filter(([key]) => !EVENT_KEYS.includes(key));
  const members = new Map<string, JsonSpan>([...others, ["event", ON_ERROR], ["error", errorOf(payload)]]);
  return { ...payload, event: "on_error", members };
}

/** The caller's own error, if it sent one. */
function errorOf({ members }: Payload): JsonSpan {
  const output = members.get("tool_output") ?? NULL;
  const inner = membersOrNone(output);
  const found = [members.get("error"), inner.get("error"), inner.get("Err"), inner.get("result")];
  return found.find((span) => span !== undefined && span.kind !== "null") ?? output;
}

const ON_ERROR: JsonSpan = { kind: "string", raw: '"on_error"' };

const COPIED_FIELDS = ["conv_id", "cwd", "invoked_by", "recipe_name", "tool_name", "agent", "repository", "branch"];

/** The `on_error` payload for a failed hook: which hook and why, and the agent's session and folder. */
export function failedHookPayload({ hook, result }: Step, { event, session, cwd, members }: Payload): Payload {
  const problem = result !== null && !result.response.ok ? result.response.error : null;
  const message = problem === null ? "" : explain(problem).summary;
  const error = { code: problem?.code ?? "", message, hook: hook.name, event };
  const copied = COPIED_FIELDS.flatMap((key) => {
    const span = members.get(key);
    return span?.kind === "string" ? [[key, span] as const] : [];
  });
  const own = new Map<string, JsonSpan>([
    ["event", ON_ERROR],
    ["error", { kind: "object", raw: jsonText(error) }],
  ]);
  return { event: "on_error", session, cwd, members: new Map([...own, ...copied]) };
}

/** Merges the verdict of `on_error` hooks: additions are appended, and a block or an ask is a decision of the chain. */
export function withErrorVerdict(verdict: Verdict, raised: Verdict, failed: FailureSource): Verdict {
  const joined: Verdict = {
    ...verdict,
    context: [...verdict.context, ...raised.context],
    followUps: [...verdict.followUps, ...raised.followUps],
    pushes: [...verdict.pushes, ...raised.pushes],
    systemMessage: verdict.systemMessage ?? raised.systemMessage,
    metadata: { ...raised.metadata, ...verdict.metadata },
    warnings: [...verdict.warnings, ...raised.warnings],
    guardWarnings: [...verdict.guardWarnings, ...raised.guardWarnings],
    steps: [...verdict.steps, ...raised.steps.map((step): Step => ({ ...step, failed }))],
  };
  const isStopped = verdict.decision === "block" || verdict.decision === "halt";
  if (raised.decision === "continue" || isStopped) return joined;
  const { reason, decidedBy } = raised;
  const { onBlock } = EVENT_ROWS[verdict.event];
  if (onBlock === "ignore") {
    const ignored = warningText({ code: "BLOCK_IGNORED", hook: decidedBy ?? "", event: verdict.event });
    return { ...joined, warnings: [...joined.warnings, ignored] };
  }
  // An ask keeps the changes, and the first ask is used.
  if (raised.decision === "ask")
    return verdict.decision === "ask" ? joined : { ...joined, decision: "ask", reason, decidedBy, isAllowed: false };
  const decision = onBlock === "deny" ? "block" : "halt";
  // As with any block, the changes are dropped.
  return { ...joined, decision, reason, decidedBy, isAllowed: false, change: null, payload: verdict.sent };
}
