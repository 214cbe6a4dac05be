import {
  blockDecision,
  contextFor,
  permissionDecision,
  stopDecision,
  systemMessage,
} from "../dialects/claude-answers.ts";
import { changedResultText, type TargetChange, textAt, toolOutput } from "../dialects/field-paths.ts";
import { membersOf } from "../protocol/json/read.ts";
import { rawJson } from "../protocol/json/write.ts";
import type { Agent } from "./agent.ts";
import { claudeEvents } from "./claude.ts";
import { claudeBaseFields, claudeShellCall, claudeToolFields, notifyOnly } from "./claude-shape.ts";

const { PermissionRequest, UserPromptSubmit, Stop, SubagentStop, SessionStart } = claudeEvents;

/** Without `allow` it runs the original in silence: the only agent where a rewrite has to say so. */
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

/** A shell call and a patch are exactly a text under `command`. */
function isTakenBy(tool: string, value: TargetChange["value"]): boolean {
  if (tool !== "Bash" && tool !== "apply_patch") return value.kind === "object";
  return value.kind === "object" && membersOf(value).get("command")?.kind === "string";
}

/** OpenAI Codex CLI. An unknown key in an answer fails the hook, and the tool runs. */
export const codex: Agent = {
  name: "codex",
  title: "Codex CLI",
  testedWith: "0.169.0",
  projectVariable: null,
  baseFields: claudeBaseFields,
  tools: {
    Bash: "shell",
    shell: "shell",
    exec_command: "shell",
    apply_patch: "edit",
    read_file: "read",
    view_image: "read",
    web_search: "web",
    spawn_agent: "agent",
  },
  mcpTool: /^mcp__/,
  contextLimit: 8000,
  followUpLimit: 0,
  withoutProgram: "goes on",
  unsupportedEvents: ["Interrupt"],
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
      timeoutMs: 60_000,
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
      timeoutMs: 60_000,
    },
    UserPromptSubmit,
    Stop,
    SubagentStart: {
      raises: [{ event: "subagent_start", fields: { name: "agent_type", id: "agent_id" } }],
      answers: { context: contextFor("SubagentStart") },
      timeoutMs: 30_000,
    },
    SubagentStop,
    SessionStart,
    SessionEnd: {
      raises: [{ event: "session_end", fields: { reason: "reason" } }],
      answers: {},
      timeoutMs: 3000,
      isTimeoutFixed: true,
    },
    PreCompact: {
      raises: [{ event: "before_compaction", fields: { trigger: "trigger" } }],
      answers: { deny: stopDecision, notify: systemMessage },
      timeoutMs: 30_000,
    },
    PostCompact: {
      raises: [{ event: "after_compaction", fields: { trigger: "trigger" } }],
      answers: notifyOnly,
      timeoutMs: 30_000,
    },
  },
};
