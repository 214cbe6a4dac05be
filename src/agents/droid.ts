import { claudeBase, contextAt, halted, shellCall, systemMessage } from "../dialects/claude-shape.ts";
import { anyOf } from "../dialects/field-paths.ts";
import type { Agent } from "./agent.ts";
import { CLAUDE_TOOLS, claude, claudeEvents, preTool } from "./claude.ts";

const { PreToolUse, PostToolUse, UserPromptSubmit, Stop, SubagentStop } = claudeEvents;
const { SessionStart, SessionEnd, PreCompact, Notification } = claudeEvents;
/**
 * Its contract is Claude Code's older one: no rewrite of a result, and compaction cannot be stopped. `droid exec` runs a
 * call about which a hook says `ask`, and no payload tells that mode: a question becomes a deny.
 */
const { context: _context, ask: _ask, asksChanged: _asksChanged, ...preToolDroid } = preTool;

/** Factory Droid. Its documentation writes fields that are not about a tool in camel case: both spellings are read. */
export const droid: Agent = {
  ...claude,
  name: "droid",
  title: "Factory Droid",
  testedWith: "0.215.0",
  base: { ...claudeBase, conv_id: anyOf("sessionId", "session_id") },
  projectVariable: "FACTORY_PROJECT_DIR",
  tools: { ...CLAUDE_TOOLS, Execute: "shell", Create: "write", ApplyPatch: "edit", FetchUrl: "web" },
  mcpTool: /^mcp__|___/,
  followUpLimit: 0,
  withoutProgram: "goes on",
  uncovered: [],
  shellCall: shellCall("Execute"),
  events: {
    PreToolUse: { ...PreToolUse, answers: preToolDroid },
    PostToolUse: {
      ...PostToolUse,
      answers: { halt: halted, context: contextAt("PostToolUse"), tell: systemMessage },
    },
    UserPromptSubmit,
    Stop,
    SubagentStop,
    SessionStart,
    SessionEnd,
    PreCompact: {
      ...PreCompact,
      raises: [
        {
          event: "before_compaction",
          fields: { trigger: "trigger", hint: anyOf("customInstructions", "custom_instructions") },
        },
      ],
      answers: { tell: systemMessage },
    },
    Notification,
  },
};
