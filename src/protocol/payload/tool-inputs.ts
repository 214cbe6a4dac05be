import type { SampleValue } from "./field.ts";

/** The type of an argument of a tool. */
export type ArgumentKind = "text" | "number" | "flag" | "list" | "object";

/** The arguments of tools that agents have. A name ending in `?` may be missing. */
interface ToolInputRow {
  readonly tools: readonly string[];
  readonly sample: Readonly<Record<string, SampleValue>>;
  readonly takes: Readonly<Record<string, ArgumentKind>>;
}

/**
 * The known tools by their exact names. Agents that share a name may differ in the arguments; then each of them may be
 * missing. A tool that is in no row may have any arguments.
 */
export const TOOL_INPUTS = [
  {
    tools: ["Bash", "bash", "Shell", "shell", "run_shell_command", "Execute", "developer__shell", "powershell"],
    sample: { command: "ls -la" },
    takes: {
      ...{ command: "text", "description?": "text", "timeout?": "number", "workdir?": "text", "directory?": "text" },
      ...{ "cwd?": "text", "dir_path?": "text", "working_directory?": "text", "workingDirectory?": "text" },
      ...{ "run_in_background?": "flag", "is_background?": "flag", "dangerouslyDisableSandbox?": "flag" },
      ...{ "async?": "flag", "mode?": "text", "sessionId?": "text", "shellId?": "text", "initial_wait?": "number" },
      ...{ "detach?": "flag", "riskLevel?": "text", "riskLevelReason?": "text", "fireAndForget?": "flag" },
      ...{ "timeout_ms?": "number", "timeout_secs?": "number", "block_until_ms?": "number" },
    },
  },
  {
    tools: ["exec_command"],
    sample: { cmd: "ls -la" },
    takes: {
      ...{ cmd: "text", "workdir?": "text", "shell?": "text", "login?": "flag", "tty?": "flag" },
      ...{ "yield_time_ms?": "number", "max_output_tokens?": "number", "justification?": "text" },
      ...{ "sandbox_permissions?": "text", "prefix_rule?": "list" },
    },
  },
  {
    tools: ["Read"],
    sample: { file_path: "src/app.ts" },
    takes: { file_path: "text", "offset?": "number", "limit?": "number", "pages?": "text" },
  },
  {
    tools: ["read_file"],
    sample: { file_path: "src/app.ts" },
    takes: {
      ...{ "file_path?": "text", "absolute_path?": "text", "path?": "text", "offset?": "number", "limit?": "number" },
      ...{ "start_line?": "number", "end_line?": "number", "mode?": "text", "indentation?": "object" },
    },
  },
  {
    tools: ["read", "view"],
    sample: { path: "src/app.ts" },
    takes: {
      ...{ "path?": "text", "filePath?": "text", "offset?": "number", "limit?": "number", "view_range?": "list" },
      ...{ "forceReadLargeFiles?": "flag" },
    },
  },
  {
    tools: ["file_read"],
    sample: { file_path: "src/app.ts" },
    takes: { file_path: "text", "offset?": "number", "line_limit?": "number" },
  },
  { tools: ["view_image"], sample: { path: "logo.png" }, takes: { path: "text", "detail?": "text" } },
  {
    tools: ["Write", "Create", "write_file"],
    sample: { file_path: "src/app.ts", content: "export {};\n" },
    takes: { file_path: "text", content: "text", "path?": "text", "contents?": "text" },
  },
  {
    tools: ["file_write"],
    sample: { file_path: "src/app.ts", text: "export {};\n" },
    takes: { file_path: "text", text: "text" },
  },
  {
    tools: ["write", "create"],
    sample: { path: "src/app.ts", content: "export {};\n" },
    takes: { "path?": "text", "filePath?": "text", "file_path?": "text", "content?": "text", "file_text?": "text" },
  },
  {
    tools: ["Edit", "replace"],
    sample: { file_path: "src/app.ts", old_string: "let", new_string: "const" },
    takes: {
      ...{ file_path: "text", old_string: "text", new_string: "text", "replace_all?": "flag", "instruction?": "text" },
      ...{ "expected_replacements?": "number", "allow_multiple?": "flag" },
    },
  },
  {
    tools: ["MultiEdit"],
    sample: { file_path: "src/app.ts", edits: [{ old_string: "let", new_string: "const" }] },
    takes: { file_path: "text", edits: "list" },
  },
  {
    tools: ["file_edit"],
    sample: { file_path: "src/app.ts", old_text: "let", new_text: "const" },
    takes: { file_path: "text", old_text: "text", new_text: "text", "replace_all?": "flag" },
  },
  {
    tools: ["edit", "str_replace_editor", "text_editor", "developer__text_editor"],
    sample: { path: "src/app.ts", old_str: "let", new_str: "const" },
    takes: {
      ...{ "path?": "text", "file_path?": "text", "filePath?": "text", "command?": "text", "file_text?": "text" },
      ...{ "old_str?": "text", "new_str?": "text", "old_string?": "text", "new_string?": "text" },
      ...{ "oldString?": "text", "newString?": "text", "oldText?": "text", "newText?": "text", "before?": "text" },
      ...{ "after?": "text", "replaceAll?": "flag", "replace_all?": "flag", "edits?": "list", "diff?": "text" },
      ...{ "insert_line?": "number", "view_range?": "list" },
    },
  },
  {
    tools: ["NotebookEdit"],
    sample: { notebook_path: "work.ipynb", new_source: "1 + 1" },
    takes: {
      ...{ notebook_path: "text", new_source: "text", "cell_id?": "text", "cell_type?": "text", "edit_mode?": "text" },
    },
  },
  {
    tools: ["apply_patch", "ApplyPatch"],
    sample: { command: "*** Begin Patch\n*** Delete File: old.txt\n*** End Patch" },
    takes: { "command?": "text", "input?": "text", "patch?": "text", "patchText?": "text" },
  },
  { tools: ["Delete"], sample: { path: "old.txt" }, takes: { "path?": "text", "file_path?": "text" } },
  {
    tools: ["Glob", "glob"],
    sample: { pattern: "**/*.ts" },
    takes: {
      ...{ "pattern?": "text", "path?": "text", "dir_path?": "text", "case_sensitive?": "flag" },
      ...{ "glob_pattern?": "text", "target_directory?": "text", "respect_git_ignore?": "flag" },
      ...{ "respect_gemini_ignore?": "flag", "folder?": "text", "patterns?": "list", "excludePatterns?": "list" },
    },
  },
  {
    tools: ["Grep", "grep", "grep_search", "search_file_content", "rg"],
    sample: { pattern: "TODO" },
    takes: {
      ...{ pattern: "text", "path?": "text", "glob?": "text", "type?": "text", "output_mode?": "text" },
      ...{ "include?": "text", "-i?": "flag", "-n?": "flag", "-A?": "number", "-B?": "number", "-C?": "number" },
      ...{
        "head_limit?": "number",
        "multiline?": "flag",
        "dir_path?": "text",
        "limit?": "number",
        "offset?": "number",
      },
      ...{ "case_sensitive?": "flag", "context?": "number", "glob_pattern?": "text", "file_type?": "text" },
      ...{ "ignoreCase?": "flag", "literal?": "flag", "paths?": "text", "case_insensitive?": "flag" },
      ...{ "line_numbers?": "flag", "context_before?": "number", "context_after?": "number" },
    },
  },
  {
    tools: ["LS", "ls", "list", "list_directory", "tree"],
    sample: { path: "src" },
    takes: {
      ...{ "path?": "text", "dir_path?": "text", "directory_path?": "text", "ignore?": "list", "limit?": "number" },
      ...{ "depth?": "number", "file_filtering_options?": "object", "ignorePatterns?": "list" },
    },
  },
  {
    tools: ["WebFetch"],
    sample: { url: "https://example.org", prompt: "Summarize" },
    takes: { url: "text", prompt: "text" },
  },
  {
    tools: ["web_fetch", "webfetch", "FetchUrl"],
    sample: { url: "https://example.org" },
    takes: {
      ...{
        "url?": "text",
        "prompt?": "text",
        "format?": "text",
        "timeout?": "number",
        "raw?": "flag",
        "max_length?": "number",
      },
      ...{ "start_index?": "number" },
    },
  },
  {
    tools: ["WebSearch", "web_search", "websearch", "google_web_search"],
    sample: { query: "exit codes" },
    takes: {
      ...{ query: "text", "allowed_domains?": "list", "blocked_domains?": "list", "numResults?": "number" },
      ...{ "type?": "text", "category?": "text", "livecrawl?": "text", "contextMaxCharacters?": "number" },
      ...{ "includeDomains?": "list", "excludeDomains?": "list", "text?": "flag" },
    },
  },
] as const satisfies readonly ToolInputRow[];

interface ArgumentTypes {
  readonly text: string;
  readonly number: number;
  readonly flag: boolean;
  readonly list: readonly unknown[];
  readonly object: Readonly<Record<string, unknown>>;
}
type ArgumentType<K> = K extends ArgumentKind ? ArgumentTypes[K] : never;
type InputOf<T> = {
  readonly [K in keyof T as K extends `${string}?` ? never : K]: ArgumentType<T[K]>;
} & { readonly [K in keyof T as K extends `${infer Name}?` ? Name : never]?: ArgumentType<T[K]> };
type Row = (typeof TOOL_INPUTS)[number];

/** The arguments of each known tool, by its name: `ToolInputs["Bash"]["command"]` is a string. */
export type ToolInputs = { readonly [R in Row as R["tools"][number]]: InputOf<R["takes"]> };
export type KnownTool = keyof ToolInputs;

/** The row of a tool; undefined: it is not known, and may have any arguments. */
const rowOf = (tool: string): ToolInputRow | undefined =>
  TOOL_INPUTS.find((row: ToolInputRow) => row.tools.includes(tool));

/** The arguments of a known tool with their types, or null. */
export function argumentsOf(tool: string): ReadonlyMap<string, ArgumentKind> | null {
  const row = rowOf(tool);
  return row === undefined
    ? null
    : new Map(Object.entries(row.takes).map(([name, kind]) => [name.replace(/\?$/, ""), kind]));
}

/** The first tool that takes an argument of this name, or null. */
export const toolTaking = (argument: string): string | null =>
  TOOL_INPUTS.flatMap((row: ToolInputRow) => row.tools).find((tool) => argumentsOf(tool)?.has(argument)) ?? null;

/** True for two names of one tool, such as the shells of two agents. */
export const isSameTool = (one: string, other: string): boolean =>
  rowOf(one) !== undefined && rowOf(one) === rowOf(other);

/** Sample arguments of a known tool, or null. */
export const sampleInputOf = (tool: string): ToolInputRow["sample"] | null => rowOf(tool)?.sample ?? null;
