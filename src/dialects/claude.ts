import { type DialectName, EVENT_ROWS, type EventName, findEvent } from "../protocol/event.ts";
import { EMPTY_RESPONSE, type HookResponse } from "../protocol/hook-response.ts";
import {
  EMPTY_OBJECT,
  isSame,
  type JsonObject,
  type JsonSpan,
  membersOrNone,
  spanOfRaw,
  stringOf,
  textSpan,
} from "../protocol/json/read.ts";
import { type JsonRecord, type JsonValue, rawJson } from "../protocol/json/write.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import { ok } from "../protocol/result.ts";
import { rowFor } from "../protocol/tools/translate.ts";
import type { Verdict } from "../protocol/verdict.ts";
import type { Dialect, ParsedResponse, ProcessExit } from "./dialect.ts";
import { callInput, lastMessage, rawAt, spanAt, textAt, toSpan } from "./field-paths.ts";
import { claudeKeys } from "./response/claude-keys.ts";
import { findObjects } from "./response/find-objects.ts";
import { CLAUDE_TOOLS } from "./tools/claude-tools.ts";
import { callInDialect, type DialectTools } from "./tools/dialect-call.ts";
import { resultText, resultWithText } from "./tools/tool-output.ts";

/** Hooks for Claude Code get its names from every agent, because they know no others. */
const TOOLS: DialectTools = {
  tools: CLAUDE_TOOLS,
  agent: "claude",
  namePath: "tool_name",
  input: (native) => toSpan(callInput("tool_input")(native)),
};

/** Runs hooks written for Claude Code unchanged, with its payload and all of its response formats. */
export const claude: Dialect = {
  name: "claude",
  envelope: {
    mark: "hook_event_name",
    fields: {
      event: (members) => eventNamed("claude", members.get("hook_event_name")),
      messages: (members) =>
        CLAUDE_STOPS.includes(textAt(members, "hook_event_name"))
          ? toSpan(lastMessage(members, "last_assistant_message"))
          : undefined,
      conv_id: (members) => members.get("session_id"),
      message: (members) => members.get("prompt"),
      tool_output: (members) => members.get("tool_response"),
      tool_user_id: (members) => members.get("tool_use_id"),
      hint: (members) => textIn(members, "custom_instructions"),
    },
    kinds: { hook_event_name: "text", session_id: "text", tool_use_id: "text", prompt: "text" },
  },
  aliases: {
    hook_event_name: "event",
    session_id: "conv_id",
    tool_use_id: "tool_user_id",
    prompt: "message",
    tool_response: "tool_output",
    custom_instructions: "hint",
    last_assistant_message: "response",
  },
  extraFields: {
    hook_event_name: ({ event }) => eventNameIn("claude", event),
    session_id: ({ session }) => session,
    tool_use_id: ({ members }) => (textAt(members, "tool_user_id") === "" ? undefined : rawAt(members, "tool_user_id")),
    tool_response: toolResponse,
    prompt: ({ event, members }) => (event === "user_message_send" ? rawAt(members, "message") : undefined),
    stop_hook_active: (payload) =>
      EVENT_ROWS[payload.event].mayFollowUp ? (fromAgent(payload, "stop_hook_active") ?? false) : undefined,
    transcript_path: (payload) => fromAgent(payload, "transcript_path") ?? "",
    permission_mode: (payload) => fromAgent(payload, "permission_mode") ?? "default",
    last_assistant_message: (payload) =>
      EVENT_ROWS[payload.event].target === "response"
        ? rawAt(payload.members, "response")
        : fromAgent(payload, "last_assistant_message"),
    custom_instructions: (payload) => instructionsOf(payload, fromAgent(payload, "custom_instructions")),
    agent_id: (payload) => fromAgent(payload, "agent_id"),
    agent_type: (payload) => fromAgent(payload, "agent_type"),
  },
  tools: TOOLS,
  overrides: { tool_name: (payload) => callInDialect(TOOLS, payload)?.name, tool_input: toolInput },
  responseKeys: claudeKeys,
  readExit: ending,
  formatVerdict: verdictOut,
};

/** `claude:NAME` or `copilot:NAME` if it exists: `PreToolUse` alone is Base Coat's name. */
export function eventNamed(dialect: DialectName, named: JsonSpan | undefined): JsonSpan | undefined {
  const name = named?.kind === "string" ? `${dialect}:${stringOf(named)}` : "";
  return findEvent(name) === null ? named : textSpan(name);
}

/** The dialect's name of the event; without one, hookctl's. */
export function eventNameIn(dialect: DialectName, event: EventName): string {
  const [name = event] = EVENT_ROWS[event].aliases[dialect] ?? [];
  return name.replace(`${dialect}:`, "");
}

/** A member that is a text. */
export function textIn(members: JsonObject, key: string): JsonSpan | undefined {
  const span = members.get(key);
  return span?.kind === "string" ? span : undefined;
}

/** An agent that expects a string gets any other value as JSON text. */
export const textOrJson = (span: JsonSpan): JsonValue => (span.kind === "string" ? rawJson(span) : span.raw);

const CLAUDE_STOPS: readonly string[] = ["Stop", "SubagentStop"];

/** The value that the agent itself sent under this name. */
const fromAgent = ({ members }: Payload, key: string): JsonValue | undefined => rawAt(members, `native.payload.${key}`);

/** The result without kodelet's object around it; a text in the object that Claude Code's tool returns. */
function toolResponse(payload: Payload): JsonValue | undefined {
  const { event, members } = payload;
  const output = members.get("tool_output");
  if (EVENT_ROWS[event].target !== "tool_output" || output === undefined) return undefined;
  const own = membersOrNone(output);
  const isWrapped = own.size === 1 || own.get("success")?.kind === "boolean";
  const result = (isWrapped ? own.get("result") : undefined) ?? output;
  return rawJson(resultInClaude(payload, result) ?? result);
}

/** Puts a text back into the object that Claude Code's own tool returns (`{stdout, …}`); null if no such object is needed. */
function resultInClaude({ members }: Payload, result: JsonSpan): JsonSpan | null {
  if (result.kind !== "string") return null;
  const agent = textAt(members, "native.agent");
  const native = agent === "claude" ? spanAt(members, "native.payload.tool_response") : undefined;
  const row = rowFor(CLAUDE_TOOLS.table, textAt(members, "native.payload.tool_name"), EMPTY_OBJECT);
  if (native !== undefined)
    return isSame(resultText(native, row) ?? undefined, result)
      ? native
      : resultWithText(native, row, stringOf(result));
  if (agent === "" || textAt(members, "tool_name") !== "bash") return null;
  return spanOfRaw(`{"stdout":${result.raw},"stderr":"","interrupted":false,"isImage":false}`);
}

/** Before a compaction the instructions are hookctl's `hint`, which a hook may have changed; else those that the agent sent. */
export function instructionsOf({ event, members }: Payload, sent: JsonValue | undefined): JsonValue | undefined {
  const hint = event === "before_compaction" ? members.get("hint") : undefined;
  return hint === undefined ? sent : textOrJson(hint);
}

function toolInput(payload: Payload): JsonValue | undefined {
  const call = payload.members.has("tool_input") ? callInDialect(TOOLS, payload) : null;
  return call === null ? undefined : rawJson(call.input);
}

/** The events at which Claude Code adds plain text as context. */
const TAKES_TEXT: readonly EventName[] = ["session_start", "user_message_send"];

/** Exit 2 blocks with stderr as the reason. Plain text is context or nothing. Other codes are used only with valid JSON. */
function ending(
  { exitCode, stdout, stderr, isPlainText }: ProcessExit,
  event: EventName,
  readStdout: () => ParsedResponse,
): ParsedResponse | null {
  const text = stdout.trim();
  if (exitCode === 2) {
    const own = stderr.trim() === "" ? readStdout() : null;
    const reason = stderr.trim() || (own?.ok ? own.value?.reason : null) || null;
    return ok(blockAsFollowUp({ ...EMPTY_RESPONSE, decision: "block", reason }, event, ""));
  }
  const isJson = text.startsWith("{");
  if (!isJson && exitCode === 0 && isPlainText()) {
    return ok(text !== "" && TAKES_TEXT.includes(event) ? { ...EMPTY_RESPONSE, context: [text] } : null);
  }
  const reply = readStdout();
  if (reply.ok && reply.value?.decision === "block") return ok(blockAsFollowUp(reply.value, event, text));
  if (exitCode === 0) return reply;
  // The hook failed, so only a response without faults is used.
  return isJson && exitCode !== null && reply.ok && reply.value?.possibleBlock === null ? reply : null;
}

/** A block after the action is a message to the model: a follow-up when the agent would stop, else context. */
export function blockAsFollowUp(reply: HookResponse, event: EventName, stdout: string): HookResponse {
  const { mayFollowUp, target } = EVENT_ROWS[event];
  if (!mayFollowUp && target !== "tool_output") return reply;
  const members = findObjects(stdout).objects.flat();
  if (members.some(([key, { raw }]) => key.toLowerCase() === "continue" && raw === "false")) return reply;
  const text = reply.reason ?? "";
  if (mayFollowUp) return { ...reply, decision: "none", followUps: text === "" ? [] : [text] };
  return { ...reply, decision: "none", context: [...reply.context, ...(text === "" ? [] : [text])] };
}

function verdictOut({ event, payload, ...verdict }: Verdict): JsonRecord {
  const isTool = event === "before_tool_call";
  const isAsk = verdict.decision === "ask" && isTool;
  const isStopped = verdict.decision !== "continue";
  const reason = verdict.reason ?? "";
  if (isStopped && !isTool) return blockDecision(reason);
  if (!isStopped && verdict.followUps.length > 0) return blockDecision(verdict.followUps.join("\n\n"));
  const isDenied = isStopped && !isAsk;
  const change = verdict.change === null || !isTool || isDenied ? null : callInDialect(TOOLS, payload);
  const specific: JsonRecord = {
    permissionDecision: isAsk ? "ask" : isDenied ? "deny" : undefined,
    permissionDecisionReason: isStopped ? reason : undefined,
    updatedInput: change === null ? undefined : rawJson(change.input),
    additionalContext: isDenied || verdict.context.length === 0 ? undefined : verdict.context.join("\n\n"),
  };
  const isEmpty = Object.values(specific).every((value) => value === undefined);
  return isEmpty ? {} : { hookSpecificOutput: { hookEventName: eventNameIn("claude", event), ...specific } };
}

export const blockDecision = (reason: string): JsonRecord => ({ decision: "block", reason });
