import {
  callInput,
  changedResult,
  type FieldPaths,
  failedOutput,
  rawAt,
  textAt,
  toolOutput,
} from "../../../src/dialects/field-paths.ts";
import { CLAUDE_TOOLS } from "../../../src/dialects/tools/claude-tools.ts";
import { type JsonRecord, rawJson } from "../../../src/protocol/json/write.ts";
import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import type { Agent, AnswerFormats } from "../agent.ts";
import { type AgentInstall, installFacts, timeoutSeconds } from "../agent-install.ts";
import { KNOWN_AGENTS } from "../known-agents.ts";
import facts from "./install.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

const permitted = (permission: string, reason?: string): JsonRecord => ({
  permission,
  user_message: reason,
  agent_message: reason,
});
const context = (text: string): JsonRecord => ({ additional_context: text });
const toolFields: FieldPaths = {
  tool_name: "tool_name",
  tool_input: callInput("tool_input"),
  tool_user_id: "tool_use_id",
};
/** The event is only about tools of MCP servers, whose names have no prefix here. */
const mcpFields: FieldPaths = {
  ...toolFields,
  tool_name: (native) => {
    const name = textAt(native, "tool_name");
    return name === "" || name.startsWith("MCP:") ? name : `MCP:${name}`;
  },
};
const shellFields: FieldPaths = {
  tool_name: () => "Shell",
  tool_input: (native) => ({ command: rawAt(native, "command") }),
};

/** The answers of the only two events that support `ask`. */
const asking: AnswerFormats = {
  deny: (reason) => permitted("deny", reason),
  ask: (reason) => permitted("ask", reason),
  allow: () => permitted("allow"),
};

/** Cursor, as its documentation describes it. */
export const cursor: Agent = {
  ...KNOWN_AGENTS.cursor,
  name: "cursor",
  baseFields: {
    conv_id: "conversation_id",
    cwd: (native) => textAt(native, "cwd") || textAt(native, "workspace_roots.0") || undefined,
  },
  tools: {
    mcp: /^MCP:(?<tool>.+)$/s,
    // At Claude Code's registration it may use the names of that agent.
    borrowed: () => CLAUDE_TOOLS.table,
    table: toolTable(tools),
  },
  sampleShellCall: {
    event: "preToolUse",
    payload: (command) => ({ conversation_id: "hookctl-doctor", tool_name: "Shell", tool_input: { command } }),
  },
  events: {
    preToolUse: {
      raises: [{ event: "before_tool_call", fields: toolFields }],
      answers: {
        deny: (reason) => permitted("deny", reason),
        allow: () => permitted("allow"),
        change: ({ value, isAllowed }) => ({
          permission: isAllowed ? "allow" : undefined,
          updated_input: rawJson(value.raw),
        }),
      },
    },
    beforeShellExecution: {
      raises: [{ event: "before_tool_call", fields: shellFields }],
      answers: asking,
      isOnRequest: true,
    },
    beforeMCPExecution: {
      raises: [{ event: "before_tool_call", fields: mcpFields }],
      answers: asking,
      isOnRequest: true,
    },
    beforeReadFile: {
      raises: [
        {
          event: "before_tool_call",
          fields: { tool_name: () => "Read", tool_input: (native) => ({ file_path: rawAt(native, "file_path") }) },
        },
      ],
      answers: { deny: (reason) => ({ permission: "deny", user_message: reason }) },
      isOnRequest: true,
    },
    postToolUse: {
      raises: [
        {
          event: "after_tool_call",
          fields: { ...toolFields, tool_output: toolOutput("tool_name", "tool_output"), elapsed_ms: "duration" },
        },
      ],
      answers: {
        change: (change) =>
          textAt(change.native, "tool_name").startsWith("MCP:")
            ? { updated_mcp_tool_output: rawJson(changedResult(change).raw) }
            : null,
        context,
      },
    },
    postToolUseFailure: {
      raises: [
        {
          event: "after_tool_call",
          fields: { ...toolFields, tool_output: failedOutput("tool_name", "error_message"), elapsed_ms: "duration" },
        },
        { event: "on_error", fields: { ...toolFields, error: "error_message" } },
      ],
      answers: {},
    },
    beforeSubmitPrompt: {
      raises: [{ event: "user_message_send", fields: { message: "prompt" } }],
      answers: { deny: (reason) => ({ continue: false, user_message: reason }) },
    },
    afterAgentResponse: {
      raises: [{ event: "turn_end", fields: { response: "text" } }],
      answers: {},
      isOnRequest: true,
    },
    stop: {
      raises: [
        {
          event: "agent_stop",
          fields: {
            messages: () => [],
            stop_hook_active: (native) => Number(rawText(native)) > 0,
          },
          // A turn that was aborted or failed cannot continue.
          when: (native) => textAt(native, "status") === "completed",
        },
      ],
      answers: { followUp: (text) => ({ followup_message: text }) },
    },
    subagentStart: {
      raises: [{ event: "subagent_start", fields: { name: "subagent_type", id: "subagent_id" } }],
      answers: { deny: (reason) => ({ permission: "deny", user_message: reason }) },
    },
    subagentStop: {
      raises: [{ event: "subagent_stop", fields: { name: "subagent_type", status: "status" } }],
      answers: {},
    },
    sessionStart: { raises: [{ event: "session_start", fields: {} }], answers: { context } },
    sessionEnd: { raises: [{ event: "session_end", fields: { reason: "reason" } }], answers: {}, limitMs: 10_000 },
    preCompact: {
      raises: [{ event: "before_compaction", fields: { trigger: "trigger" } }],
      answers: { notify: (text) => ({ user_message: text }) },
    },
  },
};

const rawText = (native: Parameters<typeof rawAt>[0]): string => native.get("loop_count")?.raw ?? "0";

export const cursorInstall: AgentInstall = {
  ...installFacts(facts),
  format: {
    kind: "settings",
    root: { version: 1 },
    entry: (registration) => ({
      command: registration.command,
      timeout: timeoutSeconds(registration),
      failClosed: registration.failClosed ? true : undefined,
    }),
  },
};
