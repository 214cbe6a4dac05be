import { blockDecision } from "../dialects/claude-answers.ts";
import { callInput, type FieldPaths, failedOutput, toolOutput } from "../dialects/field-paths.ts";
import { means, own, type ToolRow } from "../protocol/tools/tool-table.ts";
import { type Agent, commandGroup } from "./agent.ts";
import type { AgentInstall } from "./agent-install.ts";
import { lastMessage } from "./claude-payload-parts.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";

const toolFields: FieldPaths = {
  tool_name: "tool_name",
  tool_input: callInput("tool_input"),
  tool_user_id: "tool_call_id",
};

const TEXT_EDITOR: readonly ToolRow[] = [
  means("file_read", { path: "file_path" }, { when: { command: "view" } }),
  means("file_write", { path: "file_path", file_text: "text" }, { when: { command: "write" } }),
  means(
    "file_edit",
    { path: "file_path", old_str: "old_text", new_str: "new_text" },
    { when: { command: "str_replace" } },
  ),
  own("edit", "Edit"),
];

/** goose, written from its documentation: hooks can block a tool call and a stop, and nothing else. */
export const goose: Agent = {
  name: "goose",
  title: KNOWN_AGENTS.goose.title,
  testedWith: null,
  projectVariable: null,
  settings: KNOWN_AGENTS.goose.settings,
  baseFields: { conv_id: "session_id", cwd: "working_dir" },
  tools: {
    mcp: /^(?<server>.+?)__(?<tool>.+)$/s,
    table: {
      developer__shell: means("bash"),
      shell: means("bash"),
      developer__text_editor: TEXT_EDITOR,
      text_editor: TEXT_EDITOR,
      write: means("file_write", { path: "file_path", content: "text" }),
      edit: means("file_edit", { path: "file_path", before: "old_text", after: "new_text" }),
      tree: own("search", "LS"),
    },
  },
  contextLimit: 8000,
  followUpLimit: 0,
  withoutProgram: "unknown",
  unsupportedEvents: [
    ...["PreToolUseResult", "BeforeReadFile", "AfterFileEdit", "BeforeShellExecution", "AfterShellExecution"],
  ],
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
  format: {
    kind: "settings",
    root: {},
    entry: (registration) => ({
      ...commandGroup(registration),
      on_failure: registration.failClosed ? "block" : undefined,
    }),
  },
  companionFiles: {
    "../plugin.json": { name: "hookctl", version: "1.0.0", description: "Asks hookctl's hooks." },
  },
  stillToDo: "goose reads it when a session begins.",
};
