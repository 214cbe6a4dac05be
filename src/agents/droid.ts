import { contextFor, haltDecision, systemMessage } from "../dialects/claude-answers.ts";
import { firstOf } from "../dialects/field-paths.ts";
import { type Agent, commandGroups } from "./agent.ts";
import type { AgentInstall } from "./agent-install.ts";
import { CLAUDE_TOOLS, claude, claudeEvents, preToolAnswers } from "./claude.ts";
import { claudeBaseFields, claudeShellCall } from "./claude-payload-parts.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";

const { PreToolUse, PostToolUse, UserPromptSubmit, Stop, SubagentStop } = claudeEvents;
const { SessionStart, SessionEnd, PreCompact, Notification } = claudeEvents;
/**
 * An older version of Claude Code's protocol: results cannot be changed and compaction cannot be blocked. `droid exec`
 * runs a call although a hook answers `ask`, and its payloads do not show that mode, so `ask` becomes `deny`.
 */
const { context: _context, ask: _ask, canAskWithChange: _asksChanged, ...preToolDroid } = preToolAnswers;

/** Factory Droid. Its documentation has some fields in camel case: both spellings are read. */
export const droid: Agent = {
  ...claude,
  name: "droid",
  title: KNOWN_AGENTS.droid.title,
  testedWith: "0.215.0",
  baseFields: { ...claudeBaseFields, conv_id: firstOf("sessionId", "session_id") },
  projectVariable: "FACTORY_PROJECT_DIR",
  settings: KNOWN_AGENTS.droid.settings,
  tools: { ...CLAUDE_TOOLS, Execute: "shell", Create: "write", ApplyPatch: "edit", FetchUrl: "web" },
  mcpTool: /^mcp__|___/,
  followUpLimit: 0,
  withoutProgram: "allows",
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

export const droidInstall: AgentInstall = {
  format: commandGroups,
  stillToDo: "Factory Droid reads it when a session begins, without asking.",
  machineNote: "While this file exists, Factory Droid takes no organization settings from its server.",
  adoptableHooks: "grouped",
};
