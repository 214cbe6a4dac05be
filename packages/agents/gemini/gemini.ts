import { contextFor, stopDecision, systemMessage } from "../../../src/dialects/claude-answers.ts";
import {
  callInput,
  changedResultText,
  type FieldPaths,
  spanAt,
  textAt,
  toolOutput,
} from "../../../src/dialects/field-paths.ts";
import { broken, type Checkup, fine } from "../../../src/protocol/doctor-check.ts";
import { arrayOr, type JsonObject, objectOr } from "../../../src/protocol/json/read.ts";
import { type JsonRecord, rawJson } from "../../../src/protocol/json/write.ts";
import { isWithin } from "../../../src/protocol/text/text.ts";
import { type AgentTools, toolTable } from "../../../src/protocol/tools/tool-table.ts";
import type { Agent } from "../agent.ts";
import {
  type AgentInstall,
  type AgentTrustInput,
  type FoundRegistration,
  hookGroup,
  installFacts,
} from "../agent-install.ts";
import { lastMessage, notifyOnly } from "../claude/payload-parts.ts";
import { KNOWN_AGENTS } from "../known-agents.ts";
import facts from "./install.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

const denied = (reason: string): JsonRecord => ({ decision: "deny", reason });
const toolFields: FieldPaths = { tool_name: "tool_name", tool_input: callInput("tool_input") };

const hasFailed = (native: JsonObject): boolean => (spanAt(native, "tool_response.error")?.kind ?? "null") !== "null";
const output = toolOutput("tool_name", "tool_response.llmContent", (native) => !hasFailed(native));

const GEMINI_TOOLS: AgentTools = {
  mcp: /^mcp_(?<tool>.+)$|__/,
  table: toolTable(tools),
};

/** Gemini CLI. In `read_file`, older versions count lines from 0 in `offset`, newer ones from 1 in `start_line`. Its timeouts are in milliseconds, and its calls have no id. */
export const gemini: Agent = {
  ...KNOWN_AGENTS.gemini,
  name: "gemini",
  baseFields: { conv_id: "session_id", cwd: "cwd" },
  tools: GEMINI_TOOLS,
  mcpOf: (native) => {
    const [server, tool] = [textAt(native, "mcp_context.server_name"), textAt(native, "mcp_context.tool_name")];
    return server === "" || tool === "" ? null : { server, tool };
  },
  // Without a person, a question ends the run.
  asks: { modes: { yolo: "held" } },
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
    },
    BeforeAgent: {
      raises: [
        { event: "user_message_send", fields: { message: "prompt" } },
        { event: "turn_start", fields: { input: (native) => ({ message: unpackedText(native) }) } },
      ],
      answers: { deny: denied, context: contextFor("BeforeAgent"), notify: systemMessage },
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
    },
    BeforeModel: {
      raises: [{ event: "before_llm_call", fields: { messages: "llm_request.messages" } }],
      answers: { deny: denied, notify: systemMessage },
      isOnRequest: true,
    },
    AfterModel: {
      raises: [{ event: "after_llm_call", fields: { response: "llm_response" } }],
      answers: { halt: stopDecision, notify: systemMessage },
      isOnRequest: true,
    },
    SessionStart: {
      raises: [{ event: "session_start", fields: { source: "source" } }],
      answers: { context: contextFor("SessionStart"), notify: systemMessage },
    },
    SessionEnd: { raises: [{ event: "session_end", fields: { reason: "reason" } }], answers: {}, limitMs: 10_000 },
    PreCompress: {
      raises: [{ event: "before_compaction", fields: { trigger: "trigger" } }],
      answers: notifyOnly,
    },
    Notification: {
      raises: [{ event: "notification", fields: { message: "message", kind: "notification_type" } }],
      answers: notifyOnly,
    },
  },
};

const unpackedText = (native: JsonObject) => {
  const span = spanAt(native, "prompt");
  return span === undefined ? "" : rawJson(span.raw);
};

export const geminiInstall: AgentInstall = {
  ...installFacts(facts, [
    {
      key: ["hooksConfig", "disabled"],
      disablesHooks: disablesOurs,
      files: [
        ["machine", "/etc/gemini-cli/settings.json"],
        ["project", ".gemini/settings.json"],
        ["user", ".gemini/settings.json"],
      ],
    },
  ]),
  format: {
    kind: "settings",
    root: {},
    machineRoot: { hooksConfig: { enabled: true } },
    entry: ({ event, command, timeoutMs }) =>
      hookGroup({ name: `hookctl-${event}`, type: "command", command, timeout: timeoutMs }),
  },
  trust: { files: [".gemini/trustedFolders.json", ".gemini/settings.json"], check: geminiTrust },
};

/** The setting can disable single hooks by name or command. */
function disablesOurs(value: unknown, registrations: readonly FoundRegistration[]): boolean {
  return registrations.some(({ event, command }) =>
    arrayOr(value).some((one) => one === `hookctl-${event}` || one === command),
  );
}

/** In the agent's own order: variables, the setting, then the longest path in the file of trusted folders. */
function geminiTrust({ env, projectDir, contents: [folders = {}, settings = {}] }: AgentTrustInput): Checkup {
  const { GEMINI_CLI_TRUST_WORKSPACE: wish, GEMINI_RESTRICTED_MODE: restricted } = env;
  if (restricted === "true" || wish === "false") {
    const name = restricted === "true" ? "GEMINI_RESTRICTED_MODE" : "GEMINI_CLI_TRUST_WORKSPACE";
    return broken("gemini trust", `${name} makes every folder untrusted, so no hooks run`, `Unset it: unset ${name}`);
  }
  if (wish === "true") return fine("gemini trust", "GEMINI_CLI_TRUST_WORKSPACE makes every folder trusted");
  if (objectOr(objectOr(settings.security).folderTrust).enabled === false) {
    return fine("gemini trust", "folder trust is off, so hooks run in every folder");
  }
  const [, word = null] = Object.entries(folders)
    .filter(([path, trust]) =>
      isWithin(projectDir, trust === "TRUST_PARENT" ? path.slice(0, path.lastIndexOf("/")) : path),
    )
    .reduce<readonly [string, unknown]>((found, one) => (one[0].length > found[0].length ? one : found), ["", null]);
  if (word === "DO_NOT_TRUST") {
    return broken("gemini trust", "this folder is not trusted", "Change it in gemini: /permissions");
  }
  if (word === "TRUST_FOLDER" || word === "TRUST_PARENT") return fine("gemini trust", "the folder is trusted");
  const detail = "the folder is not trusted, so no hooks run here";
  return broken("gemini trust", detail, "Start gemini here and trust the folder.");
}
