import { EVENT_ROWS, type EventName } from "../protocol/event.ts";
import { EMPTY_RESPONSE } from "../protocol/hook-response.ts";
import { isSame, type JsonObject, membersOf, spanOfRaw, stringOf } from "../protocol/json/read.ts";
import { type JsonRecord, type JsonValue, jsonText, rawJson } from "../protocol/json/write.ts";
import { hasFailedOutput, type Payload } from "../protocol/payload/payload.ts";
import { ok } from "../protocol/result.ts";
import type { Verdict } from "../protocol/verdict.ts";
import {
  blockAsFollowUp,
  blockDecision,
  eventNamed,
  eventNameIn,
  instructionsOf,
  textIn,
  textOrJson,
} from "./claude.ts";
import type { Dialect, ParsedResponse, ProcessExit } from "./dialect.ts";
import { callInput, rawAt, spanAt, textAt, toolOutput, toSpan } from "./field-paths.ts";
import { decisionKey } from "./response/claude-keys.ts";
import { inputPart, objectKey, outputPart, valueKey } from "./response/response-keys.ts";
import { COPILOT_TOOLS } from "./tools/copilot-tools.ts";
import { callFromDialect, callInDialect, type DialectTools } from "./tools/dialect-call.ts";
import { portableOutput } from "./tools/tool-output.ts";

/** The fields of the arguments, which can be a JSON string. `toolInput` is the field of permission requests. */
const ARGUMENTS = ["toolArgs", "toolInput"] as const;
const toolArgs = callInput(...ARGUMENTS);
const FAILED_RESULT = /^(?:failure|error|denied)$/;
const toolResult = toolOutput(
  ["toolResult.textResultForLlm"],
  (native) => !FAILED_RESULT.test(textAt(native, "toolResult.resultType")),
);

/** Hooks for Copilot get its names from every agent, because they know no others. */
const TOOLS: DialectTools = {
  tools: COPILOT_TOOLS,
  agent: "copilot",
  namePath: "toolName",
  input: (native) => toSpan(toolArgs(native)),
};

/** Runs hooks written for GitHub Copilot's camelCase events unchanged. */
export const copilot: Dialect = {
  name: "copilot",
  envelope: {
    // Copilot itself does not send the event's name; payloads made by hookctl do.
    mark: "hookEventName",
    fields: {
      event: (members) => eventNamed("copilot", members.get("hookEventName")),
      conv_id: (members) => members.get("sessionId"),
      message: (members) => members.get("prompt"),
      // Copilot sends no messages, and `agent_stop` requires them.
      messages: (members) => (members.has("stopReason") ? spanOfRaw("[]") : undefined),
      tool_name: (members) => members.get("toolName"),
      tool_input: (members) => (ARGUMENTS.some((key) => members.has(key)) ? toSpan(toolArgs(members)) : undefined),
      tool_output: (members) => members.get("toolResult"),
      hint: (members) => textIn(members, "customInstructions"),
    },
    kinds: { hookEventName: "text", sessionId: "text", prompt: "text", toolName: "text" },
  },
  aliases: {
    hookEventName: "event",
    sessionId: "conv_id",
    prompt: "message",
    toolName: "tool_name",
    toolArgs: "tool_input",
    toolResult: "tool_output",
    customInstructions: "hint",
  },
  extraFields: {
    hookEventName: ({ event }) => eventNameIn("copilot", event),
    sessionId: ({ session }) => session,
    timestamp: (payload, moment) => fromAgent(payload, "timestamp") ?? Date.parse(moment.isoTime),
    prompt: (payload) =>
      payload.event === "user_message_send" ? rawAt(payload.members, "message") : fromAgent(payload, "prompt"),
    toolName: (payload) => callInDialect(TOOLS, payload)?.name,
    toolArgs: argsOut,
    toolResult: resultOut,
    error: (payload) =>
      isOfResult(payload) ? rawAt(payload.members, "tool_output.error") : fromAgent(payload, "error"),
    customInstructions: (payload) => instructionsOf(payload, fromAgent(payload, "customInstructions")),
    stopReason: (payload) =>
      fromAgent(payload, "stopReason") ?? (payload.event === "agent_stop" ? "end_turn" : undefined),
    transcriptPath: (payload) => rawAt(payload.members, "native.payload.transcriptPath"),
  },
  passThrough: ownPayload,
  tools: TOOLS,
  responseKeys: [
    valueKey("modifiedArgs", inputPart),
    { ...objectKey("modifiedResult", (value, event) => outputPart(outputOf(membersOf(value)), event)), isValue: true },
    decisionKey("behavior"),
  ],
  readExit: ending,
  formatVerdict: verdictOut,
};

/** The payload of a camelCase event that Copilot sent; empty for other agents and for Claude Code's event names. */
function ownPayload({ members }: Payload): JsonObject {
  const isOwn = textAt(members, "native.agent") === "copilot" && /^[a-z]/.test(textAt(members, "native.event"));
  const payload = isOwn ? spanAt(members, "native.payload") : undefined;
  return payload?.kind === "object" ? membersOf(payload) : new Map();
}

const fromAgent = (payload: Payload, key: string): JsonValue | undefined => rawAt(ownPayload(payload), key);

const isOfResult = ({ event }: Payload): boolean => EVENT_ROWS[event].target === "tool_output";

/** The arguments in the form in which they came, object or text, because guards expect that form. */
function argsOut(payload: Payload): JsonValue | undefined {
  if (!payload.members.has("tool_input")) return undefined;
  const native = ownPayload(payload);
  const from = native.has("toolArgs") ? native : payload.members;
  const [came, now] = [from.get("toolArgs"), callInDialect(TOOLS, payload)?.input];
  if (now === undefined) return undefined;
  const sent = callFromDialect(TOOLS, from);
  const isUnchanged = sent !== null && isSame(sent.input, payload.members.get("tool_input"));
  if (came !== undefined && isUnchanged) return rawJson(came);
  return came?.kind === "string" ? textOrJson(now) : rawJson(now);
}

/** The result as it came, until a hook changes it. */
function resultOut(payload: Payload): JsonValue | undefined {
  const { members } = payload;
  const output = members.get("tool_output");
  if (!isOfResult(payload) || output === undefined) return undefined;
  const native = ownPayload(payload);
  const [sent, call] = [toSpan(toolResult(native)), callFromDialect(TOOLS, native)];
  const isUnchanged = sent !== undefined && call !== null && isSame(portableOutput(sent, call), output);
  if (native.has("toolResult") && isUnchanged) return rawAt(native, "toolResult");
  // It is in Copilot's format already.
  if (spanAt(members, "tool_output.textResultForLlm") !== undefined) return rawJson(output);
  const [result = output] = ["result", "error", "Err"].flatMap((key) => spanAt(members, `tool_output.${key}`) ?? []);
  return { resultType: hasFailedOutput(members) ? "failure" : "success", textResultForLlm: textOrJson(result) };
}

/** The new output in hookctl's format. */
function outputOf(members: JsonObject): string {
  const text = members.get("textResultForLlm");
  return jsonText({
    success: !FAILED_RESULT.test(textAt(members, "resultType")),
    result: text === undefined ? null : rawJson(text),
  });
}

/** Before a tool call any exit code except 0 blocks, as in Copilot. A block when the agent would stop is a follow-up. */
function ending(
  { exitCode, stdout, stderr }: ProcessExit,
  event: EventName,
  readStdout: () => ParsedResponse,
): ParsedResponse | null {
  if (exitCode === null) return null;
  if (exitCode !== 0 && event === "before_tool_call") {
    const own = readStdout();
    const reason = (own.ok ? own.value?.reason : null) ?? (stderr.trim() || `the hook exited with ${exitCode}`);
    return ok({ ...EMPTY_RESPONSE, decision: "block", reason });
  }
  if (exitCode !== 0 || !EVENT_ROWS[event].mayFollowUp) return null;
  const reply = readStdout();
  return reply.ok && reply.value?.decision === "block" ? ok(blockAsFollowUp(reply.value, event, stdout)) : reply;
}

function verdictOut(verdict: Verdict): JsonRecord {
  const isTool = verdict.event === "before_tool_call";
  const reason = verdict.reason ?? "";
  if (verdict.decision !== "continue") {
    if (!isTool) return blockDecision(reason);
    return { permissionDecision: verdict.decision === "ask" ? "ask" : "deny", permissionDecisionReason: reason };
  }
  if (verdict.followUps.length > 0) return blockDecision(verdict.followUps.join("\n\n"));
  const additionalContext = verdict.context.length > 0 ? verdict.context.join("\n\n") : undefined;
  if (verdict.change === null) return { additionalContext };
  if (isTool)
    return {
      modifiedArgs: rawJson(callInDialect(TOOLS, verdict.payload)?.input ?? verdict.change),
      additionalContext,
    };
  return { modifiedResult: { resultType: "success", textResultForLlm: changedText(verdict) }, additionalContext };
}

function changedText({ change, payload }: Verdict): JsonValue {
  const result = spanAt(payload.members, "tool_output.result") ?? payload.members.get("tool_output");
  return result?.kind === "string" ? stringOf(result) : (result?.raw ?? change ?? "");
}
