import { itemsOf, type JsonObject, type JsonSpan, stringOf } from "../protocol/json/read.ts";
import {
  argumentsOf,
  COMMAND_KEYS,
  FILE_KEYS,
  FOLDER_KEYS,
  judgedMembers,
  MOST_VALUES,
  plainKey,
  TOOL_INPUT_DEPTH,
} from "../protocol/payload/tool-call.ts";

/** How a tool uses the files that it names. `use`: unknown from its name. */
export type ToolAction = "read" | "write" | "delete" | "use";

/** A tool call in the same form for every agent. */
export interface ToolCall {
  /** Shell text, or a list of arguments without a shell. */
  readonly commands: readonly (string | readonly string[])[];
  /** The working directory of the tool's commands, if the call names one. */
  readonly folder: string | null;
  readonly files: readonly ToolFile[];
}

export interface ToolFile {
  readonly path: string;
  readonly action: ToolAction;
  /** The text that an edit replaces and writes; null: not known. */
  readonly oldText: string | null;
  readonly newText: string | null;
}

const PROGRAM_KEYS = new Set(["command", "cmd", "program", "executable", "file", "binary"]);
const ARGUMENT_KEYS = new Set(["args", "arguments", "argv", "params", "commandargs"]);
const OLD_TEXT_KEYS = new Set(["oldstring", "oldstr", "oldtext"]);
const NEW_TEXT_KEYS = new Set(["newstring", "newstr", "newtext", "content", "contents", "filetext", "text"]);
/** Agents accept a marker with spaces before it. */
const PATCH_LINE = /^[ \t]*\*\*\* (?:(Add|Update|Delete) File|Move to): (.+)$/gm;
const UNIFIED_LINE = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]+)/gm;

/** Reads a tool call by the names of its arguments, so that tools of MCP servers and new agents are judged, too. */
export function readToolCall(members: JsonObject): ToolCall {
  const input = members.get("tool_input");
  const action = actionOf(textOf(members.get("tool_name")), textOf(members.get("tool_kind")));
  if (input === undefined) return { commands: [], folder: null, files: [] };
  const all = argumentsOf(input);
  const commands = [
    ...all.flatMap(([key, value]) => (COMMAND_KEYS.has(key) ? commandsIn(value) : [])),
    ...withArguments(all),
  ];
  // A tool whose input is a bare text runs it, or applies it as a patch.
  const bare = input.kind === "string" ? [stringOf(input)] : [];
  const texts = [
    ...all.flatMap(([, value]) => (value.kind === "string" ? [stringOf(value)] : textsIn(value))),
    ...bare,
  ];
  const patched = texts.filter(isPatch).flatMap(patchedFiles);
  const [folder = null] = all.flatMap(([key, value]) =>
    FOLDER_KEYS.has(key) && value.kind === "string" ? [stringOf(value)] : [],
  );
  return {
    commands: [...commands, ...bare].filter((command) => typeof command !== "string" || !isPatch(command)),
    folder,
    files: [...namedFiles(input, action, 0), ...patched],
  };
}

const words = (text: string): readonly string[] => text.split(" ");

const WORDS: readonly (readonly [ToolAction, readonly string[]])[] = [
  ["delete", words("delete remove unlink rmdir trash")],
  [
    "write",
    words("write edit create replace patch save append insert update move rename copy mkdir put upload download"),
  ],
  ["read", words("read view cat open get list ls search grep glob find stat info tree fetch show load")],
];

function actionOf(tool: string, kind: string): ToolAction {
  const name = tool.toLowerCase();
  const byName = WORDS.find(([, words]) => words.some((word) => name.includes(word)))?.[0];
  if (byName === "delete") return "delete";
  if (kind === "read" || kind === "search") return "read";
  if (kind === "write" || kind === "edit") return "write";
  return byName ?? "use";
}

/** A program and its arguments in members of their own: `{"command": "git", "args": ["reset", "--hard"]}`. */
function withArguments(all: readonly (readonly [string, JsonSpan])[]): ToolCall["commands"] {
  const [program] = all.filter(([key, { kind }]) => PROGRAM_KEYS.has(key) && kind === "string");
  const [args] = all.filter(([key, { kind }]) => ARGUMENT_KEYS.has(key) && kind === "array");
  if (program === undefined || args === undefined) return [];
  return [[stringOf(program[1]), ...textsIn(args[1])]];
}

function commandsIn(value: JsonSpan): ToolCall["commands"] {
  if (value.kind === "string") return [stringOf(value)];
  if (value.kind !== "array") return [];
  const items = itemsOf(value);
  // A list of strings is one command with its arguments.
  return items.every(({ kind }) => kind === "string") && items.length > 0 ? [items.map(stringOf)] : [];
}

/** The files that the members of one object name, with the texts to write. */
function namedFiles(span: JsonSpan, action: ToolAction, depth: number): readonly ToolFile[] {
  if (depth > TOOL_INPUT_DEPTH) return [];
  if (span.kind === "array")
    return itemsOf(span)
      .slice(0, MOST_VALUES)
      .flatMap((item) => namedFiles(item, action, depth + 1));
  if (span.kind !== "object") return [];
  const own = judgedMembers(span, depth).map(([key, value]) => [plainKey(key), value] as const);
  const oldText = textUnder(own, OLD_TEXT_KEYS);
  const newText = textUnder(own, NEW_TEXT_KEYS);
  const files = own.flatMap(([key, value]) => (FILE_KEYS.has(key) ? pathsIn(value) : []));
  return [
    ...files.map((path) => ({ path, action, oldText, newText })),
    ...own.flatMap(([, value]) => namedFiles(value, action, depth + 1)),
  ];
}

const textUnder = (own: readonly (readonly [string, JsonSpan])[], keys: ReadonlySet<string>): string | null =>
  own.flatMap(([key, value]) => (keys.has(key) && value.kind === "string" ? [stringOf(value)] : []))[0] ?? null;

const pathsIn = (value: JsonSpan): readonly string[] => textsIn(value).map((path) => path.replace(/^file:\/\//, ""));

function textsIn(value: JsonSpan): readonly string[] {
  if (value.kind === "string") return [stringOf(value)];
  return value.kind === "array"
    ? itemsOf(value)
        .slice(0, MOST_VALUES)
        .filter(({ kind }) => kind === "string")
        .map(stringOf)
    : [];
}

const isPatch = (text: string): boolean =>
  /^[ \t]*\*\*\* Begin Patch/m.test(text) || /^(?:diff --git|--- )[^\n]*\n/.test(text);

function patchedFiles(text: string): readonly ToolFile[] {
  const named = [...text.matchAll(PATCH_LINE)].map(([, how, path = ""]): ToolFile => {
    return { path: path.trim(), action: how === "Delete" ? "delete" : "write", oldText: null, newText: null };
  });
  if (named.length > 0) return named;
  const paths = [...text.matchAll(UNIFIED_LINE)].map(([, path = ""]) => path.trim());
  return paths
    .filter((path) => path !== "/dev/null")
    .map((path) => ({ path, action: "write", oldText: null, newText: null }));
}

const textOf = (span: JsonSpan | undefined): string => (span?.kind === "string" ? stringOf(span) : "");
