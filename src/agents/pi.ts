import type { Agent } from "./agent.ts";
import { afterToolEvent, beforeToolEvent, moduleBaseFields, moduleShellCall, promptEvent } from "./module-shape.ts";

/** pi. It has no command hooks: an extension of ours calls the bridge. */
export const pi: Agent = {
  name: "pi",
  title: "pi",
  testedWith: "0.73.1, 0.87, 1.5.2",
  projectVariable: null,
  baseFields: moduleBaseFields,
  tools: {
    bash: "shell",
    read: "read",
    write: "write",
    edit: "edit",
    grep: "search",
    find: "search",
    ls: "search",
    tool_search: "search",
  },
  mcpTool: /_/,
  contextLimit: 8000,
  followUpLimit: 0,
  withoutProgram: "goes on",
  unsupportedEvents: [
    ...["user_bash", "before_agent_start", "turn_start", "turn_end", "agent_end", "before_provider_request"],
    ...["session_start", "session_before_compact", "session_compact", "session_shutdown"],
  ],
  sampleShellCall: moduleShellCall("tool_call"),
  events: { input: promptEvent, tool_call: beforeToolEvent, tool_result: afterToolEvent },
};
