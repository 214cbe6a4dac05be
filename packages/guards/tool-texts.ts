import { itemsOf, type JsonObject, type JsonSpan, readJson, stringOf } from "../../src/protocol/json/read.ts";
import { nameSet, tableOf } from "../../src/protocol/json/table.ts";
import {
  argumentsOf,
  isAddressKey,
  MOST_VALUES,
  PROSE_KEYS,
  plainKey,
  TOOL_INPUT_DEPTH,
} from "../../src/protocol/payload/tool-call.ts";
import type { FileAccess } from "./command/files/file-access.ts";
import table from "./tool-guesses.json" with { type: "json" };

const { terminals, talks, searches, runsCode, languages, shells, programs } = tableOf<{
  readonly terminals: string;
  readonly talks: string;
  readonly searches: string;
  readonly runsCode: string;
  readonly languages: Readonly<Record<string, readonly string[]>>;
  readonly shells: Readonly<Record<string, string>>;
  readonly programs: string;
}>(table);

/** Patterns for the names of tools. */
const TERMINALS = new RegExp(terminals);
const TALKS = new RegExp(talks);
const SEARCHES = new RegExp(searches);
const RUNS_CODE = new RegExp(runsCode);
/** Programs whose commands are tools of a server: `git_reset`, `kubectl_delete`. */
const PROGRAMS = new RegExp(`(?:^|_)(${programs})(?:_|$)`);
/** How the code of a language is started, and which shells start as another one, by their names. */
const LANGUAGES = Object.entries(languages).map(([names, starts]) => ({ names: new RegExp(names), starts }));
const OTHER_SHELLS = Object.entries(shells).map(([names, start]) => ({
  names: new RegExp(names, "i"),
  start: start.split(" "),
}));

type Argument = readonly [key: string, value: JsonSpan];
type Command = string | readonly string[];

/** A tool as its name and its kind describe it. */
export interface NamedTool {
  readonly name: string;
  /** True for tools that read, change or search files, or the web. */
  readonly isForFiles: boolean;
}

const TYPED_KEYS = nameSet("chars input keys text data string value content");
export const CODE_KEYS = nameSet("code newsource source cellsource cell script sourcecode");
const SQL_KEY = /^(?:query|queries|statements?)$|sql(?:query|text|statement)?$/;
const SQL =
  /^\s*(?:--[^\n]*\n\s*)*(?:drop|delete|truncate|alter|update|insert|merge|grant|revoke|with|begin|select)\b/i;
const PATH = /^(?:\/|~|\$HOME\b|\$\{HOME\}|\.{1,2}\/|file:)\S*$|^\.[\w.-]+$/i;

/**
 * The commands that values could be whose names tell nothing. A text for readers, such as a message or the content of a
 * file, is none of them.
 */
export function guessedCommands(all: readonly Argument[], { name, isForFiles }: NamedTool): readonly Command[] {
  const tool = plainKey(name);
  if (TERMINALS.test(tool))
    return textsUnder(all, (key) => TYPED_KEYS.has(key)).flatMap((typed) => {
      const text = typed.replace(/\p{Cc}+|\{enter\}/gu, "\n").trim();
      // The program that reads it may be another one than a shell.
      return [text, ["python3", "-c", text], ...(SQL.test(text) ? [["psql", "-c", text]] : [])];
    });
  const code = RUNS_CODE.test(tool)
    ? textsUnder(all, (key) => CODE_KEYS.has(key)).flatMap((text) => codeCommands(text, languageOf(all, tool)))
    : [];
  const sql = SEARCHES.test(tool) ? [] : textsUnder(all, (key) => SQL_KEY.test(key)).filter((text) => SQL.test(text));
  const isSilent = !isForFiles && !TALKS.test(tool);
  const others = isSilent ? textsUnder(all, (key) => !PROSE_KEYS.has(key) && !CODE_KEYS.has(key)) : [];
  const lists = isSilent ? listsUnder(all, (key) => !PROSE_KEYS.has(key) && !CODE_KEYS.has(key)) : [];
  return [
    ...code,
    ...sql.map((text) => ["psql", "-c", text]),
    ...others,
    ...lists.flatMap((words) => [words, ...words]),
  ];
}

/** The command line of a tool that is named like one: `git_push {"force": true}` is `git push --force`. */
export function commandOfTool(all: readonly Argument[], name: string): readonly Command[] {
  const words = name.replace(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase();
  const [, program = ""] = PROGRAMS.exec(words.replace(/[^a-z\d]+/g, "_")) ?? [];
  const request = [...requestOf(all), ...moveOf(all, words)];
  if (program === "") return request;
  const own = words.slice(words.lastIndexOf("__") + 1).replace(/^_/, "");
  const parts = own.split(/[^a-z\d]+/).filter((part) => part !== program && part !== "");
  const given = textsUnder(all, (key) => key === "command" || key === "operation" || key === "action");
  const options = all.flatMap(([key, value]) => {
    if (value.raw === "true") return [`--${key}`];
    if (value.kind === "string" && key === "mode") return [`--${stringOf(value)}`];
    const [texts = []] = listsUnder([[key, value]], () => true);
    return key === "volumes" || key === "binds" ? texts.flatMap((text) => ["-v", text]) : [];
  });
  const named = program === "kubernetes" ? "kubectl" : program;
  return [...given, parts.join("-"), parts[0] ?? ""]
    .filter((command) => command !== "")
    .map((command) => [named, ...command.split(/\s+/), ...options, "name"]);
}

/** `{"method": "DELETE", "url": "…"}` is a request. */
function requestOf(all: readonly Argument[]): readonly Command[] {
  const [method] = textsUnder(all, (key) => key === "method" || key === "httpmethod");
  const [url] = textsUnder(all, (key) => key === "url" || key === "uri" || key === "endpoint");
  return method === undefined || url === undefined ? [] : [["curl", "-X", method, url]];
}

/** `move_file {"source": "…", "destination": "…"}`. */
function moveOf(all: readonly Argument[], name: string): readonly Command[] {
  const [from] = textsUnder(all, (key) => /^(?:source|src|from|old)(?:path|file)?$/.test(key));
  const [to] = textsUnder(all, (key) => /^(?:destination|dest|dst|to|new|target)(?:path|file)?$/.test(key));
  return from !== undefined && to !== undefined && /move|rename/.test(name) ? [["mv", from, to]] : [];
}

const listsUnder = (all: readonly Argument[], fits: (key: string) => boolean): readonly (readonly string[])[] =>
  all.flatMap(([key, value]) => {
    if (value.kind !== "array" || !fits(key)) return [];
    const items = itemsOf(value).slice(0, MOST_WORDS);
    return items.length > 0 && items.every(({ kind }) => kind === "string") ? [items.map(stringOf)] : [];
  });

const MOST_WORDS = 200;

/** The values that are paths as a whole. */
export const guessedPaths = (all: readonly Argument[], isKnown: (key: string) => boolean): readonly string[] => {
  const isOther = (key: string): boolean => !PROSE_KEYS.has(key) && !isKnown(key);
  return [
    ...[...textsUnder(all, isOther), ...listsUnder(all, isOther).flat()].filter((text) => PATH.test(text)),
    ...textsUnder(all, (key) => isAddressKey(key)).filter((text) => /^file:/i.test(text)),
  ];
};

/** Arguments that are written as JSON in a text. */
export function argumentsInTexts(all: readonly Argument[], depth = 0): readonly JsonSpan[] {
  if (depth > TOOL_INPUT_DEPTH) return [];
  return textsUnder(all, (key) => !PROSE_KEYS.has(key) || key === "body").flatMap((text) => {
    if (!/^\s*[{[]/.test(text)) return [];
    const read = readJson(text, TOOL_INPUT_DEPTH);
    return read.ok ? [read.value, ...argumentsInTexts(argumentsOf(read.value), depth + 1)] : [];
  });
}

const textsUnder = (all: readonly Argument[], fits: (key: string) => boolean): readonly string[] =>
  all.flatMap(([key, value]) => (value.kind === "string" && fits(key) ? [stringOf(value)] : []));

/** The name of the language of a cell or a script: an argument, or a part of the tool's name. */
function languageOf(all: readonly Argument[], tool: string): string {
  const [named = ""] = textsUnder(all, (key) => /language|lang|kernel|celltype|runtime/.test(key));
  return `${named.toLowerCase()} ${tool}`;
}

/** A notebook also has lines for a shell: `!rm x`, `%%bash`. */
function codeCommands(text: string, language: string): readonly Command[] {
  if (/^(?:markdown|raw)/.test(language)) return [];
  const cell = /^\s*%%(?:bash|sh|shell|script \S*sh)\b[^\n]*\n([\s\S]*)/.exec(text)?.[1];
  const lines = [...text.matchAll(/^\s*(?:!{1,2}|%(?:sx|system)\s)\s*(.+)$/gm)].map(([, line = ""]) => line);
  const starts = startsFor(language) ?? ["python3 -c", "node -e"];
  return [
    ...lines,
    ...(cell === undefined ? [] : [cell]),
    ...starts.map((start) => (start === "" ? text : [...start.split(" "), text])),
  ];
}

const startsFor = (language: string): readonly string[] | undefined =>
  LANGUAGES.find(({ names }) => names.test(language))?.starts;

/** True if the call names a language for its code that is none of a shell. */
export const hasOtherLanguage = (all: readonly Argument[], tool: string): boolean =>
  startsFor(languageOf(all, plainKey(tool)))?.includes("") === false;

/** How the shell is started that the call names, as its own name or under `shell`, if it is PowerShell or cmd. */
export function otherShellOf(all: readonly Argument[], tool: string): readonly (readonly string[])[] {
  const named = `${tool} ${textsUnder(all, (key) => key === "shell" || key === "executable").join(" ")}`;
  return OTHER_SHELLS.filter(({ names }) => names.test(named)).map(({ start }) => start);
}

/** The texts among the arguments of a tool call, whatever their names are. */
export interface ToolTexts {
  /** The agent's name for the tool, and its portable kind; empty if it has none. */
  readonly tool: string;
  readonly kind: string;
  /** Decodes them: few guards need them. */
  readonly texts: () => readonly ToolText[];
  /** The files that the tool names. */
  readonly files: readonly FileAccess[];
}

/** A text with the name of its argument, in lower case and without separators. */
export interface ToolText {
  readonly key: string;
  readonly text: string;
}

/** The texts of a tool call, which are decoded when a guard asks for them. */
export function readToolTexts(members: JsonObject): Omit<ToolTexts, "files"> {
  const input = members.get("tool_input");
  let known: readonly ToolText[] | null = null;
  const texts = (): readonly ToolText[] => {
    known ??= input === undefined ? [] : textsIn(input);
    return known;
  };
  return { tool: textOf(members.get("tool_name")), kind: textOf(members.get("tool_kind")), texts };
}

function textsIn(input: JsonSpan): readonly ToolText[] {
  const named = argumentsOf(input).flatMap(([key, value]) => valuesOf(value).map((text) => ({ key, text })));
  return input.kind === "string" || input.kind === "array"
    ? [...valuesOf(input).map((text) => ({ key: "", text })), ...named]
    : named;
}

/** A text, or those in a list. Members of objects are arguments of their own. */
function valuesOf(value: JsonSpan): readonly string[] {
  if (value.kind === "string") return [stringOf(value)];
  return value.kind === "array" ? itemsOf(value).slice(0, MOST_VALUES).flatMap(valuesOf) : [];
}

const textOf = (span: JsonSpan | undefined): string => (span?.kind === "string" ? stringOf(span) : "");
