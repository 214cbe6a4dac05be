import {
  blockDecision,
  contextFor,
  permissionDecision,
  stopDecision,
  systemMessage,
} from "../../../src/dialects/claude-answers.ts";
import { changedResultText, type TargetChange, textAt, toolOutput } from "../../../src/dialects/field-paths.ts";
import { CLAUDE_TOOLS } from "../../../src/dialects/tools/claude-tools.ts";
import { broken, type Checkup, doubtful } from "../../../src/protocol/doctor-check.ts";
import { arrayOr, membersOf, objectOr, stringOr } from "../../../src/protocol/json/read.ts";
import { rawJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { toolTable } from "../../../src/protocol/tools/tool-table.ts";
import type { Agent } from "../agent.ts";
import {
  type AgentInstall,
  type AgentTrustInput,
  commandGroups,
  installFacts,
  type TrustedEntry,
  type TrustQuery,
} from "../agent-install.ts";
import { claudeEvents } from "../claude/claude.ts";
import {
  claudeBaseFields,
  claudeShellCall,
  claudeSubagent,
  claudeToolFields,
  notifyOnly,
} from "../claude/payload-parts.ts";
import { KNOWN_AGENTS } from "../known-agents.ts";
import facts from "./install.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

const { PermissionRequest, UserPromptSubmit, Stop, SubagentStop, SessionStart } = claudeEvents;

/** Codex ignores a changed input without `allow`, and runs the original call. */
const allowedInput = ({ value, native }: TargetChange) =>
  isTakenBy(textAt(native, "tool_name"), value)
    ? {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "allow",
          updatedInput: rawJson(value.raw),
        },
      }
    : null;

/** The input of a shell call or a patch must have a text under `command`. */
function isTakenBy(tool: string, value: TargetChange["value"]): boolean {
  if (tool !== "Bash" && tool !== "apply_patch") return value.kind === "object";
  return value.kind === "object" && membersOf(value).get("command")?.kind === "string";
}

/**
 * OpenAI Codex CLI. An unknown key in an answer fails the hook, and the tool runs. Its tool `shell` takes a list of arguments, and
 * a timeout in milliseconds.
 */
export const codex: Agent = {
  ...KNOWN_AGENTS.codex,
  name: "codex",
  baseFields: claudeBaseFields,
  subagent: claudeSubagent,
  tools: {
    mcp: CLAUDE_TOOLS.mcp,
    table: toolTable(tools),
  },
  sampleShellCall: claudeShellCall("Bash"),
  events: {
    PreToolUse: {
      raises: [{ event: "before_tool_call", fields: claudeToolFields }],
      answers: {
        deny: (reason) => permissionDecision("PreToolUse", "deny", reason),
        change: allowedInput,
        context: contextFor("PreToolUse"),
        notify: systemMessage,
      },
    },
    PermissionRequest,
    PostToolUse: {
      raises: [
        {
          event: "after_tool_call",
          fields: { ...claudeToolFields, tool_output: toolOutput("tool_name", "tool_response") },
        },
      ],
      answers: {
        halt: (reason) => ({ ...blockDecision(reason), ...stopDecision(reason) }),
        change: (change) => blockDecision(changedResultText(change)),
        context: contextFor("PostToolUse"),
        notify: systemMessage,
      },
    },
    UserPromptSubmit,
    Stop,
    SubagentStart: {
      raises: [{ event: "subagent_start", fields: { name: "agent_type", id: "agent_id" } }],
      answers: { context: contextFor("SubagentStart") },
    },
    SubagentStop,
    SessionStart,
    SessionEnd: {
      raises: [{ event: "session_end", fields: { reason: "reason" } }],
      answers: {},
      limitMs: 3000,
    },
    PreCompact: {
      raises: [{ event: "before_compaction", fields: { trigger: "trigger" } }],
      answers: { deny: stopDecision, notify: systemMessage },
    },
    PostCompact: {
      raises: [{ event: "after_compaction", fields: { trigger: "trigger" } }],
      answers: notifyOnly,
    },
  },
};

/** `hooks/list` of its server, which answers in about a second, without a network and without a login. */
const codexQuery: TrustQuery = {
  program: "codex",
  args: ["app-server"],
  requests: (projectDir) => [
    { id: 1, method: "initialize", params: { clientInfo: { name: "hookctl", title: "hookctl", version: "0" } } },
    { method: "initialized" },
    { id: 2, method: "hooks/list", params: { cwds: [projectDir] } },
  ],
  read: ({ id, result }) =>
    id === 2 ? arrayOr(objectOr(result).data).flatMap((one) => arrayOr(objectOr(one).hooks).map(codexEntry)) : null,
};

function codexEntry(entry: unknown): TrustedEntry {
  const { command, sourcePath, trustStatus, enabled } = objectOr(entry);
  const status = enabled === false ? "disabled" : stringOr(trustStatus);
  const isTrusted = status === "trusted" || status === "managed";
  return { command: stringOr(command), file: stringOr(sourcePath), status, isTrusted };
}

export const codexInstall: AgentInstall = {
  ...installFacts(facts),
  format: { ...commandGroups, machineRoot: { features: { hooks: true } } },
  trust: { files: [".codex/config.toml"], check: codexTrust, query: codexQuery },
};

/**
 * Codex records trust by file, event and position, with a hash of the entry. Without a record the entry is skipped; with
 * one, only Codex knows whether the entry is unchanged since.
 */
function codexTrust({ scope, projectDir, file, registrations, contents: [config = {}] }: AgentTrustInput): Checkup {
  const project = objectOr(objectOr(config.projects)[projectDir]);
  if (scope !== "user" && project.trust_level !== "trusted") {
    return broken("codex trust", "the project is not trusted, so its hooks are off", "Start codex here and trust it.");
  }
  const states = objectOr(objectOr(config.hooks).state);
  const waiting = registrations.filter(({ event, group, handler }) => {
    const state = objectOr(states[`${file}:${snakeCase(event)}:${group}:${handler}`]);
    return typeof state.trusted_hash !== "string" || state.enabled === false;
  });
  if (waiting.length === 0) {
    const detail = "not checked: Codex could not be asked whether the trusted hooks are unchanged";
    return doubtful("codex trust", detail, "Put codex on the PATH, then: hookctl doctor codex");
  }
  const detail = `Codex silently skips ${waiting.length} of ${pluralize(registrations.length, "registered hook")}: not trusted`;
  return broken("codex trust", detail, "Open /hooks in codex and trust them.");
}

const snakeCase = (event: string): string => event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
