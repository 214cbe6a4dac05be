import {
  blockDecision,
  contextFor,
  haltDecision,
  permissionBehavior,
  permissionDecision,
  systemMessage,
  updatedInput,
  updatedToolOutput,
} from "../../../src/dialects/claude-answers.ts";
import { failedOutput } from "../../../src/dialects/field-paths.ts";
import { CLAUDE_TOOLS } from "../../../src/dialects/tools/claude-tools.ts";
import { objectOr } from "../../../src/protocol/json/read.ts";
import type { JsonRecord } from "../../../src/protocol/json/write.ts";
import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import type { Agent, AnswerFormats, NativeEvent } from "../agent.ts";
import {
  type AgentInstall,
  commandGroup,
  hookGroup,
  installFacts,
  type Registration,
  type SwitchFile,
  timeoutSeconds,
} from "../agent-install.ts";
import grokTools from "../grok/tools.json" with { type: "json" };
import { KNOWN_AGENTS } from "../known-agents.ts";
import { vscodeTools } from "../vscode-tools.ts";
import facts from "./install.json" with { type: "json" };
import {
  claudeBaseFields,
  claudeShellCall,
  claudeSubagent,
  claudeToolFields,
  claudeToolOutput,
  followUpAnswers,
  notifyOnly,
  stopFields,
} from "./payload-parts.ts";

/** A changed input is sent without `allow`, which would override the user's own permission rules. */
export const preToolAnswers: AnswerFormats = {
  deny: (reason) => permissionDecision("PreToolUse", "deny", reason),
  ask: (reason) => permissionDecision("PreToolUse", "ask", reason),
  allow: () => permissionDecision("PreToolUse", "allow"),
  canAskWithChange: true,
  change: (change) => updatedInput("PreToolUse", change),
  context: contextFor("PreToolUse"),
  notify: systemMessage,
};

/** Without an answer Claude Code asks the person, so that `ask` is an empty answer. */
const permissionAnswers: AnswerFormats = {
  deny: (reason) => permissionBehavior("deny", { message: reason }),
  ask: () => ({}),
  allow: () => permissionBehavior("allow"),
  notify: systemMessage,
};

export const claudeEvents = {
  PreToolUse: {
    raises: [{ event: "before_tool_call", fields: claudeToolFields }],
    answers: preToolAnswers,
  },
  PermissionRequest: {
    raises: [{ event: "permission_request", fields: claudeToolFields }],
    answers: permissionAnswers,
  },
  PostToolUse: {
    raises: [
      {
        event: "after_tool_call",
        fields: {
          ...claudeToolFields,
          tool_output: claudeToolOutput,
          elapsed_ms: "duration_ms",
        },
      },
    ],
    answers: {
      halt: haltDecision,
      change: updatedToolOutput,
      context: contextFor("PostToolUse"),
      notify: systemMessage,
    },
  },
  PostToolUseFailure: {
    raises: [
      {
        event: "after_tool_call",
        fields: { ...claudeToolFields, tool_output: failedOutput("tool_name", "error"), elapsed_ms: "duration_ms" },
      },
      { event: "on_error", fields: { ...claudeToolFields, error: "error" } },
    ],
    answers: { context: contextFor("PostToolUseFailure"), notify: systemMessage },
  },
  UserPromptSubmit: {
    raises: [{ event: "user_message_send", fields: { message: "prompt" } }],
    answers: { deny: blockDecision, context: contextFor("UserPromptSubmit"), notify: systemMessage },
  },
  Stop: {
    raises: [
      { event: "agent_stop", fields: stopFields },
      { event: "turn_end", fields: { response: "last_assistant_message" } },
    ],
    answers: followUpAnswers,
  },
  SubagentStart: {
    raises: [{ event: "subagent_start", fields: { name: "agent_type", id: "agent_id" } }],
    answers: { context: contextFor("SubagentStart"), notify: systemMessage },
  },
  SubagentStop: {
    raises: [{ event: "subagent_stop", fields: { ...stopFields, name: "agent_type", id: "agent_id" } }],
    answers: notifyOnly,
  },
  SessionStart: {
    raises: [{ event: "session_start", fields: { source: "source" } }],
    answers: { context: contextFor("SessionStart"), notify: systemMessage },
  },
  SessionEnd: {
    raises: [{ event: "session_end", fields: { reason: "reason" } }],
    answers: {},
    limitMs: 10_000,
  },
  PreCompact: {
    raises: [{ event: "before_compaction", fields: { trigger: "trigger", hint: "custom_instructions" } }],
    answers: { deny: blockDecision, notify: systemMessage },
  },
  PostCompact: {
    raises: [{ event: "after_compaction", fields: { summary: "compact_summary", trigger: "trigger" } }],
    answers: notifyOnly,
  },
  StopFailure: {
    raises: [{ event: "on_error", fields: { error: "error" } }],
    answers: {},
  },
  Notification: {
    raises: [{ event: "notification", fields: { message: "message", kind: "notification_type" } }],
    answers: {},
  },
} as const satisfies Readonly<Record<string, NativeEvent>>;

/** Claude Code. */
export const claude: Agent = {
  ...KNOWN_AGENTS.claude,
  name: "claude",
  baseFields: claudeBaseFields,
  // Other programs run this registration with tools of their own, and most of them cannot be recognized. No tool of Grok Build or VS Code
  // has the name of one of Claude Code's tools.
  tools: {
    mcp: /^mcp__(?:(?<server>.+?)__)?(?<tool>.+)$|__/s,
    table: CLAUDE_TOOLS.table,
    borrowed: () => ({ ...vscodeTools(), ...toolTable(grokTools) }),
  },
  subagent: claudeSubagent,
  asks: {
    // In bypassPermissions a question is dropped for a command about which its own rules ask, such as a write under .claude.
    modes: { default: "held", acceptEdits: "held", plan: "held", dontAsk: "held", bypassPermissions: "dropped" },
    isHeadless: ({ CLAUDE_CODE_ENTRYPOINT: entry }) => entry === "sdk-cli",
  },
  sampleShellCall: claudeShellCall("Bash"),
  events: { ...claudeEvents, ConfigChange: { raises: [], answers: {}, isSettingsChange: true } },
};

/** The token comes from the agent's environment, so that no settings file holds it. */
const TOKEN_VARIABLE = "HOOKCTL_SERVE_TOKEN";

function claudeGroup(registration: Registration): JsonRecord {
  const { command } = registration;
  if (!command.startsWith("http://")) return commandGroup(registration);
  const headers = { Authorization: `Bearer $${TOKEN_VARIABLE}` };
  const timeout = timeoutSeconds(registration);
  return hookGroup({ type: "http", url: command, timeout, headers, allowedEnvVars: [TOKEN_VARIABLE] });
}

/** The copy of the settings that Claude Code got from its server. If it holds any, the machine's files are not read. */
const SERVER_SETTINGS: SwitchFile = ["user", ".claude/remote-settings.json"];

/**
 * `CLAUDE_CODE_SIMPLE` and `CLAUDE_CODE_SAFE_MODE` are the variables of its options --bare and --safe-mode; in a project's settings
 * they have no effect. A registered line and hookctl notice the other variables of `install.json` only when it is too late.
 */
export const claudeInstall: AgentInstall = {
  ...installFacts(facts, [
    {
      key: [],
      effect: "come from Claude Code's server, so that it does not read the machine's file",
      disablesHooks: (settings) =>
        Object.keys(objectOr(settings)).length > 0 && !JSON.stringify(settings).includes("bridge claude --event "),
      files: [],
      machineFiles: [SERVER_SETTINGS],
    },
  ]),
  format: { kind: "settings", root: {}, entry: claudeGroup },
};
