import { contextFor, haltDecision, stopDecision } from "../dialects/claude-answers.ts";
import { changedResultText, spanAt, textAt, toolOutput } from "../dialects/field-paths.ts";
import { CLAUDE_TOOLS } from "../dialects/tools/claude-tools.ts";
import type { JsonObject } from "../protocol/json/read.ts";
import { type AgentTools, means, own } from "../protocol/tools/tool-table.ts";
import { type Agent, type AnswerFormats, commandGroups, isJsonTrue } from "./agent.ts";
import type { AgentInstall } from "./agent-install.ts";
import { claude, claudeEvents, preToolAnswers } from "./claude.ts";
import { claudeShellCall } from "./claude-payload-parts.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";

/** Before a call it accepts neither a changed input nor context: a change becomes a deny. */
const { change: _change, canAskWithChange: _asksChanged, context: _context, ...preToolQwen } = preToolAnswers;
/** The reason of a stop replaces the result. */
const postTool: AnswerFormats = {
  halt: haltDecision,
  change: (change) => stopDecision(changedResultText(change)),
  context: contextFor("PostToolUse"),
};

/** The text for the model. The result also has a text for the person. */
const output = (native: JsonObject) => {
  const text = "tool_response.llmContent";
  return toolOutput("tool_name", spanAt(native, text) === undefined ? "tool_response" : text)(native);
};

/** In headless mode it repeats the event after tool results, with an empty prompt that nobody typed. */
const isPrompt = (native: JsonObject): boolean =>
  spanAt(native, "prompt")?.kind !== "string" || textAt(native, "prompt") !== "";

/** It does not show `systemMessage`. */
const withoutTell = (events: Agent["events"]): Agent["events"] =>
  Object.fromEntries(
    Object.entries(events).map(([name, { answers, ...event }]) => {
      const { notify: _tell, ...others } = answers;
      return [name, { ...event, answers: others }];
    }),
  );

const search = means("grep_tool", { glob: "include" });
const edit = means("file_edit", { old_string: "old_text", new_string: "new_text" });
const subagent = means("subagent", { prompt: "question" });

const QWEN_TOOLS: AgentTools = {
  mcp: CLAUDE_TOOLS.mcp,
  table: {
    run_shell_command: means("bash", {}, { conversions: { timeout: "milliseconds" } }),
    monitor: means("bash"),
    read_file: means("file_read", { limit: "line_limit" }, { conversions: { offset: "from-zero" } }),
    read_many_files: own("read", "Read"),
    zoom_image: own("read", "Read"),
    write_file: means("file_write", { content: "text" }),
    edit,
    replace: edit,
    notebook_edit: own("edit", "NotebookEdit"),
    grep_search: search,
    search_file_content: search,
    glob: means("glob_tool"),
    list_directory: own("search", "LS"),
    web_fetch: means("web_fetch"),
    web_search: means("web_search"),
    task: subagent,
    agent: subagent,
    skill: means("skill", { skill: "skill_name" }),
  },
};

/** Qwen Code: Claude Code's events and most of its answers. */
export const qwen: Agent = {
  ...claude,
  name: "qwen",
  title: KNOWN_AGENTS.qwen.title,
  testedWith: "0.24.4",
  settings: KNOWN_AGENTS.qwen.settings,
  tools: QWEN_TOOLS,
  followUpLimit: 0,
  asks: { modes: { yolo: "held" } },
  unsupportedEvents: ["SessionDelete", "MessageDisplay", "TodoCreated", "TodoCompleted", "PermissionDenied"],
  sampleShellCall: claudeShellCall("run_shell_command"),
  events: withoutTell({
    ...claudeEvents,
    PreToolUse: { ...claudeEvents.PreToolUse, answers: preToolQwen },
    PostToolUse: {
      ...claudeEvents.PostToolUse,
      raises: claudeEvents.PostToolUse.raises.map(({ event, fields }) => ({
        event,
        fields: { ...fields, tool_output: output },
      })),
      answers: postTool,
    },
    UserPromptSubmit: {
      ...claudeEvents.UserPromptSubmit,
      raises: claudeEvents.UserPromptSubmit.raises.map((raised) => ({ ...raised, when: isPrompt })),
    },
  }),
};

export const qwenInstall: AgentInstall = {
  format: { ...commandGroups, machineRoot: { disableAllHooks: false } },
  stillToDo: "Qwen Code runs a project's hooks without asking.",
  machineNote: "A user can still name another file in QWEN_CODE_SYSTEM_SETTINGS_PATH.",
  switches: [
    {
      key: ["disableAllHooks"],
      disablesHooks: isJsonTrue,
      files: [
        ["machine", "/etc/qwen-code/settings.json"],
        ["project", ".qwen/settings.json"],
        ["user", ".qwen/settings.json"],
      ],
    },
  ],
  adoptableHooks: "grouped",
};
