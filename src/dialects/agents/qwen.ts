import type { Agent, Answers } from "./agent.ts";
import { claude, claudeEvents, preTool } from "./claude.ts";
import { contextAt, halted, shellCall, systemMessage } from "./claude-shape.ts";

/** Before a call it takes neither a rewrite nor context: a wanted rewrite is named in a deny. */
const { change: _change, asksChanged: _asksChanged, context: _context, ...preToolQwen } = preTool;
const postTool: Answers = { halt: halted, context: contextAt("PostToolUse"), tell: systemMessage };

/** Qwen Code: Claude Code's events and most of its answers. */
export const qwen: Agent = {
  ...claude,
  name: "qwen",
  title: "Qwen Code",
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
  uncovered: ["SessionDelete", "MessageDisplay", "TodoCreated", "TodoCompleted", "PermissionDenied"],
  shellCall: shellCall("run_shell_command"),
  events: {
    ...claudeEvents,
    PreToolUse: { ...claudeEvents.PreToolUse, answers: preToolQwen },
    PostToolUse: { ...claudeEvents.PostToolUse, answers: postTool },
  },
};
