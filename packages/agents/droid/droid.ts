import { contextFor, haltDecision, systemMessage } from "../../../src/dialects/claude-answers.ts";
import { firstOf } from "../../../src/dialects/field-paths.ts";
import { type AgentTools, toolTable } from "../../../src/protocol/tools/tool-table.ts";
import type { Agent } from "../agent.ts";
import { type AgentInstall, commandGroups, installFacts } from "../agent-install.ts";
import { claude, claudeEvents, preToolAnswers } from "../claude/claude.ts";
import { claudeShellCall } from "../claude/payload-parts.ts";
import { KNOWN_AGENTS } from "../known-agents.ts";
import facts from "./install.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

const { PreToolUse, PostToolUse, UserPromptSubmit, Stop, SubagentStop } = claudeEvents;
const { SessionStart, SessionEnd, PreCompact, Notification } = claudeEvents;
/**
 * An older version of Claude Code's protocol: results cannot be changed and compaction cannot be blocked. `droid exec`
 * runs a call although a hook answers `ask`, and its payloads do not show that mode, so `ask` becomes `deny`.
 */
const { context: _context, ask: _ask, canAskWithChange: _asksChanged, ...preToolDroid } = preToolAnswers;

const DROID_TOOLS: AgentTools = {
  mcp: /^(?:mcp__)?(?<server>.+?)___?(?<tool>.+)$/s,
  table: toolTable(tools),
};

/** Factory Droid. Its documentation has some fields in camel case: both spellings are read. */
export const droid: Agent = {
  ...claude,
  ...KNOWN_AGENTS.droid,
  name: "droid",
  tools: DROID_TOOLS,
  sampleShellCall: claudeShellCall("Execute"),
  events: {
    PreToolUse: { ...PreToolUse, answers: preToolDroid },
    PostToolUse: {
      ...PostToolUse,
      answers: { halt: haltDecision, context: contextFor("PostToolUse"), notify: systemMessage },
    },
    UserPromptSubmit,
    // It does not send the response, which `turn_end` needs.
    Stop: { ...Stop, raises: Stop.raises.filter(({ event }) => event !== "turn_end") },
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

/** `settings.local.json` beside the settings overrides them. */
export const droidInstall: AgentInstall = {
  ...installFacts(facts),
  format: commandGroups,
};
