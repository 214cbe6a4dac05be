import { type JsonSpan, spanOfRaw } from "../protocol/json/read.ts";
import { type JsonRecord, jsonText } from "../protocol/json/write.ts";
import type { AgentName } from "./agent.ts";
import { CAPTURED_PROJECT, capturedEvents } from "./captured-payloads.ts";

type NativeEvents = Readonly<Record<string, JsonRecord>>;

const claude = { session_id: "s1", transcript_path: "/t.jsonl", cwd: "/", permission_mode: "default" };
const codex = { session_id: "s1", turn_id: "t1", transcript_path: null, cwd: "/", model: "m" };
const gemini = { session_id: "s1", transcript_path: "/t.jsonl", cwd: "/", timestamp: "2026-11-20T10:00:00Z" };
const copilot = { sessionId: "s1", timestamp: 1795169472345, cwd: "/" };
const cursor = {
  conversation_id: "s1",
  generation_id: "g1",
  model: "m",
  cursor_version: "2.9.1",
  workspace_roots: ["/"],
};
const goose = { session_id: "s1", working_dir: "/" };
const preCompact = { ...claude, trigger: "auto", custom_instructions: "" };
const postCompact = { ...claude, trigger: "auto", compact_summary: "We fixed the tests." };
const notification = { ...claude, message: "Waiting", notification_type: "idle" };

/** Minimal payloads of events that were not captured. They follow the documentation. */
export const DOCUMENTED: Readonly<Record<AgentName, NativeEvents>> = {
  claude: {
    PreCompact: preCompact,
    PostCompact: postCompact,
    StopFailure: { ...claude, error: "rate_limit" },
    Notification: notification,
  },
  codex: {
    SessionEnd: { ...codex, reason: "other" },
    PreCompact: { ...codex, trigger: "auto" },
    PostCompact: { ...codex, trigger: "auto" },
  },
  gemini: {
    BeforeModel: { ...gemini, llm_request: { model: "m", messages: [] } },
    AfterModel: { ...gemini, llm_request: { model: "m", messages: [] }, llm_response: { text: "Hi" } },
    Notification: { ...gemini, notification_type: "ToolPermission", message: "May it?" },
  },
  copilot: {
    preCompact: { ...copilot, trigger: "auto", customInstructions: "" },
    errorOccurred: { ...copilot, error: { message: "failed", name: "ModelError" }, recoverable: true },
    PreCompact: {
      ...{ session_id: "s1", timestamp: "2026-11-20T10:00:00Z", cwd: "/" },
      ...{ trigger: "auto", custom_instructions: "" },
    },
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
  qwen: {
    PermissionRequest: { ...claude, tool_name: "run_shell_command", tool_input: { command: "ls" } },
    SessionEnd: { ...claude, reason: "other" },
    PreCompact: preCompact,
    PostCompact: postCompact,
    StopFailure: { ...claude, error: "rate_limit" },
  },
  droid: {
    UserPromptSubmit: { ...claude, prompt: "Please run the tests" },
    SubagentStop: { ...claude, stop_hook_active: false, agent_id: "a1", agent_type: "explorer" },
    PreCompact: preCompact,
    Notification: notification,
  },
  goose: {
    PreToolUse: { ...goose, tool_name: "developer__shell", tool_input: { command: "ls" } },
    PostToolUse: { ...goose, tool_name: "developer__shell", tool_input: { command: "ls" } },
    PostToolUseFailure: { ...goose, tool_name: "developer__shell", tool_input: { command: "ls" }, error: "exit 3" },
    UserPromptSubmit: { ...goose, message: "Please run the tests" },
    Stop: { ...goose, last_assistant_message: "Done." },
    SessionStart: goose,
    SessionEnd: goose,
  },
  opencode: {},
  pi: {},
};

/** The field of a documented payload that contains the event's name; null: there is none. */
const eventField = (agent: AgentName): string | null =>
  agent === "copilot" ? null : agent === "goose" ? "event" : "hook_event_name";

/** A payload of an agent's event. */
export interface NativeSample {
  readonly payload: JsonSpan;
  /** False: it follows the documentation. */
  readonly isCaptured: boolean;
}

/** The payloads of an agent's event, the shell's first. Empty: the agent has no such event. */
export type NativeSamples = (event: string) => readonly NativeSample[];

/** The sample payloads of an agent, in this project. */
export async function nativeSamples(agent: AgentName, project: string): Promise<NativeSamples> {
  const captured = await capturedEvents(agent);
  return (event) => {
    const named = Object.hasOwn(captured, event) ? Object.entries(captured[event] ?? {}) : [];
    const byRank = named.toSorted(([a], [b]) => rankOf(a) - rankOf(b));
    return [
      ...byRank.map(([, payload]) => ({ payload: inProject(jsonText(payload), project), isCaptured: true })),
      ...documentedSample(agent, event, project),
    ];
  };
}

/** The shell and events without a tool are first, then plain calls of other tools, then special calls. */
const rankOf = (name: string): number =>
  /^(?:bash|execute|run_shell_command|plain|pascal)(?:-pascal)?$/i.test(name) ? 0 : /-(?!pascal$)/.test(name) ? 2 : 1;

/** The working folder becomes the project itself, because sub-folders need not exist there. */
const inProject = (text: string, project: string): JsonSpan =>
  spanOfRaw(
    text
      .replace(/"cwd":"[^"]*"/, () => `"cwd":"${CAPTURED_PROJECT}"`)
      .replaceAll(CAPTURED_PROJECT, () => JSON.stringify(project).slice(1, -1)),
  );

function documentedSample(agent: AgentName, event: string, project: string): readonly NativeSample[] {
  const sample = Object.hasOwn(DOCUMENTED[agent], event) ? DOCUMENTED[agent][event] : undefined;
  if (sample === undefined) return [];
  const folders = { cwd: project, working_dir: project, workspace_roots: [project] };
  const own = Object.entries(folders).filter(([name]) => Object.hasOwn(sample, name));
  const field = eventField(agent);
  const payload = { ...sample, ...Object.fromEntries(own), ...(field === null ? {} : { [field]: event }) };
  return [{ payload: spanOfRaw(jsonText(payload)), isCaptured: false }];
}
