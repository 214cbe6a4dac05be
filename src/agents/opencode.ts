import type { Agent } from "./agent.ts";
import { afterToolEvent, beforeToolEvent, moduleBaseFields, moduleShellCall, promptEvent } from "./module-shape.ts";

/** opencode. It has no command hooks: a plugin of ours calls the bridge. */
export const opencode: Agent = {
  name: "opencode",
  title: "opencode",
  testedWith: "1.18.33",
  projectVariable: null,
  baseFields: moduleBaseFields,
  tools: {
    bash: "shell",
    read: "read",
    write: "write",
    edit: "edit",
    apply_patch: "edit",
    grep: "search",
    glob: "search",
    list: "search",
    webfetch: "web",
    websearch: "web",
    codesearch: "web",
    task: "agent",
    plan_enter: "other",
    plan_exit: "other",
    lsp_hover: "search",
    lsp_diagnostics: "search",
  },
  // `server_tool`: its own tools with such a name are listed above.
  mcpTool: /_/,
  contextLimit: 8000,
  followUpLimit: 0,
  withoutProgram: "goes on",
  unsupportedEvents: [
    ...["permission.ask", "command.execute.before", "chat.params", "session.created", "session.idle"],
    ...["session.error", "experimental.session.compacting"],
  ],
  sampleShellCall: moduleShellCall("tool.execute.before"),
  events: {
    "chat.message": promptEvent,
    "tool.execute.before": beforeToolEvent,
    "tool.execute.after": afterToolEvent,
  },
};
