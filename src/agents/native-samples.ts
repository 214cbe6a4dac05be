import type { JsonRecord } from "../protocol/json/write.ts";
import type { AgentName } from "./agent.ts";

type NativeEvents = Readonly<Record<string, JsonRecord>>;

const claude = { session_id: "s1", transcript_path: "/t.jsonl", cwd: "/", permission_mode: "default" };
const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "call-1" };
const result = { stdout: "a\n", stderr: "", interrupted: false };
const codex = { session_id: "s1", turn_id: "t1", transcript_path: null, cwd: "/", model: "m" };
const gemini = { session_id: "s1", transcript_path: "/t.jsonl", cwd: "/", timestamp: "2026-11-20T10:00:00Z" };
const copilot = { sessionId: "s1", timestamp: 1795169472345, cwd: "/" };
const pascal = { session_id: "s1", timestamp: "2026-11-20T10:00:00Z", cwd: "/" };
const cursor = {
  conversation_id: "s1",
  generation_id: "g1",
  model: "m",
  cursor_version: "2.9.1",
  workspace_roots: ["/"],
};
const module = { session: "s1", cwd: "/" };
const moduleCall = { ...module, tool: "bash", call: "call-1", input: { command: "ls" } };
const goose = { session_id: "s1", working_dir: "/" };
const stop = { stop_hook_active: false, last_assistant_message: "Done." };

const claudeEvents: NativeEvents = {
  PreToolUse: { ...claude, ...call },
  PermissionRequest: { ...claude, ...call },
  PostToolUse: { ...claude, ...call, tool_response: result, duration_ms: 18 },
  PostToolUseFailure: { ...claude, ...call, error: "Exit code 3", duration_ms: 15 },
  UserPromptSubmit: { ...claude, prompt: "Please run the tests" },
  Stop: { ...claude, ...stop },
  SubagentStart: { ...claude, agent_id: "a1", agent_type: "explorer" },
  SubagentStop: { ...claude, ...stop, agent_id: "a1", agent_type: "explorer" },
  SessionStart: { ...claude, source: "startup" },
  SessionEnd: { ...claude, reason: "other" },
  PreCompact: { ...claude, trigger: "auto", custom_instructions: "" },
  PostCompact: { ...claude, trigger: "auto", compact_summary: "We fixed the tests." },
  StopFailure: { ...claude, error: "rate_limit" },
  Notification: { ...claude, message: "Waiting", notification_type: "idle" },
};
const shell = { tool_name: "run_shell_command", tool_input: { command: "ls" } };

/** A minimal payload of each event of each agent. */
export const NATIVE_SAMPLES: Readonly<Record<AgentName, NativeEvents>> = {
  claude: claudeEvents,
  codex: {
    PreToolUse: { ...codex, ...call },
    PermissionRequest: { ...codex, ...call },
    PostToolUse: { ...codex, ...call, tool_response: "a\n" },
    UserPromptSubmit: { ...codex, prompt: "Please run the tests" },
    Stop: { ...codex, ...stop },
    SubagentStart: { ...codex, agent_id: "a1", agent_type: "explorer" },
    SubagentStop: { ...codex, ...stop, agent_id: "a1", agent_type: "explorer" },
    SessionStart: { ...codex, source: "startup" },
    SessionEnd: { ...codex, reason: "other" },
    PreCompact: { ...codex, trigger: "auto" },
    PostCompact: { ...codex, trigger: "auto" },
  },
  gemini: {
    BeforeTool: { ...gemini, ...shell },
    AfterTool: { ...gemini, ...shell, tool_response: { llmContent: "a\n", returnDisplay: "a" } },
    BeforeAgent: { ...gemini, prompt: "Please run the tests" },
    AfterAgent: { ...gemini, prompt: "Hi", prompt_response: "Done.", stop_hook_active: false },
    BeforeModel: { ...gemini, llm_request: { model: "m", messages: [] } },
    AfterModel: { ...gemini, llm_request: { model: "m", messages: [] }, llm_response: { text: "Hi" } },
    SessionStart: { ...gemini, source: "startup" },
    SessionEnd: { ...gemini, reason: "exit" },
    PreCompress: { ...gemini, trigger: "auto" },
    Notification: { ...gemini, notification_type: "ToolPermission", message: "May it?" },
  },
  copilot: {
    preToolUse: { ...copilot, toolName: "bash", toolArgs: { command: "ls" } },
    permissionRequest: { ...copilot, toolName: "bash", toolArgs: '{"command":"ls"}' },
    postToolUse: {
      ...copilot,
      toolName: "bash",
      toolArgs: { command: "ls" },
      toolResult: { resultType: "success", textResultForLlm: "a\n" },
    },
    postToolUseFailure: { ...copilot, toolName: "bash", toolArgs: { command: "ls" }, error: "exit code 3" },
    userPromptSubmitted: { ...copilot, prompt: "Please run the tests" },
    agentStop: { ...copilot, stopReason: "end_turn", stop_hook_active: false },
    subagentStart: { ...copilot, agentName: "explorer" },
    subagentStop: { ...copilot, agentName: "explorer", agentId: "a1", stopReason: "end_turn" },
    sessionStart: { ...copilot, source: "startup" },
    sessionEnd: { ...copilot, reason: "complete" },
    preCompact: { ...copilot, trigger: "auto", customInstructions: "" },
    errorOccurred: { ...copilot, error: { message: "failed", name: "ModelError" }, recoverable: true },
    notification: { ...copilot, message: "Waiting", notification_type: "idle" },
    PreToolUse: { ...pascal, tool_name: "Bash", tool_input: { command: "ls" } },
    PostToolUse: {
      ...pascal,
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_result: { result_type: "success", text_result_for_llm: "a\n" },
    },
    UserPromptSubmit: { ...pascal, prompt: "Please run the tests" },
    Stop: { ...pascal, stop_reason: "end_turn", stop_hook_active: false },
    SubagentStop: { ...pascal, agent_type: "explorer", stop_hook_active: false },
    SessionStart: { ...pascal, source: "startup" },
    SessionEnd: { ...pascal, reason: "complete" },
    PreCompact: { ...pascal, trigger: "auto", custom_instructions: "" },
  },
  cursor: {
    preToolUse: { ...cursor, tool_name: "Shell", tool_input: { command: "ls" }, tool_use_id: "call-1", cwd: "/" },
    beforeShellExecution: { ...cursor, command: "ls", cwd: "/" },
    beforeMCPExecution: { ...cursor, tool_name: "search", tool_input: '{"q":"x"}', command: "server" },
    beforeReadFile: { ...cursor, file_path: "/a", content: "x" },
    postToolUse: {
      ...cursor,
      tool_name: "MCP:search",
      tool_input: { q: "x" },
      tool_output: '{"found":1}',
      duration: 8,
    },
    postToolUseFailure: { ...cursor, tool_name: "Shell", tool_input: { command: "ls" }, error_message: "exit 3" },
    beforeSubmitPrompt: { ...cursor, prompt: "Please run the tests" },
    afterAgentResponse: { ...cursor, text: "Done." },
    stop: { ...cursor, status: "completed", loop_count: 0 },
    subagentStart: { ...cursor, subagent_id: "a1", subagent_type: "explorer" },
    subagentStop: { ...cursor, subagent_type: "explorer", status: "completed" },
    sessionStart: { ...cursor, session_id: "s1" },
    sessionEnd: { ...cursor, session_id: "s1", reason: "completed" },
    preCompact: { ...cursor, trigger: "auto" },
  },
  qwen: withShellTool("run_shell_command", Object.keys(claudeEvents)),
  droid: withShellTool("Execute", [
    ...["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop"],
    ...["SessionStart", "SessionEnd", "PreCompact", "Notification"],
  ]),
  goose: {
    PreToolUse: { ...goose, tool_name: "developer__shell", tool_input: { command: "ls" } },
    PostToolUse: { ...goose, tool_name: "developer__shell", tool_input: { command: "ls" } },
    PostToolUseFailure: { ...goose, tool_name: "developer__shell", tool_input: { command: "ls" }, error: "exit 3" },
    UserPromptSubmit: { ...goose, message: "Please run the tests" },
    Stop: { ...goose, last_assistant_message: "Done." },
    SessionStart: goose,
    SessionEnd: goose,
  },
  opencode: {
    "chat.message": { ...module, event: "chat.message", prompt: "Please run the tests" },
    "tool.execute.before": { ...moduleCall, event: "tool.execute.before" },
    "tool.execute.after": { ...moduleCall, event: "tool.execute.after", output: "a\n" },
  },
  pi: {
    input: { ...module, event: "input", prompt: "Please run the tests" },
    tool_call: { ...moduleCall, event: "tool_call" },
    tool_result: { ...moduleCall, event: "tool_result", output: "a\n", is_error: false },
  },
};

/** Claude Code's payloads with another name of the shell. */
function withShellTool(tool_name: string, events: readonly string[]): NativeEvents {
  const sampleOf = (event: string): JsonRecord => {
    const sample = claudeEvents[event] ?? {};
    return sample.tool_name === undefined ? sample : { ...sample, tool_name };
  };
  return Object.fromEntries(events.map((event) => [event, sampleOf(event)]));
}

/** The field that contains the event's name; null: there is none. */
const EVENT_FIELDS: Readonly<Record<AgentName, "hook_event_name" | "event" | null>> = {
  ...{ claude: "hook_event_name", codex: "hook_event_name", gemini: "hook_event_name", qwen: "hook_event_name" },
  ...{ droid: "hook_event_name", cursor: "hook_event_name", copilot: null },
  ...{ goose: "event", opencode: "event", pi: "event" },
};

/** A sample payload of an agent's event in this project; null: the agent has no such event. */
export function nativeSample(agent: AgentName, event: string, project: string): JsonRecord | null {
  const sample = Object.hasOwn(NATIVE_SAMPLES[agent], event) ? NATIVE_SAMPLES[agent][event] : undefined;
  if (sample === undefined) return null;
  const eventField = EVENT_FIELDS[agent];
  const folders = { cwd: project, working_dir: project, workspace_roots: [project] };
  const own = Object.entries(folders).filter(([name]) => Object.hasOwn(sample, name));
  return { ...sample, ...Object.fromEntries(own), ...(eventField === null ? {} : { [eventField]: event }) };
}
