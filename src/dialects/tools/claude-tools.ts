import { type AgentTools, means, own, type ToolTable } from "../../protocol/tools/tool-table.ts";

/** The tools of Claude Code. */
export const CLAUDE_TOOLS = {
  mcp: /^mcp__(?:(?<server>.+?)__)?(?<tool>.+)$/s,
  get table() {
    known ??= claudeTable();
    return known;
  },
} satisfies AgentTools;

let known: ToolTable | null = null;

/** Created for the first call that needs it: most calls of `run` do not. */
function claudeTable(): ToolTable {
  const subagent = means("subagent", { prompt: "question" });
  return {
    Bash: means("bash", {}, { conversions: { timeout: "milliseconds" }, text: ["stdout", "stderr"] }),
    BashOutput: own("shell"),
    KillShell: own("shell"),
    Monitor: means("bash", { timeout_ms: "timeout" }, { conversions: { timeout_ms: "milliseconds" } }),
    Read: means("file_read", { limit: "line_limit" }, { text: ["file.content"] }),
    NotebookRead: own("read"),
    Write: means("file_write", { content: "text" }),
    Edit: means("file_edit", { old_string: "old_text", new_string: "new_text" }),
    MultiEdit: means(
      "file_edit",
      {},
      {
        edits: {
          list: "edits",
          names: { old_string: "old_text", new_string: "new_text", replace_all: "replace_all" },
        },
      },
    ),
    NotebookEdit: own("edit"),
    Grep: means("grep_tool", { glob: "include", "-i": "ignore_case", "-C": "surround_lines" }),
    Glob: means("glob_tool"),
    LS: own("search"),
    WebFetch: means("web_fetch"),
    WebSearch: means("web_search"),
    Agent: subagent,
    Task: subagent,
    Skill: means("skill", { skill: "skill_name" }),
  };
}
