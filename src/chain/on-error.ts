import { eventRow } from "../protocol/event.ts";
import { explain } from "../protocol/explain.ts";
import { type JsonSpan, membersOf } from "../protocol/json/read.ts";
import { jsonText } from "../protocol/json/write.ts";
import type { Payload } from "../protocol/payload.ts";
import type { FailureSource, Step, Verdict, VerdictDecision } from "../protocol/verdict.ts";
import { warningText } from "../protocol/warning.ts";

/** The steps whose hook was asked and failed. What fails at `on_error` raises none, or it would never end. */
export const failedSteps = ({ event, steps }: Verdict): readonly Step[] =>
  event === "on_error" ? [] : steps.filter(({ outcome }) => outcome === "failed");

/** Under these names a payload names its own event. */
const EVENT_KEYS = ["event", "hook", "hook_event_name", "hookEventName", "point"];

/** The payload of `on_error` for a tool call that failed: the call as it was sent, and its error. */
export function failedToolCallPayload(payload: Payload): Payload {
  const others = [...payload.members].filter(([key]) => !EVENT_KEYS.includes(key));
  const members = new Map<string, JsonSpan>([...others, ["event", ON_ERROR], ["error", errorOf(payload)]]);
  return { ...payload, event: "on_error", members };
}

/** In the caller's words where there are some. */
function errorOf({ members }: Payload): JsonSpan {
  const output = members.get("tool_output") ?? NULL;
  const inner = output.kind === "object" ? membersOf(output) : new Map<string, JsonSpan>();
  const found = [members.get("error"), inner.get("error"), inner.get("result")];
  return found.find((span) => span !== undefined && span.kind !== "null") ?? output;
}

const NULL: JsonSpan = { kind: "null", raw: "null" };
const ON_ERROR: JsonSpan = { kind: "string", raw: '"on_error"' };

const COPIED_FIELDS = ["conv_id", "cwd", "invoked_by", "recipe_name", "tool_name", "agent", "repository", "branch"];

/** The payload of `on_error` for a hook that failed: which hook, where and why, and where the agent was. */
export function failedHookPayload({ hook, result }: Step, { event, session, cwd, members }: Payload): Payload {
  const problem = result !== null && !result.response.ok ? result.response.error : null;
  const message = problem === null ? "" : explain(problem).summary;
  const error = { code: problem?.code ?? "", message, hook: hook.name, event };
  const kept = COPIED_FIELDS.flatMap((key): [string, JsonSpan][] => {
    const span = members.get(key);
    return span?.kind === "string" ? [[key, span]] : [];
  });
  const own: [string, JsonSpan][] = [
    ["event", ON_ERROR],
    ["error", { kind: "object", raw: jsonText(error) }],
  ];
  return { event: "on_error", session, cwd, members: new Map([...own, ...kept]) };
}

/** The verdict with what `on_error` hooks said of a failure: all adds up, and a block or a question is one of the chain. */
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
  const stop = STOP[eventRow(verdict.event).onBlock];
  if (stop === null) return withIgnoredBlock(joined, raised.decidedBy ?? "");
  return raised.decision === "ask" ? withAsk(joined, raised) : withStop(joined, raised, stop);
}

/** A block drops the changes as any block does. */
const withStop = (verdict: Verdict, { reason, decidedBy }: Verdict, decision: VerdictDecision): Verdict => ({
  ...verdict,
  ...{ decision, reason, decidedBy, isAllowed: false, change: null, payload: verdict.sent },
});

/** A question keeps them, and the first one stays. */
const withAsk = (verdict: Verdict, { decision, reason, decidedBy }: Verdict): Verdict =>
  verdict.decision === "ask" ? verdict : { ...verdict, decision, reason, decidedBy, isAllowed: false };

const STOP: Readonly<Record<"deny" | "halt" | "ignore", VerdictDecision | null>> = {
  deny: "block",
  halt: "halt",
  ignore: null,
};

function withIgnoredBlock(verdict: Verdict, hook: string): Verdict {
  const ignored = warningText({ code: "BLOCK_IGNORED", hook, event: verdict.event });
  return { ...verdict, warnings: [...verdict.warnings, ignored] };
}
