import {
  behaviour,
  blocked,
  claudeBase,
  contextAt,
  decided,
  followUpAnswers,
  halted,
  shellCall,
  stopFields,
  systemMessage,
  tellOnly,
  toolFields,
  updatedInput,
  updatedToolOutput,
} from "../dialects/claude-shape.ts";
import { failedOutput, toolOutput } from "../dialects/field-paths.ts";
import type { Agent, Answers, NativeEvent } from "./agent.ts";

/** Tools that several agents call by the same names. */
export const CLAUDE_TOOLS = {
  Bash: "shell",
  BashOutput: "shell",
  KillShell: "shell",
  Read: "read",
  NotebookRead: "read",
  Write: "write",
  Edit: "edit",
  MultiEdit: "edit",
  NotebookEdit: "edit",
  Grep: "search",
  Glob: "search",
  LS: "search",
  WebFetch: "web",
  WebSearch: "web",
  Task: "agent",
  Agent: "agent",
} as const;

/** A rewrite stands alone: beside `allow` it would run what the user's own rules have not allowed. */
export const preTool: Answers = {
  deny: (reason) => decided("PreToolUse", "deny", reason),
  ask: (reason) => decided("PreToolUse", "ask", reason),
  allow: () => decided("PreToolUse", "allow"),
  asksChanged: true,
  change: (change) => updatedInput("PreToolUse", change),
  context: contextAt("PreToolUse"),
  tell: systemMessage,
};

/** Silence leaves the question to the person, so nothing has to be said to ask. */
const permission: Answers = {
  deny: (reason) => behaviour("deny", { message: reason }),
  ask: () => ({}),
  allow: () => behaviour("allow"),
  tell: systemMessage,
};

export const claudeEvents = {
  PreToolUse: {
    raises: [{ event: "before_tool_call", fields: toolFields }],
    answers: preTool,
    limitMs: 60_000,
  },
  PermissionRequest: {
    raises: [{ event: "permission_request", fields: toolFields }],
    answers: permission,
    limitMs: 60_000,
  },
  PostToolUse: {
    raises: [
      {
        event: "after_tool_call",
        fields: { ...toolFields, tool_output: toolOutput("tool_name", "tool_response"), elapsed_ms: "duration_ms" },
      },
    ],
    answers: { halt: halted, change: updatedToolOutput, context: contextAt("PostToolUse"), tell: systemMessage },
    limitMs: 60_000,
  },
  PostToolUseFailure: {
    raises: [
      {
        event: "after_tool_call",
        fields: { ...toolFields, tool_output: failedOutput("tool_name", "error"), elapsed_ms: "duration_ms" },
      },
      { event: "on_error", fields: { ...toolFields, error: "error" } },
    ],
    answers: { context: contextAt("PostToolUseFailure"), tell: systemMessage },
    limitMs: 60_000,
  },
  UserPromptSubmit: {
    raises: [{ event: "user_message_send", fields: { message: "prompt" } }],
    answers: { deny: blocked, context: contextAt("UserPromptSubmit"), tell: systemMessage },
    limitMs: 25_000,
  },
  Stop: {
    raises: [
      { event: "agent_stop", fields: stopFields },
      { event: "turn_end", fields: { response: "last_assistant_message" } },
    ],
    answers: followUpAnswers,
    limitMs: 120_000,
  },
  SubagentStart: {
    raises: [{ event: "subagent_start", fields: { name: "agent_type", id: "agent_id" } }],
    answers: { context: contextAt("SubagentStart"), tell: systemMessage },
    limitMs: 30_000,
  },
  SubagentStop: {
    raises: [{ event: "subagent_stop", fields: { ...stopFields, name: "agent_type", id: "agent_id" } }],
    answers: tellOnly,
    limitMs: 60_000,
  },
  SessionStart: {
    raises: [{ event: "session_start", fields: { source: "source" } }],
    answers: { context: contextAt("SessionStart"), tell: systemMessage },
    limitMs: 30_000,
  },
  SessionEnd: {
    raises: [{ event: "session_end", fields: { reason: "reason" } }],
    answers: {},
    limitMs: 10_000,
  },
  PreCompact: {
    raises: [{ event: "before_compaction", fields: { trigger: "trigger", hint: "custom_instructions" } }],
    answers: { deny: blocked, tell: systemMessage },
    limitMs: 30_000,
  },
  PostCompact: {
    raises: [{ event: "after_compaction", fields: { summary: "compact_summary", trigger: "trigger" } }],
    answers: tellOnly,
    limitMs: 30_000,
  },
  StopFailure: {
    raises: [{ event: "on_error", fields: { error: "error" } }],
    answers: {},
    limitMs: 30_000,
  },
  Notification: {
    raises: [{ event: "notification", fields: { message: "message", kind: "notification_type" } }],
    answers: {},
    limitMs: 30_000,
  },
} as const satisfies Readonly<Record<string, NativeEvent>>;

/** Claude Code. */
export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  testedWith: "2.1.329",
  projectVariable: "CLAUDE_PROJECT_DIR",
  base: claudeBase,
  tools: CLAUDE_TOOLS,
  mcpTool: /^mcp__/,
  contextLimit: 9500,
  followUpLimit: 8,
  withoutProgram: "goes on",
  uncovered: [
    ...["Setup", "UserPromptExpansion", "PermissionDenied", "PostToolBatch", "MessageDisplay", "TaskCreated"],
    ...["TaskCompleted", "TeammateIdle", "InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded"],
    ...["FileChanged", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult"],
  ],
  shellCall: shellCall("Bash"),
  events: claudeEvents,
};
