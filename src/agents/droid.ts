import { contextFor, haltDecision, systemMessage } from "../dialects/claude-answers.ts";
import { firstOf } from "../dialects/field-paths.ts";
import type { Agent } from "./agent.ts";
import { CLAUDE_TOOLS, claude, claudeEvents, preToolAnswers } from "./claude.ts";
import { claudeBaseFields, claudeShellCall } from "./claude-shape.ts";

const { PreToolUse, PostToolUse, UserPromptSubmit, Stop, SubagentStop } = claudeEvents;
const { SessionStart, SessionEnd, PreCompact, Notification } = claudeEvents;
/**
 * Its contract is Claude Code's older one: no rewrite of a result, and compaction cannot be stopped. `droid exec` runs a
 * call about which a hook says `ask`, and no payload tells that mode: a question becomes a deny.
 */
const { context: _context, ask: _ask, canAskWithChange: _asksChanged, ...preToolDroid } = preToolAnswers;

/** Factory Droid. Its documentation writes fields that are not about a tool in camel case: both spellings are read. */
export const droid: Agent = {
  ...claude,
  name: "droid",
  title: "Factory Droid",
  testedWith: "0.215.0",
  baseFields: { ...claudeBaseFields, conv_id: firstOf("sessionId", "session_id") },
  projectVariable: "FACTORY_PROJECT_DIR",
  tools: { ...CLAUDE_TOOLS, Execute: "shell", Create: "write", ApplyPatch: "edit", FetchUrl: "web" },
  mcpTool: /^mcp__|___/,
  followUpLimit: 0,
  withoutProgram: "goes on",
  unsupportedEvents: [],
  sampleShellCall: claudeShellCall("Execute"),
  events: {
    PreToolUse: { ...PreToolUse, answers: preToolDroid },
    PostToolUse: {
      ...PostToolUse,
      answers: { halt: haltDecision, context: contextFor("PostToolUse"), notify: systemMessage },
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
          fields: { trigger: "trigger", hint: firstOf("customInstructions", "custom_instructions") },
        },
      ],
      answers: { notify: systemMessage },
    },
    Notification,
  },
};
