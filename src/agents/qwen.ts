import { contextFor, haltDecision, stopDecision } from "../dialects/claude-answers.ts";
import { changedResultText, spanAt, textAt } from "../dialects/field-paths.ts";
import type { JsonObject } from "../protocol/json/read.ts";
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

/** Qwen Code: Claude Code's events and most of its answers. */
export const qwen: Agent = {
  ...claude,
  name: "qwen",
  title: KNOWN_AGENTS.qwen.title,
  testedWith: "0.24.4",
  settings: KNOWN_AGENTS.qwen.settings,
  tools: {
    run_shell_command: "shell",
    read_file: "read",
    read_many_files: "read",
    write_file: "write",
    edit: "edit",
    replace: "edit",
    grep_search: "search",
    search_file_content: "search",
    glob: "search",
    list_directory: "search",
    web_fetch: "web",
    web_search: "web",
    task: "agent",
    agent: "agent",
  },
  followUpLimit: 0,
  unsupportedEvents: ["SessionDelete", "MessageDisplay", "TodoCreated", "TodoCompleted", "PermissionDenied"],
  sampleShellCall: claudeShellCall("run_shell_command"),
  events: withoutTell({
    ...claudeEvents,
    PreToolUse: { ...claudeEvents.PreToolUse, answers: preToolQwen },
    PostToolUse: { ...claudeEvents.PostToolUse, answers: postTool },
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
