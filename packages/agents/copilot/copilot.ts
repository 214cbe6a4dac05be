import { blockDecision, contextFor, haltDecision, permissionDecision } from "../../../src/dialects/claude-answers.ts";
import { hasToolArgs, toolArgs, toolResult } from "../../../src/dialects/copilot-fields.ts";
import {
  callInput,
  changedResultText,
  type FieldPaths,
  failedOutput,
  firstOf,
  textAt,
} from "../../../src/dialects/field-paths.ts";
import { COPILOT_TOOLS, COPILOT_TOOLS_AS_CLAUDE } from "../../../src/dialects/tools/copilot-tools.ts";
import { broken, type Checkup, doubtful, fine } from "../../../src/protocol/doctor-check.ts";
import { arrayOr } from "../../../src/protocol/json/read.ts";
import { type JsonRecord, rawJson } from "../../../src/protocol/json/write.ts";
import { isWithin } from "../../../src/protocol/text/text.ts";
import type { Agent, AnswerFormats, NativeEvent } from "../agent.ts";
import { type AgentInstall, type AgentTrustInput, installFacts, timeoutSeconds } from "../agent-install.ts";
import { claudeEvents, preToolAnswers as claudePre } from "../claude/claude.ts";
import { stopFields } from "../claude/payload-parts.ts";
import { KNOWN_AGENTS } from "../known-agents.ts";
import { vscodeTools } from "../vscode-tools.ts";
import facts from "./install.json" with { type: "json" };

const decision = (permissionDecision: string, reason?: string): JsonRecord => ({
  permissionDecision,
  permissionDecisionReason: reason,
});
const context = (text: string): JsonRecord => ({ additionalContext: text });

/** VS Code also runs the hooks in Copilot's settings, and sends Claude Code's fields. */
const toolFields: FieldPaths = {
  tool_name: firstOf("toolName", "tool_name"),
  tool_input: (native) => (hasToolArgs(native) ? toolArgs : callInput("tool_input"))(native),
};

/** In the formats of Copilot and of Claude Code: VS Code, which cannot be recognized, obeys only the second. */
const preTool: AnswerFormats = {
  deny: (reason) => ({ ...decision("deny", reason), ...permissionDecision("PreToolUse", "deny", reason) }),
  ask: (reason) => ({ ...decision("ask", reason), ...permissionDecision("PreToolUse", "ask", reason) }),
  allow: () => decision("allow"),
  change: ({ value }) => ({ modifiedArgs: rawJson(value.raw) }),
  context,
};

const camelCase: Readonly<Record<string, NativeEvent>> = {
  preToolUse: { raises: [{ event: "before_tool_call", fields: toolFields }], answers: preTool },
  permissionRequest: {
    raises: [{ event: "permission_request", fields: toolFields }],
    answers: {
      deny: (reason) => ({ behavior: "deny", message: reason }),
      ask: () => ({}),
      allow: () => ({ behavior: "allow" }),
    },
  },
  postToolUse: {
    raises: [
      {
        event: "after_tool_call",
        fields: { ...toolFields, tool_output: toolResult },
      },
    ],
    answers: {
      halt: blockDecision,
      change: (change) => ({
        modifiedResult: { resultType: "success", textResultForLlm: changedResultText(change) },
      }),
      context,
    },
  },
  postToolUseFailure: {
    raises: [
      { event: "after_tool_call", fields: { ...toolFields, tool_output: failedOutput("toolName", "error") } },
      { event: "on_error", fields: { ...toolFields, error: "error" } },
    ],
    answers: { context },
  },
  userPromptSubmitted: {
    raises: [{ event: "user_message_send", fields: { message: "prompt" } }],
    answers: { deny: blockDecision, context },
  },
  agentStop: {
    raises: [{ event: "agent_stop", fields: { messages: () => [], stop_hook_active: "stop_hook_active" } }],
    answers: { followUp: blockDecision },
  },
  subagentStart: {
    raises: [{ event: "subagent_start", fields: { name: "agentName" } }],
    answers: { context },
  },
  subagentStop: {
    raises: [{ event: "subagent_stop", fields: { name: "agentName", id: "agentId", status: "stopReason" } }],
    answers: {},
  },
  sessionStart: {
    raises: [{ event: "session_start", fields: { source: "source" } }],
    answers: { context },
  },
  sessionEnd: { raises: [{ event: "session_end", fields: { reason: "reason" } }], answers: {}, limitMs: 10_000 },
  preCompact: {
    raises: [{ event: "before_compaction", fields: { trigger: "trigger", hint: "customInstructions" } }],
    answers: {},
  },
  errorOccurred: { raises: [{ event: "on_error", fields: { error: "error" } }], answers: {} },
  notification: {
    raises: [{ event: "notification", fields: { message: "message", kind: "notification_type" } }],
    answers: { context },
  },
};

/** Under Claude Code's event names it sends Claude Code's payloads, and accepts its answers except changed outputs. */
const unregistered = (event: NativeEvent): NativeEvent => ({ ...event, isOnRequest: true });
/** It is not documented whether allowing an `ask` runs the changed call. */
const { canAskWithChange: _asksChanged, ...claudePreTool } = claudePre;
const pascalCase: Readonly<Record<string, NativeEvent>> = {
  PreToolUse: unregistered({ ...claudeEvents.PreToolUse, answers: claudePreTool }),
  UserPromptSubmit: unregistered(claudeEvents.UserPromptSubmit),
  SessionStart: unregistered(claudeEvents.SessionStart),
  SessionEnd: unregistered(claudeEvents.SessionEnd),
  PreCompact: unregistered(claudeEvents.PreCompact),
  SubagentStop: unregistered(claudeEvents.SubagentStop),
  PostToolUse: unregistered({
    ...claudeEvents.PostToolUse,
    answers: { halt: haltDecision, context: contextFor("PostToolUse") },
  }),
  Stop: {
    raises: [{ event: "agent_stop", fields: stopFields }],
    answers: { followUp: blockDecision },
    isOnRequest: true,
  },
};

/** GitHub Copilot CLI. */
export const copilot: Agent = {
  ...KNOWN_AGENTS.copilot,
  name: "copilot",
  baseFields: {
    conv_id: (native) => textAt(native, "sessionId") || textAt(native, "session_id"),
    cwd: "cwd",
  },
  subagent: { type: firstOf("agentType", "agent_type"), id: firstOf("agentId", "agent_id") },
  // At Claude Code's events it uses Claude Code's names of tools. VS Code has other names.
  tools: { ...COPILOT_TOOLS, table: { ...COPILOT_TOOLS.table, ...COPILOT_TOOLS_AS_CLAUDE }, borrowed: vscodeTools },
  asks: { modes: { "--allow-all-tools": "held" } },
  sampleShellCall: {
    event: "preToolUse",
    payload: (command) => ({ sessionId: "hookctl-doctor", timestamp: 0, toolName: "bash", toolArgs: { command } }),
  },
  events: { ...camelCase, ...pascalCase },
};

/**
 * hookctl's own file is among the switches: there `disableAllHooks` disables only the hooks of that file. In the user's own settings it
 * stops nothing, as seen with 1.0.102.
 */
export const copilotInstall: AgentInstall = {
  ...installFacts(facts),
  format: {
    kind: "settings",
    root: { version: 1 },
    entry: (registration) => ({
      type: "command",
      command: registration.command,
      timeoutSec: timeoutSeconds(registration),
    }),
  },
  trust: { files: [".copilot/config.json"], check: copilotTrust },
};

const PROMPT_MODE_HOOKS = "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS";

function copilotTrust({ scope, projectDir, env, contents: [config = {}] }: AgentTrustInput): Checkup {
  if (scope === "user") return fine("copilot trust", "user hooks need no trust");
  if (env[PROMPT_MODE_HOOKS] === "true") {
    return doubtful(
      "copilot trust",
      `${PROMPT_MODE_HOOKS} makes project hooks run with -p, and in no other mode`,
      null,
    );
  }
  const { trustedFolders, trusted_folders } = config;
  const folders = [...arrayOr(trustedFolders), ...arrayOr(trusted_folders)];
  const isTrusted = folders.some((folder) => typeof folder === "string" && isWithin(projectDir, folder));
  if (isTrusted) return fine("copilot trust", "the folder is trusted");
  const detail = "the folder is not trusted, and its hooks are skipped silently";
  return broken("copilot trust", detail, "Start copilot here and trust the folder.");
}
