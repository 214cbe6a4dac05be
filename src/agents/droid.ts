import { contextFor, haltDecision, systemMessage } from "../dialects/claude-answers.ts";
import { firstOf } from "../dialects/field-paths.ts";
import { type AgentTools, means, own } from "../protocol/tools/tool-table.ts";
import { type Agent, commandGroups, isJsonTrue } from "./agent.ts";
import type { AgentInstall } from "./agent-install.ts";
import { claude, claudeEvents, preToolAnswers } from "./claude.ts";
import { claudeShellCall } from "./claude-payload-parts.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";

const { PreToolUse, PostToolUse, UserPromptSubmit, Stop, SubagentStop } = claudeEvents;
const { SessionStart, SessionEnd, PreCompact, Notification } = claudeEvents;
/**
 * An older version of Claude Code's protocol: results cannot be changed and compaction cannot be blocked. `droid exec`
 * runs a call although a hook answers `ask`, and its payloads do not show that mode, so `ask` becomes `deny`.
 */
const { context: _context, ask: _ask, canAskWithChange: _asksChanged, ...preToolDroid } = preToolAnswers;

const DROID_TOOLS: AgentTools = {
  mcp: /^(?:mcp__)?(?<server>.+?)___?(?<tool>.+)$/s,
  table: {
    Execute: means("bash", { summary: "description" }),
    Read: means("file_read", { limit: "line_limit" }),
    Create: means("file_write", { content: "text" }),
    Edit: means("file_edit", { old_str: "old_text", new_str: "new_text", change_all: "replace_all" }),
    MultiEdit: means(
      "file_edit",
      {},
      {
        edits: { list: "changes", names: { old_str: "old_text", new_str: "new_text", change_all: "replace_all" } },
      },
    ),
    ApplyPatch: means("apply_patch"),
    NotebookEdit: own("edit"),
    Grep: means("grep_tool", {
      glob_pattern: "include",
      case_insensitive: "ignore_case",
      fixed_string: "fixed_strings",
      context: "surround_lines",
    }),
    Glob: means("glob_tool", { patterns: "pattern", folder: "path" }),
    LS: own("search"),
    FetchUrl: means("web_fetch"),
    WebSearch: means("web_search"),
    Task: means("subagent", { prompt: "question" }),
    Skill: means("skill", { skill: "skill_name" }),
  },
};

/** Factory Droid. Its documentation has some fields in camel case: both spellings are read. */
export const droid: Agent = {
  ...claude,
  name: "droid",
  title: KNOWN_AGENTS.droid.title,
  testedWith: "0.225.2",
  projectVariable: "FACTORY_PROJECT_DIR",
  settings: KNOWN_AGENTS.droid.settings,
  tools: DROID_TOOLS,
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

export const droidInstall: AgentInstall = {
  format: commandGroups,
  stillToDo: "Factory Droid reads it when a session begins, without asking.",
  switches: [
    {
      key: ["hooksDisabled"],
      disablesHooks: isJsonTrue,
      // The file beside the settings overrides them.
      files: [
        ["project", ".factory/settings.local.json"],
        ["project", ".factory/settings.json"],
        ["user", ".factory/settings.local.json"],
        ["user", ".factory/settings.json"],
      ],
    },
  ],
  machineNote: "While this file exists, Factory Droid takes no organization settings from its server.",
  adoptableHooks: "grouped",
};
