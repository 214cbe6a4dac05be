import { contextFor, haltDecision, systemMessage } from "../../../src/dialects/claude-answers.ts";
import type { Agent, NativeEvent } from "../agent.ts";
import { claude, claudeEvents } from "../claude/claude.ts";
import { followUpAnswers, lastMessage } from "../claude/payload-parts.ts";

/** Fields that Grok sends in camel case alone. */
const ownFields: Readonly<Record<string, NativeEvent>> = {
  Stop: {
    raises: [
      {
        event: "agent_stop",
        fields: { messages: lastMessage("lastAssistantMessage"), stop_hook_active: "stopHookActive" },
      },
      { event: "turn_end", fields: { response: "lastAssistantMessage" } },
    ],
    answers: followUpAnswers,
  },
  Notification: {
    ...claudeEvents.Notification,
    raises: [{ event: "notification", fields: { message: "message", kind: "notificationType" } }],
  },
};

/**
 * Grok Build, which runs the registrations of Claude Code and Cursor. It sends Claude Code's payloads with its own tools,
 * and obeys Claude Code's answers except changed results.
 */
export const grok: Agent = {
  ...claude,
  recordedAs: "grok",
  title: "Grok Build",
  testedWith: "1.0.41",
  subagent: { type: "subagentType" },
  asks: { modes: { "--always-approve": "dropped" } },
  events: {
    ...claudeEvents,
    ...ownFields,
    PostToolUse: {
      ...claudeEvents.PostToolUse,
      answers: { halt: haltDecision, context: contextFor("PostToolUse"), notify: systemMessage },
    },
  },
};
