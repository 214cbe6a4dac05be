import { type AgentTools, means, own, type ToolRow } from "../../protocol/tools/tool-table.ts";

const bash = means("bash");
const view = means("file_read", { path: "file_path" });
const create = means("file_write", { path: "file_path", file_text: "text" });
// Permission requests have `file_path`.
const edit = means("file_edit", {
  path: "file_path",
  file_path: "file_path",
  old_str: "old_text",
  new_str: "new_text",
});
const patch: readonly ToolRow[] = [means("apply_patch", {}, { bare: "input" }), means("apply_patch")];
const grep = means("grep_tool", { paths: "path", glob: "include", "-i": "ignore_case", "-C": "surround_lines" });
const glob = means("glob_tool", { paths: "path" });
const task = means("subagent", { prompt: "question" });

/** The tools of GitHub Copilot CLI. */
export const COPILOT_TOOLS = {
  // `server-tool`, in permission requests `server/tool`. A server's name ends at the last hyphen.
  mcp: /^(?:mcp_)?(?<server>.+)[-/](?<tool>[^-/]+)$|^mcp_/,
  table: {
    bash,
    powershell: own("shell", "Bash"),
    read_bash: own("shell"),
    write_bash: own("shell"),
    stop_bash: own("shell"),
    list_bash: own("shell"),
    view,
    create,
    edit,
    apply_patch: patch,
    str_replace_editor: [
      { ...view, when: { command: "view" } },
      { ...create, when: { command: "create" } },
      { ...edit, when: { command: "str_replace" } },
      own("edit", "Edit"),
    ],
    grep,
    rg: grep,
    glob,
    web_fetch: means("web_fetch"),
    web_search: means("web_search"),
    semantic_code_search: own("search"),
    task,
    skill: means("skill", { skill: "skill_name" }),
  },
} as const satisfies AgentTools;

/** At Claude Code's events Copilot uses Claude Code's names of tools, with its own arguments. */
export const COPILOT_TOOLS_AS_CLAUDE: AgentTools["table"] = {
  Bash: bash,
  Read: view,
  Write: create,
  Edit: [...patch.slice(0, 1), edit],
  Grep: grep,
  Glob: glob,
  Agent: task,
  Task: task,
  WebFetch: means("web_fetch"),
  WebSearch: means("web_search"),
};
