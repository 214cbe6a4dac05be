import {
  blocked,
  claudeBase,
  contextAt,
  decided,
  shellCall,
  stopped,
  systemMessage,
  tellOnly,
  toolFields,
} from "../dialects/claude-shape.ts";
import { givenBackText, textAt, toolOutput } from "../dialects/field-paths.ts";
import { membersOf } from "../protocol/json.ts";
import { rawJson } from "../protocol/json-text.ts";
import type { Agent, Change } from "./agent.ts";
import { claudeEvents } from "./claude.ts";

const { PermissionRequest, UserPromptSubmit, Stop, SubagentStop, SessionStart } = claudeEvents;

/** Without `allow` it runs the original in silence: the only agent where a rewrite has to say so. */
const allowedInput = ({ value, native }: Change) =>
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
function isTakenBy(tool: string, value: Change["value"]): boolean {
  if (tool !== "Bash" && tool !== "apply_patch") return value.kind === "object";
  return value.kind === "object" && membersOf(value).get("command")?.kind === "string";
}

/** OpenAI Codex CLI. An unknown key in an answer fails the hook, and the tool runs. */
export const codex: Agent = {
  name: "codex",
  title: "Codex CLI",
  testedWith: "0.169.0",
  projectVariable: null,
  base: claudeBase,
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
  uncovered: ["Interrupt"],
  shellCall: shellCall("Bash"),
  events: {
    PreToolUse: {
      raises: [{ event: "before_tool_call", fields: toolFields }],
      answers: {
        deny: (reason) => decided("PreToolUse", "deny", reason),
        change: allowedInput,
        context: contextAt("PreToolUse"),
        tell: systemMessage,
      },
      limitMs: 60_000,
    },
    PermissionRequest,
    PostToolUse: {
      raises: [
        {
          event: "after_tool_call",
          fields: { ...toolFields, tool_output: toolOutput("tool_name", "tool_response") },
        },
      ],
      answers: {
        halt: (reason) => ({ ...blocked(reason), ...stopped(reason) }),
        change: (change) => blocked(givenBackText(change)),
        context: contextAt("PostToolUse"),
        tell: systemMessage,
      },
      limitMs: 60_000,
    },
    UserPromptSubmit,
    Stop,
    SubagentStart: {
      raises: [{ event: "subagent_start", fields: { name: "agent_type", id: "agent_id" } }],
      answers: { context: contextAt("SubagentStart") },
      limitMs: 30_000,
    },
    SubagentStop,
    SessionStart,
    SessionEnd: {
      raises: [{ event: "session_end", fields: { reason: "reason" } }],
      answers: {},
      limitMs: 3000,
      isLimitFixed: true,
    },
    PreCompact: {
      raises: [{ event: "before_compaction", fields: { trigger: "trigger" } }],
      answers: { deny: stopped, tell: systemMessage },
      limitMs: 30_000,
    },
    PostCompact: {
      raises: [{ event: "after_compaction", fields: { trigger: "trigger" } }],
      answers: tellOnly,
      limitMs: 30_000,
    },
  },
};
