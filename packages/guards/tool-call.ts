import { itemsOf, type JsonObject, type JsonSpan, stringOf } from "../../src/protocol/json/read.ts";
import { nameSet, namesIn } from "../../src/protocol/json/table.ts";
import { isPatch, type PatchOperation, patchOperations } from "../../src/protocol/payload/patch.ts";
import {
  argumentsOf,
  FOLDER_KEYS,
  hasUnreadValues,
  isAddressKey,
  isCommandKey,
  isFileKey,
  isPathKey,
  judgedMembers,
  LOOSE_COMMAND_KEYS,
  MOST_VALUES,
  plainKey,
  TOOL_INPUT_DEPTH,
} from "../../src/protocol/payload/tool-call.ts";
import type { FileEdit } from "./file-edit.ts";
import {
  argumentsInTexts,
  CODE_KEYS,
  commandOfTool,
  guessedCommands,
  guessedPaths,
  hasOtherLanguage,
  otherShellOf,
  readToolTexts,
  type ToolTexts,
} from "./tool-texts.ts";

/** How a tool uses the files that it names. `use`: unknown from its name. */
export type ToolAction = "read" | "write" | "delete" | "use";

/** A tool call in the same form for every agent. */
export interface ToolCall {
  /** Shell text, or a list of arguments without a shell. */
  readonly commands: readonly (string | readonly string[])[];
  /** The working directory of the tool's commands, if the call names one. */
  readonly folder: string | null;
  readonly files: readonly ToolFile[];
  /** The addresses among its values, also `example.org/x` under a name for addresses. */
  readonly addresses?: readonly string[];
  readonly tool?: Omit<ToolTexts, "files">;
  /** Values that could be commands. What cannot be followed in them is no finding. */
  readonly guesses?: readonly (string | readonly string[])[];
  /** True if it has more values than are read. */
  readonly isCut?: true;
}

export interface ToolFile extends FileEdit {
  readonly path: string;
  readonly action: ToolAction;
  /** True if a folder may be put in its place. */
  readonly isMoved?: true;
  /** True if the shell's folder decides which file a patch means. */
  readonly isFromShell?: true;
}

const PROGRAM_KEYS = nameSet("command cmd program executable file binary exe bin argv0");
const ARGUMENT_KEYS = nameSet("args arguments argv params commandargs rest parameters");
const OLD_TEXT_KEYS = nameSet("oldstring oldstr oldtext search find");
const NEW_TEXT_KEYS = nameSet(
  "newstring newstr newtext content contents filetext text inserttext replace replacement codeedit newcontent",
);
/** An edit that replaces each occurrence says so, under a name of the agent. */
const EVERYWHERE_KEY = /all|every|global|multiple|occurrences|replacements/;
const LINE_KEYS = nameSet("insertline afterline");
/** Kinds of tools in whose arguments `code` and `line` are no commands. */
const FILE_KINDS = nameSet("read write edit search web");

/** Reads a tool call by the names of its arguments, so that tools of MCP servers and new agents are judged, too. */
export function readToolCall(members: JsonObject): ToolCall {
  const input = members.get("tool_input");
  const kind = textOf(members.get("tool_kind"));
  const tool = textOf(members.get("tool_name"));
  const action = actionOf(tool, kind);
  if (input === undefined) return { commands: [], folder: null, files: [] };
  const written = argumentsOf(input);
  const inTexts = argumentsInTexts(written);
  const all = [...written, ...inTexts.flatMap(argumentsOf)];
  const isOtherCode = hasOtherLanguage(all, tool);
  const isCommand = (key: string): boolean =>
    isCommandKey(key) || (LOOSE_COMMAND_KEYS.has(key) && !FILE_KINDS.has(kind) && !(isOtherCode && CODE_KEYS.has(key)));
  const isKnown = (key: string): boolean =>
    isCommand(key) || isFileKey(key) || isPathKey(key) || FOLDER_KEYS.has(key) || isAddressKey(key);
  const commands = [
    ...all.flatMap(([key, value]) => (isCommand(key) ? commandsIn(value, key) : [])),
    ...withArguments(all),
  ];
  // A tool whose input is a bare text runs it, or applies it as a patch.
  const bare = input.kind === "string" ? [stringOf(input)] : [];
  const texts = [...all.flatMap(([, value]) => textsIn(value)), ...bare];
  const isFromShell = kind === "shell" ? { isFromShell: true as const } : {};
  const patched = texts
    .flatMap(patchOperations)
    .flatMap(filesOfOperation)
    .flatMap((file) => patchedPaths(file.path).map((path) => ({ ...file, ...isFromShell, path })));
  const [folder = null] = all.flatMap(([key, value]) =>
    FOLDER_KEYS.has(key) && value.kind === "string" ? [stringOf(value)] : [],
  );
  return {
    // A shell runs the lines around a patch.
    commands: [...commands, ...bare].filter((command) => kind === "shell" || !isOnlyPatch(command)),
    folder,
    files: [
      ...[input, ...inTexts].flatMap((span) => namedFiles(span, { action, tool, files: [] }, 0)),
      ...patched,
      ...guessedPaths(all, isKnown).flatMap((path) =>
        pathsOf(path).map((one) => ({ path: one, action, oldText: null, newText: null })),
      ),
    ],
    guesses: [
      ...guessedCommands(
        all.filter(([key]) => !isKnown(key) || CODE_KEYS.has(key)),
        { name: tool, isForFiles: FILE_KINDS.has(kind) },
      ),
      ...(FILE_KINDS.has(kind) ? [] : commandOfTool(all, tool)),
      ...otherShellOf(all, tool).flatMap((start) =>
        [...commands, ...bare].flatMap((text) => (typeof text === "string" ? [[...start, text]] : [])),
      ),
    ],
    addresses: all.flatMap(([key, value]) =>
      textsIn(value).flatMap((text) => [
        ...addressIn(text, key),
        // Some tools for the web get the address in their instruction.
        ...(kind === "web" && key === "prompt" ? (text.match(/\bhttps?:\/\/[^\s"'<>)]+/gi) ?? []) : []),
      ]),
    ),
    tool: readToolTexts(members),
    ...(hasUnreadValues(input) ? { isCut: true } : {}),
  };
}

/** A text that is an address as a whole. The scheme may be missing where the argument's name tells what it is. */
function addressIn(text: string, key: string): readonly string[] {
  if (/^\s*[a-z][a-z\d+.-]*:\/\/\S+\s*$/i.test(text)) return [text];
  return isAddressKey(key) && /^[\w-]+(?:\.[\w-]+)+(?:[:/]\S*)?$/.test(text) ? [`https://${text}`] : [];
}

const isOnlyPatch = (command: ToolCall["commands"][number]): boolean =>
  typeof command === "string" &&
  isPatch(command) &&
  /^\s*(?:\*\*\* Begin Patch[\s\S]*\*\*\* End Patch\s*$|\*\*\* (?:Begin Patch|\w+ File:)|diff --git |--- )/.test(
    command,
  );

/** The accesses of one operation of a patch. A moved file is deleted under its old name. */
function filesOfOperation({ kind, path, to, lines }: PatchOperation): readonly ToolFile[] {
  const marked = (mark: string): string =>
    lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(1)] : [])).join("\n");
  const deleted: ToolFile = { path, action: "delete", oldText: null, newText: null };
  if (kind === "delete") return [deleted];
  if (kind === "add") return [{ path, action: "write", oldText: null, newText: `${marked("+")}\n` }];
  const updated: ToolFile = { path, action: "write", oldText: marked("-"), newText: marked("+"), lines };
  if (to === null) return [updated];
  // The text that the new file gets is not in the patch.
  return [updated, deleted, { path: to, action: "write", oldText: null, newText: null }];
}

/** Some agents end the path of a patch at a colon. */
const patchedPaths = (path: string): readonly string[] =>
  [path, ...(path.includes(":") ? [path.slice(0, path.indexOf(":"))] : [])].flatMap(pathForms);

const ACTIONS = {
  delete: "delete remove unlink rmdir trash",
  write: "write edit create replace patch save append insert update move rename copy mkdir put upload download",
  read: "read view cat open get list ls search grep glob find stat info tree fetch show load send mail share attach navigate",
};

function actionOf(tool: string, kind: string): ToolAction {
  const name = tool.toLowerCase();
  const isNamed = (action: keyof typeof ACTIONS): boolean =>
    namesIn(ACTIONS[action]).some((word) => name.includes(word));
  if (isNamed("delete")) return "delete";
  if (kind === "read" || kind === "search") return "read";
  if (kind === "write" || kind === "edit" || isNamed("write")) return "write";
  return isNamed("read") ? "read" : "use";
}

/** A program and its arguments in members of their own: `{"command": "git", "args": ["reset", "--hard"]}`. */
function withArguments(all: readonly (readonly [string, JsonSpan])[]): ToolCall["commands"] {
  const [program] = all.filter(([key, { kind }]) => PROGRAM_KEYS.has(key) && kind === "string");
  const [args] = all.filter(([key, { kind }]) => ARGUMENT_KEYS.has(key) && (kind === "array" || kind === "string"));
  if (program === undefined || args === undefined) return [];
  if (args[1].kind === "string") return [`${stringOf(program[1])} ${stringOf(args[1])}`];
  return [[stringOf(program[1]), ...textsIn(args[1])]];
}

function commandsIn(value: JsonSpan, key: string): ToolCall["commands"] {
  if (value.kind === "string") return [stringOf(value)];
  if (value.kind !== "array") return [];
  const items = itemsOf(value).slice(0, MOST_VALUES);
  if (!items.every(({ kind }) => kind === "string"))
    return items.flatMap((item) => (item.kind === "object" ? [] : commandsIn(item, key)));
  // A list of strings is one command with its arguments; under a name for several commands each may be one, too.
  const words = items.map(stringOf);
  return [...(words.length > 0 ? [words] : []), ...(SEVERAL.test(key) ? [words.join("\n"), ...words] : [])];
}

const SEVERAL = /commands$|lines$|cmds$|^(?:code|run|exec|execute|script|bash|shellcommands)$/;

interface Around {
  readonly action: ToolAction;
  readonly tool: string;
  /** The files that an object around this one names: a list of edits has their texts. */
  readonly files: readonly string[];
}

/** Tools that can put a whole folder in the place of another. */
const MOVES = /move|rename|copy|link|extract|unzip|unpack|restore/i;

/** The files that the members of one object name, with the texts to write. */
function namedFiles(span: JsonSpan, around: Around, depth: number): readonly ToolFile[] {
  if (depth > TOOL_INPUT_DEPTH) return [];
  const { action } = around;
  const moved = action === "write" && MOVES.test(around.tool) ? { isMoved: true as const } : {};
  if (span.kind === "array") {
    const items = itemsOf(span);
    // The effect of a list of edits that is cut is not known.
    const rest = items.length > MOST_VALUES ? around.files : [];
    return [
      ...items.slice(0, MOST_VALUES).flatMap((item) => namedFiles(item, around, depth + 1)),
      ...rest.map((path) => ({ path, action, oldText: null, newText: null })),
    ];
  }
  if (span.kind !== "object") return [];
  const members = judgedMembers(span, depth);
  const own = members.map(([key, value]) => [plainKey(key), value] as const);
  const edit = editIn(own, around.tool);
  const named = own.flatMap(([key, value]) => (isFileKey(key) ? pathsIn(value) : []));
  const keyed = members.flatMap(([key, value]) => (isPathKey(key) ? keyedFile(key, value, action) : []));
  const isEdit = edit.oldText !== null || edit.newText !== null;
  const files = named.length > 0 || !isEdit ? named : around.files;
  const inside = own.flatMap(([, value]) =>
    namedFiles(value, { ...around, files: named.length > 0 ? named : around.files }, depth + 1),
  );
  // The texts are in a list beside the file's name.
  const isInside = !isEdit && inside.some(({ path, newText }) => newText !== null && files.includes(path));
  return [...(isInside ? [] : files.map((path) => ({ path, action, ...moved, ...edit }))), ...keyed, ...inside];
}

const keyedFile = (key: string, value: JsonSpan, action: ToolAction): readonly ToolFile[] =>
  pathForms(key).map((path) => ({
    path,
    action,
    oldText: null,
    newText: value.kind === "string" ? stringOf(value) : null,
  }));

function editIn(own: readonly (readonly [string, JsonSpan])[], tool: string): FileEdit {
  const oldText = textUnder(own, OLD_TEXT_KEYS);
  const newText = textUnder(own, NEW_TEXT_KEYS);
  const isEverywhere = own.some(([key, { raw }]) => EVERYWHERE_KEY.test(key) && !/^(?:false|0|1|null)$/.test(raw));
  const line = own.find(([key, { kind }]) => LINE_KEYS.has(key) && kind === "number")?.[1].raw;
  const isAppended = oldText === null && /append/i.test(tool);
  const afterLine = isAppended ? Number.MAX_SAFE_INTEGER : line === undefined ? undefined : Number(line);
  return {
    oldText,
    newText,
    ...(isEverywhere ? { isEverywhere } : {}),
    ...(afterLine === undefined ? {} : { afterLine }),
  };
}

const textUnder = (own: readonly (readonly [string, JsonSpan])[], keys: ReadonlySet<string>): string | null =>
  own.flatMap(([key, value]) => (keys.has(key) && value.kind === "string" ? [stringOf(value)] : []))[0] ?? null;

const pathsIn = (value: JsonSpan): readonly string[] => [...new Set(textsIn(value, MOST_PATHS).flatMap(pathsOf))];

const pathsOf = (text: string): readonly string[] => pathForms(/^file:/i.test(text) ? pathOfAddress(text) : text);

/** The path of a `file:` address, whose characters may be encoded. */
function pathOfAddress(address: string): string {
  const path = address.replace(/^file:(?:\/\/(?:localhost(?=\/))?)?/i, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Agents leave out the white space around a path, and pi an `@` before it. */
function pathForms(path: string): readonly string[] {
  const plain = path.trim();
  return [...new Set([path, plain, plain.replace(/^@/, "")])];
}

const MOST_PATHS = 20_000;

function textsIn(value: JsonSpan, most = MOST_VALUES): readonly string[] {
  if (value.kind === "string") return [stringOf(value)];
  const items = value.kind === "array" ? itemsOf(value).slice(0, most) : [];
  return items.filter(({ kind }) => kind === "string").map(stringOf);
}

const textOf = (span: JsonSpan | undefined): string => (span?.kind === "string" ? stringOf(span) : "");
