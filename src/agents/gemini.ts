import { contextFor, stopDecision, systemMessage } from "../dialects/claude-answers.ts";
import { callInput, changedResultText, type FieldPaths, spanAt, toolOutput } from "../dialects/field-paths.ts";
import type { JsonObject } from "../protocol/json/read.ts";
import { type JsonRecord, rawJson } from "../protocol/json/write.ts";
import type { Agent } from "./agent.ts";
import { lastMessage, notifyOnly } from "./claude-shape.ts";

const denied = (reason: string): JsonRecord => ({ decision: "deny", reason });
const toolFields: FieldPaths = { tool_name: "tool_name", tool_input: callInput("tool_input") };

const hasFailed = (native: JsonObject): boolean => (spanAt(native, "tool_response.error")?.kind ?? "null") !== "null";
const output = toolOutput("tool_name", "tool_response.llmContent", (native) => !hasFailed(native));

/** Gemini CLI. It counts limits in milliseconds, and its calls have no id. */
export const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  testedWith: "0.61.0",
  projectVariable: "GEMINI_PROJECT_DIR",
  baseFields: { conv_id: "session_id", cwd: "cwd" },
  tools: {
    run_shell_command: "shell",
    read_file: "read",
    read_many_files: "read",
    write_file: "write",
    replace: "edit",
    glob: "search",
    grep_search: "search",
    search_file_content: "search",
    list_directory: "search",
    google_web_search: "web",
    web_fetch: "web",
    codebase_investigator: "agent",
  },
  mcpTool: /^mcp_|__/,
  contextLimit: 8000,
  followUpLimit: 0,
  withoutProgram: "denies",
  unsupportedEvents: ["BeforeToolSelection"],
  sampleShellCall: {
    event: "BeforeTool",
    payload: (command) => ({
      session_id: "hookctl-doctor",
      hook_event_name: "BeforeTool",
      tool_name: "run_shell_command",
      tool_input: { command },
    }),
  },
  events: {
    BeforeTool: {
      raises: [{ event: "before_tool_call", fields: toolFields }],
      answers: {
        deny: denied,
        ask: (reason) => ({ decision: "ask", reason, systemMessage: reason }),
        canAskWithChange: true,
        allow: () => ({ decision: "allow" }),
        change: ({ value }) => ({
          hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: rawJson(value.raw) },
        }),
        notify: systemMessage,
      },
      timeoutMs: 60_000,
    },
    AfterTool: {
      raises: [
        { event: "after_tool_call", fields: { ...toolFields, tool_output: output } },
        {
          event: "on_error",
          fields: { tool_name: "tool_name", error: "tool_response.error" },
          when: hasFailed,
        },
      ],
      answers: {
        halt: (reason) => ({ ...denied(reason), ...stopDecision(reason) }),
        change: (change) => denied(changedResultText(change)),
        context: contextFor("AfterTool"),
        notify: systemMessage,
      },
      timeoutMs: 60_000,
    },
    BeforeAgent: {
      raises: [
        { event: "user_message_send", fields: { message: "prompt" } },
        { event: "turn_start", fields: { input: (native) => ({ message: unpackedText(native) }) } },
      ],
      answers: { deny: denied, context: contextFor("BeforeAgent"), notify: systemMessage },
      timeoutMs: 30_000,
    },
    AfterAgent: {
      raises: [
        {
          event: "agent_stop",
          fields: { messages: lastMessage("prompt_response"), stop_hook_active: "stop_hook_active" },
        },
        { event: "turn_end", fields: { response: "prompt_response" } },
      ],
      answers: { followUp: denied, notify: systemMessage },
      timeoutMs: 120_000,
    },
    BeforeModel: {
      raises: [{ event: "before_llm_call", fields: { messages: "llm_request.messages" } }],
      answers: { deny: denied, notify: systemMessage },
      timeoutMs: null,
    },
    AfterModel: {
      raises: [{ event: "after_llm_call", fields: { response: "llm_response" } }],
      answers: { halt: stopDecision, notify: systemMessage },
      timeoutMs: null,
    },
    SessionStart: {
      raises: [{ event: "session_start", fields: { source: "source" } }],
      answers: { context: contextFor("SessionStart"), notify: systemMessage },
      timeoutMs: 30_000,
    },
    SessionEnd: { raises: [{ event: "session_end", fields: { reason: "reason" } }], answers: {}, timeoutMs: 10_000 },
    PreCompress: {
      raises: [{ event: "before_compaction", fields: { trigger: "trigger" } }],
      answers: notifyOnly,
      timeoutMs: 30_000,
    },
    Notification: {
      raises: [{ event: "notification", fields: { message: "message", kind: "notification_type" } }],
      answers: notifyOnly,
      timeoutMs: 30_000,
    },
  },
};

const unpackedText = (native: JsonObject) => {
  const span = spanAt(native, "prompt");
  return span === undefined ? "" : rawJson(span.raw);
};
