import { contextFor, stopDecision, systemMessage } from "../dialects/claude-answers.ts";
import { callInput, changedResultText, type FieldPaths, spanAt, toolOutput } from "../dialects/field-paths.ts";
import { broken, type Checkup, fine } from "../protocol/doctor-check.ts";
import { arrayOr, type JsonObject, objectOr } from "../protocol/json/read.ts";
import { type JsonRecord, rawJson } from "../protocol/json/write.ts";
import { isWithin } from "../protocol/text/text.ts";
import { type Agent, hookGroup, isJsonFalse } from "./agent.ts";
import type { AgentInstall, AgentTrustInput, FoundRegistration } from "./agent-install.ts";
import { lastMessage, notifyOnly } from "./claude-payload-parts.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";

const denied = (reason: string): JsonRecord => ({ decision: "deny", reason });
const toolFields: FieldPaths = { tool_name: "tool_name", tool_input: callInput("tool_input") };

const hasFailed = (native: JsonObject): boolean => (spanAt(native, "tool_response.error")?.kind ?? "null") !== "null";
const output = toolOutput("tool_name", "tool_response.llmContent", (native) => !hasFailed(native));

/** Gemini CLI. Its timeouts are in milliseconds, and its calls have no id. */
export const gemini: Agent = {
  name: "gemini",
  title: KNOWN_AGENTS.gemini.title,
  testedWith: "0.61.0",
  projectVariable: "GEMINI_PROJECT_DIR",
  settings: KNOWN_AGENTS.gemini.settings,
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
  withoutProgram: "blocks",
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

export const geminiInstall: AgentInstall = {
  format: {
    kind: "settings",
    root: {},
    machineRoot: { hooksConfig: { enabled: true } },
    entry: ({ event, command, timeoutMs }) =>
      hookGroup({ name: `hookctl-${event}`, type: "command", command, timeout: timeoutMs }),
  },
  stillToDo: "Gemini CLI runs hooks only in a folder that you have trusted.",
  machineNote:
    "A user can still name another file in GEMINI_CLI_SYSTEM_SETTINGS_PATH, or single hooks in hooksConfig.disabled.",
  switches: [
    {
      key: ["hooksConfig", "enabled"],
      disablesHooks: isJsonFalse,
      files: [
        ["machine", "/etc/gemini-cli/settings.json"],
        ["project", ".gemini/settings.json"],
        ["user", ".gemini/settings.json"],
      ],
    },
    {
      key: ["hooksConfig", "disabled"],
      disablesHooks: disablesOurs,
      files: [
        ["machine", "/etc/gemini-cli/settings.json"],
        ["project", ".gemini/settings.json"],
        ["user", ".gemini/settings.json"],
      ],
    },
  ],
  trust: { files: [".gemini/trustedFolders.json", ".gemini/settings.json"], check: geminiTrust },
};

/** The setting can disable single hooks by name or command. */
function disablesOurs(value: unknown, registrations: readonly FoundRegistration[]): boolean {
  return registrations.some(({ event, command }) =>
    arrayOr(value).some((one) => one === `hookctl-${event}` || one === command),
  );
}

function geminiTrust({ projectDir, contents: [folders = {}, settings = {}] }: AgentTrustInput): Checkup {
  if (objectOr(objectOr(settings.security).folderTrust).enabled === false) {
    return fine("gemini trust", "folder trust is off, so hooks run in every folder");
  }
  const words = Object.entries(folders);
  if (words.some(([path, word]) => path === projectDir && word === "DO_NOT_TRUST")) {
    return broken("gemini trust", "this folder is not trusted", "Change it in gemini: /permissions");
  }
  const isTrusted = words.some(
    ([path, word]) =>
      (word === "TRUST_FOLDER" && isWithin(projectDir, path)) ||
      (word === "TRUST_PARENT" && isWithin(projectDir, path.slice(0, path.lastIndexOf("/")))),
  );
  if (isTrusted) return fine("gemini trust", "the folder is trusted");
  const detail = "the folder is not trusted, so no hooks run here";
  return broken("gemini trust", detail, "Start gemini here and trust the folder.");
}
