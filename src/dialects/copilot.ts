import { type EventName, eventRow, findEvent } from "../contract/event.ts";
import { type JsonObject, type JsonSpan, membersOf, stringOf } from "../contract/json.ts";
import { type JsonOut, type JsonRecord, jsonText, rawJson } from "../contract/json-text.ts";
import type { Payload } from "../contract/payload.ts";
import { NO_REPLY } from "../contract/reply.ts";
import { ok } from "../contract/result.ts";
import type { Verdict } from "../contract/verdict.ts";
import { blocked } from "./agents/claude-shape.ts";
import { rawAt, spanAt, textAt } from "./agents/places.ts";
import { asFollowUp } from "./claude.ts";
import { decisionKey } from "./claude-keys.ts";
import type { Dialect, Ended, Said } from "./dialect.ts";
import { inputPart, objectKey, outputPart, valueKey } from "./keys.ts";

/** Hooks written for GitHub Copilot's camelCase events, run unchanged: its payload on stdin, its words in the response. */
export const copilot: Dialect = {
  name: "copilot",
  envelope: {
    // Copilot itself does not name the event; a payload that hookctl made does.
    mark: "hookEventName",
    fields: {
      event: (members) => {
        const name = `copilot:${textAt(members, "hookEventName")}`;
        return findEvent(name) === null ? members.get("hookEventName") : { kind: "string", raw: jsonText(name) };
      },
      conv_id: (members) => members.get("sessionId"),
      message: (members) => members.get("prompt"),
      tool_name: (members) => members.get("toolName"),
      tool_input: (members) => members.get("toolArgs"),
      tool_output: (members) => members.get("toolResult"),
      hint: (members) => {
        const instructions = members.get("customInstructions");
        return instructions?.kind === "string" ? instructions : undefined;
      },
    },
    echoes: [
      ["prompt", "message"],
      ["toolArgs", "tool_input"],
      ["toolResult", "tool_output"],
      ["toolResult.textResultForLlm", "tool_output"],
      ["toolResult.textResultForLlm", "tool_output.result"],
      ["customInstructions", "hint"],
    ],
  },
  added: {
    hookEventName: ({ event }) => copilotName(event),
    sessionId: ({ session }) => session,
    timestamp: (_payload, moment) => Date.parse(moment.isoTime),
    prompt: ({ event, members }) => (event === "user_message_send" ? rawAt(members, "message") : undefined),
    toolName: ({ members }) => rawAt(members, "tool_name"),
    toolArgs: ({ members }) => rawAt(members, "tool_input"),
    toolResult,
    customInstructions: ({ event, members }) => {
      const hint = event === "before_compaction" ? members.get("hint") : undefined;
      return hint?.kind === "string" ? rawJson(hint.raw) : undefined;
    },
    stopReason: (payload) => (payload.event === "agent_stop" ? (sent(payload, "stopReason") ?? "end_turn") : undefined),
    transcriptPath: (payload) => sent(payload, "transcriptPath"),
  },
  replyKeys: [
    valueKey("modifiedArgs", inputPart),
    objectKey("modifiedResult", (value, event) => outputPart(outputOf(membersOf(value)), event)),
    decisionKey("behavior"),
  ],
  ending,
  verdictOut,
};

/** As Copilot calls it; an event that it does not have keeps its own name. */
function copilotName(event: EventName): string {
  const [name = event] = eventRow(event).aliases.copilot ?? [];
  return name.replace(/^copilot:/, "");
}

/** What the agent itself sent under this name. */
const sent = ({ members }: Payload, key: string): JsonOut | undefined => rawAt(members, `native.payload.${key}`);

/** Copilot hands a text to the model, whatever the tool gave. */
function toolResult({ event, members }: Payload): JsonOut | undefined {
  const output = members.get("tool_output");
  if (eventRow(event).target !== "tool_output" || output === undefined) return undefined;
  const result = spanAt(members, "tool_output.result") ?? spanAt(members, "tool_output.error") ?? output;
  const isFailed = spanAt(members, "tool_output.success")?.raw === "false";
  return { resultType: isFailed ? "failure" : "success", textResultForLlm: textOf(result) };
}

const textOf = (span: JsonSpan): JsonOut => (span.kind === "string" ? rawJson(span.raw) : span.raw);

/** The new output in our words. */
function outputOf(members: JsonObject): string {
  const text = members.get("textResultForLlm");
  return jsonText({
    success: !/^(?:failure|error|denied)$/.test(textAt(members, "resultType")),
    result: text === undefined ? null : rawJson(text.raw),
  });
}

/** Before a tool call any exit code but 0 blocks, as in Copilot; a block where the agent would stop is an instruction. */
function ending({ exitCode, stdout, stderr }: Ended, event: EventName, said: () => Said): Said | null {
  if (exitCode === null) return null;
  if (exitCode !== 0 && event === "before_tool_call") {
    const own = said();
    const reason = (own.ok ? own.value?.reason : null) ?? (stderr.trim() || `the hook exited with ${exitCode}`);
    return ok({ ...NO_REPLY, decision: "block", reason });
  }
  if (exitCode !== 0 || !eventRow(event).mayFollowUp) return null;
  const reply = said();
  return reply.ok && reply.value?.decision === "block" ? ok(asFollowUp(reply.value, event, stdout)) : reply;
}

function verdictOut(verdict: Verdict): JsonRecord {
  const isTool = verdict.event === "before_tool_call";
  const reason = verdict.reason ?? "";
  if (verdict.decision !== "continue") {
    if (!isTool) return blocked(reason);
    return { permissionDecision: verdict.decision === "ask" ? "ask" : "deny", permissionDecisionReason: reason };
  }
  if (verdict.followUps.length > 0) return blocked(verdict.followUps.join("\n\n"));
  const additionalContext = verdict.context.length > 0 ? verdict.context.join("\n\n") : undefined;
  if (verdict.change === null) return { additionalContext };
  if (isTool) return { modifiedArgs: rawJson(verdict.change), additionalContext };
  return { modifiedResult: { resultType: "success", textResultForLlm: changedText(verdict) }, additionalContext };
}

function changedText({ change, payload }: Verdict): JsonOut {
  const result = spanAt(payload.members, "tool_output.result") ?? payload.members.get("tool_output");
  return result?.kind === "string" ? stringOf(result) : (result?.raw ?? change ?? "");
}
