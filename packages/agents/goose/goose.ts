import { blockDecision } from "../../../src/dialects/claude-answers.ts";
import { callInput, type FieldPaths, failedOutput, toolOutput } from "../../../src/dialects/field-paths.ts";
import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import type { Agent } from "../agent.ts";
import { type AgentInstall, commandGroup, installFacts } from "../agent-install.ts";
import { lastMessage } from "../claude/payload-parts.ts";
import { KNOWN_AGENTS } from "../known-agents.ts";
import facts from "./install.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

const toolFields: FieldPaths = {
  tool_name: "tool_name",
  tool_input: callInput("tool_input"),
  tool_user_id: "tool_call_id",
};

/** goose, written from its documentation: hooks can block a tool call and a stop, and nothing else. */
export const goose: Agent = {
  ...KNOWN_AGENTS.goose,
  name: "goose",
  baseFields: { conv_id: "session_id", cwd: "working_dir" },
  tools: {
    mcp: /^(?<server>.+?)__(?<tool>.+)$/s,
    table: toolTable(tools),
  },
  sampleShellCall: {
    event: "PreToolUse",
    payload: (command) => ({
      event: "PreToolUse",
      session_id: "hookctl-doctor",
      tool_name: "developer__shell",
      tool_input: { command },
    }),
  },
  events: {
    PreToolUse: {
      raises: [{ event: "before_tool_call", fields: toolFields }],
      answers: { deny: blockDecision },
    },
    PostToolUse: {
      raises: [
        { event: "after_tool_call", fields: { ...toolFields, tool_output: toolOutput("tool_name", "tool_result") } },
      ],
      answers: {},
    },
    PostToolUseFailure: {
      raises: [
        { event: "after_tool_call", fields: { ...toolFields, tool_output: failedOutput("tool_name", "error") } },
        { event: "on_error", fields: { ...toolFields, error: "error" } },
      ],
      answers: {},
    },
    UserPromptSubmit: {
      raises: [{ event: "user_message_send", fields: { message: "message" } }],
      answers: {},
    },
    Stop: {
      raises: [{ event: "agent_stop", fields: { messages: lastMessage("last_assistant_message") } }],
      answers: { followUp: blockDecision },
    },
    SessionStart: {
      raises: [{ event: "session_start", fields: { source: "source" } }],
      answers: {},
    },
    SessionEnd: { raises: [{ event: "session_end", fields: { reason: "reason" } }], answers: {}, limitMs: 10_000 },
  },
};

export const gooseInstall: AgentInstall = {
  ...installFacts(facts),
  format: {
    kind: "settings",
    root: {},
    entry: (registration) => ({
      ...commandGroup(registration),
      on_failure: registration.failClosed ? "block" : undefined,
    }),
  },
};
