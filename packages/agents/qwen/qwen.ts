import { contextFor, haltDecision, stopDecision } from "../../../src/dialects/claude-answers.ts";
import { changedResultText, spanAt, textAt, toolOutput } from "../../../src/dialects/field-paths.ts";
import { CLAUDE_TOOLS } from "../../../src/dialects/tools/claude-tools.ts";
import type { JsonObject } from "../../../src/protocol/json/read.ts";
import { type AgentTools, toolTable } from "../../../src/protocol/tools/tool-table.ts";
import type { Agent, AnswerFormats } from "../agent.ts";
import { type AgentInstall, commandGroups, installFacts } from "../agent-install.ts";
import { claude, claudeEvents, preToolAnswers } from "../claude/claude.ts";
import { claudeShellCall } from "../claude/payload-parts.ts";
import { KNOWN_AGENTS } from "../known-agents.ts";
import facts from "./install.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

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

const QWEN_TOOLS: AgentTools = {
  mcp: CLAUDE_TOOLS.mcp,
  table: toolTable(tools),
};

/** Qwen Code: Claude Code's events and most of its answers. */
export const qwen: Agent = {
  ...claude,
  ...KNOWN_AGENTS.qwen,
  name: "qwen",
  tools: QWEN_TOOLS,
  asks: { modes: { yolo: "held" } },
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
  ...installFacts(facts),
  format: { ...commandGroups, machineRoot: { disableAllHooks: false } },
};
