import { means, own, type ToolTable } from "../protocol/tools/tool-table.ts";

/** The tools of Grok Build, which runs the registration of Claude Code. None has the name of one of Claude Code's tools. */
const grokTools = (): ToolTable => ({
  run_terminal_command: means(
    "bash",
    {},
    {
      conversions: { timeout: "milliseconds" },
      text: ["output_for_prompt"],
    },
  ),
  monitor: means("bash", { timeout_ms: "timeout" }, { conversions: { timeout_ms: "milliseconds" } }),
  read_file: means("file_read", { target_file: "file_path", limit: "line_limit", filePath: "file_path" }),
  write: means("file_write", { content: "text" }),
  search_replace: means("file_edit", { old_string: "old_text", new_string: "new_text" }),
  grep: means("grep_tool", { glob: "include", "-i": "ignore_case", "-C": "surround_lines" }),
  list_dir: own("search", "LS"),
  web_fetch: means("web_fetch"),
  web_search: means("web_search"),
  spawn_subagent: means("subagent", { prompt: "question" }),
});

/** The tools of VS Code's agent, from its documentation. It runs the registrations of Claude Code and Copilot. */
export const vscodeTools = (): ToolTable => ({
  run_in_terminal: means("bash", { explanation: "description" }, { conversions: { timeout: "milliseconds" } }),
  runTerminalCommand: means("bash"),
  apply_patch: means("apply_patch"),
  editFiles: own("edit", "Edit"),
  create_file: means("file_write", { filePath: "file_path", content: "text" }),
  replace_string_in_file: means("file_edit", { filePath: "file_path", oldString: "old_text", newString: "new_text" }),
  multi_replace_string_in_file: own("edit", "MultiEdit"),
  insert_edit_into_file: own("edit", "Edit"),
  grep_search: means("grep_tool", { query: "pattern", includePattern: "include" }),
  file_search: means("glob_tool", { query: "pattern" }),
  fetch_webpage: own("web", "WebFetch"),
  runSubagent: means("subagent", { prompt: "question" }),
});

/** The tools of the programs that run another agent's registration. */
export const borrowedTools = (): ToolTable => ({ ...vscodeTools(), ...grokTools() });
