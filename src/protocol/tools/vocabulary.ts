import type { SampleValue } from "../payload/field.ts";

export const TOOL_KINDS = ["shell", "read", "write", "edit", "search", "web", "mcp", "agent", "other"] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** The type of an argument of a tool. */
export type ArgumentKind = "text" | "number" | "flag" | "list" | "object";

interface PortableRow {
  readonly kind: ToolKind;
  /** Claude Code's names of the tool, which a `match` may use for every agent. */
  readonly claude: readonly string[];
  /** Claude Code's names of tools with the same effect, so that a rule for those matches this tool, too. */
  readonly seenAs?: readonly string[];
  /** A name ending in `?` may be missing. */
  readonly takes: Readonly<Record<string, ArgumentKind>>;
  readonly sample: Readonly<Record<string, SampleValue>>;
}

/**
 * The portable names of tools and arguments: kodelet's (its `pkg/tools` at the last commit with hooks), and `web_search`,
 * which kodelet leaves to the model. `timeout` is in seconds, `offset` counts lines from 1. `edits` of `file_edit` holds
 * several edits of one call: a list of `{old_text, new_text, replace_all}`.
 */
export const PORTABLE_TOOLS = {
  bash: {
    kind: "shell",
    claude: ["Bash"],
    takes: { command: "text", "timeout?": "number", "description?": "text" },
    sample: { command: "ls -la" },
  },
  file_read: {
    kind: "read",
    claude: ["Read"],
    takes: { file_path: "text", "offset?": "number", "line_limit?": "number" },
    sample: { file_path: "src/app.ts" },
  },
  file_write: {
    kind: "write",
    claude: ["Write"],
    takes: { file_path: "text", text: "text" },
    sample: { file_path: "src/app.ts", text: "export {};\n" },
  },
  file_edit: {
    kind: "edit",
    claude: ["Edit", "MultiEdit"],
    takes: { file_path: "text", "old_text?": "text", "new_text?": "text", "replace_all?": "flag", "edits?": "list" },
    sample: { file_path: "src/app.ts", old_text: "let", new_text: "const" },
  },
  apply_patch: {
    kind: "edit",
    claude: [],
    seenAs: ["Edit", "MultiEdit", "Write"],
    takes: { input: "text" },
    sample: { input: "*** Begin Patch\n*** Delete File: old.txt\n*** End Patch" },
  },
  glob_tool: {
    kind: "search",
    claude: ["Glob"],
    takes: { pattern: "text", "path?": "text", "ignore_gitignore?": "flag" },
    sample: { pattern: "**/*.ts" },
  },
  grep_tool: {
    kind: "search",
    claude: ["Grep"],
    takes: {
      pattern: "text",
      "path?": "text",
      "include?": "text",
      "ignore_case?": "flag",
      "fixed_strings?": "flag",
      "surround_lines?": "number",
      "max_results?": "number",
    },
    sample: { pattern: "TODO" },
  },
  web_fetch: {
    kind: "web",
    claude: ["WebFetch"],
    takes: { "url?": "text", "prompt?": "text" },
    sample: { url: "https://example.org" },
  },
  web_search: { kind: "web", claude: ["WebSearch"], takes: { query: "text" }, sample: { query: "exit codes" } },
  subagent: {
    kind: "agent",
    claude: ["Task", "Agent"],
    takes: { "question?": "text", "workflow?": "text", "args?": "object", "cwd?": "text" },
    sample: { question: "Where are the tests?" },
  },
  view_image: {
    kind: "read",
    claude: [],
    takes: { path: "text", "detail?": "text" },
    sample: { path: "logo.png" },
  },
  skill: { kind: "other", claude: ["Skill"], takes: { skill_name: "text" }, sample: { skill_name: "review" } },
} as const satisfies Readonly<Record<string, PortableRow>>;

export type PortableTool = keyof typeof PORTABLE_TOOLS;

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
type Rows = typeof PORTABLE_TOOLS;

/**
 * The arguments of each portable tool, by its name or Claude Code's: `ToolInputs["bash"]["command"]` is a string. Other
 * arguments of an agent's tool stay in `tool_input` under the agent's own names.
 */
export type ToolInputs = {
  readonly [T in PortableTool as T | Rows[T]["claude"][number]]: InputOf<Rows[T]["takes"]>;
};

export const isPortableTool = (name: string): name is PortableTool => Object.hasOwn(PORTABLE_TOOLS, name);

/** The portable tool that a name means: its own, or Claude Code's; null for another tool. */
export function portableToolNamed(name: string): PortableTool | null {
  if (isPortableTool(name)) return name;
  for (const tool in PORTABLE_TOOLS) if (isPortableTool(tool) && isClaudeName(PORTABLE_TOOLS[tool], name)) return tool;
  return null;
}

const isClaudeName = ({ claude }: PortableRow, name: string): boolean => claude.includes(name);

/** The row of a portable tool, by its own name or Claude Code's. */
function portableRow(name: string): PortableRow | null {
  const tool = portableToolNamed(name);
  return tool === null ? null : PORTABLE_TOOLS[tool];
}

/** The names of a portable tool that a `match` may use for every agent: its own, and Claude Code's. */
export function namesOfPortable(tool: string): readonly string[] {
  const { claude = [], seenAs = [] } = portableRow(tool) ?? {};
  return [tool, ...claude, ...seenAs];
}

/** The portable arguments of a tool with their types; null for any other tool, which may have any arguments. */
export function portableArguments(name: string): ReadonlyMap<string, ArgumentKind> | null {
  const row = portableRow(name);
  if (row === null) return null;
  return new Map(Object.entries(row.takes).map(([key, kind]) => [key.replace(/\?$/, ""), kind]));
}

/** The first portable tool that takes an argument of this name, or null. */
export const toolTaking = (argument: string): string | null =>
  Object.keys(PORTABLE_TOOLS).find((tool) => portableArguments(tool)?.has(argument)) ?? null;

/** Sample arguments of a portable tool, or null. */
export const sampleInputOf = (name: string): PortableRow["sample"] | null => portableRow(name)?.sample ?? null;

/** The kind of a tool, by its portable name or Claude Code's. */
export const kindOfTool = (name: string): ToolKind =>
  portableRow(name)?.kind ?? (name.startsWith("mcp__") ? "mcp" : "other");
