import { namesIn, tableOf } from "../../../../src/protocol/json/table.ts";
import { ownValue } from "../../../../src/protocol/own-value.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Started } from "../analysis.ts";
import { type Call, plainWord } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import { optionValues, parseOptions } from "../options.ts";
import type { ShellState } from "../script/shell-state.ts";
import { runInner, startInner } from "../start.ts";
import { argumentsAt, type CodeScope, type CodeValue, textOf, valueOfCode, variablesOf } from "./code-values.ts";
import table from "./functions.json" with { type: "json" };

interface CodeTable {
  /** Functions of scripting languages that run a command: shell text, or a list of words. */
  readonly runs: string;
  /** Functions that change or read files, by an equivalent command line. `1`: the first argument. */
  readonly effects: Readonly<Record<string, string>>;
  /** Methods of a path (`Path("x").unlink()`), with the program and arguments before the path. `?`: an unknown argument. */
  readonly pathMethods: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, CodeOptions>>;
  /** Patterns for the names of programs, and for the comments of their languages. */
  readonly comments: readonly { readonly programs: string; readonly comment: string }[];
}

/** How an interpreter gets code as an argument. Options are separated by spaces. */
interface CodeOptions {
  /** Options whose value is code. */
  readonly code: string;
  /** Other options with a value. */
  readonly values?: string;
  /** Commands whose operand is code: `deno eval`. */
  readonly commands?: string;
}

const { runs, effects, pathMethods, options, comments } = tableOf<CodeTable>(table);

const runsCommand = rowFinder({ [runs]: true });
const effectOf = rowFinder(Object.fromEntries(Object.entries(effects).map(([words, names]) => [names, words])));
const methodOf = rowFinder(pathMethods);
const optionsOf = rowFinder(options);

/**
 * String literals, and comments of the languages in which no pattern contains a comment mark; in JavaScript `/[//]/` is
 * a pattern.
 */
const STRINGS = String.raw`"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\`(?:[^\`\\]|\\[\s\S])*\``;
/** The code without its comments. An open block comment at the end is treated as code. */
export function withoutComments(code: string, program: string): string {
  const comment = comments.find(({ programs }) => new RegExp(programs).test(program))?.comment;
  if (comment === undefined) return code;
  return code.replace(new RegExp(`(${STRINGS})|${comment}`, "gm"), (_, string: string | undefined) => string ?? " ");
}

/** Code in which the arguments that are strings of several lines, as some languages have them, have escapes for line ends. */
function withStringsOnOneLine(code: string, program: string): string {
  if (!/^(?:perl|j?ruby|php)/.test(program)) return code;
  return code.replace(
    /(?=["'])(?<=[(,=]\s{0,9}|\w\s{1,9})(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')/g,
    (string) => string.replaceAll("\n", "\\n"),
  );
}

const MOST_CODE = 65536;
const MOST_CALLS = 2000;
/** Looks for commands and changes of files in code for an interpreter: `python -c "…"`. Always returns null. */
export function followCode(call: Call, started: Started): readonly ShellState[] | null {
  const code = codeOf(call, started);
  if (code === null || code.trim() === UNKNOWN) return null;
  if (code.length > MOST_CODE) {
    started.state.limits.isReached = true;
    return null;
  }
  // The end of a string is a guess, so the raw code is followed, too.
  for (const text of new Set([code, withStringsOnOneLine(code, call.program)])) readCode(text, { call, started });
  return null;
}

/** The code that an interpreter gets as an argument, from its input or from a file of the command itself. */
function codeOf({ program, args }: Call, { state }: Started): string | null {
  const options = optionsOf(program) ?? optionsOf(program.replace(/[\d.]+$/, ""));
  if (options === undefined) return null;
  // Node reads `-pe` as one option with the code behind it.
  const words = args.map((word) => (word.text === "-pe" ? { ...word, text: "--print" } : word));
  const parsed = parseOptions(namesIn(options.code).includes("-pe") ? words : args, {
    values: `${options.code} ${options.values ?? ""}`.trim(),
    endsAtOperand: true,
    attached: "-i -l -0",
  });
  const [first, second] = parsed.operands;
  const texts = optionValues(parsed, options.code).map(({ text }) => text);
  if (texts.length > 0) return texts.join("\n");
  if (/awk$/.test(program)) return first?.text ?? null;
  if (first !== undefined && namesIn(options.commands ?? "").includes(first.text)) return second?.text ?? null;
  // `perl -pi -e`: the option is in a group that this grammar splits.
  const clustered = args.findIndex(({ text }) => /^-[a-zA-Z0-9]*[eE]$/.test(text));
  if (clustered !== -1 && /^(?:perl|ruby)/.test(program)) return args[clustered + 1]?.text ?? null;
  if (first === undefined || first.text === "-") return state.stdin.text;
  return state.files.get(first.text) ?? null;
}

const LITERAL_DOLLAR = /^[ij]?py|^(?:node|nodejs|bun|deno|tsx|ts-node)$|awk$|^lua/;

interface Origin {
  readonly call: Call;
  readonly started: Started;
}

function readCode(text: string, origin: Origin): void {
  const code = withoutComments(text, origin.call.program);
  const { place } = origin.started.frame.analysis;
  const environment = (name: string) =>
    origin.started.state.variables.get(name)?.[0] ?? ownValue(place.variables, name);
  const base: CodeScope = {
    variables: new Map(),
    home: place.home,
    environment,
    expandsDollar: !LITERAL_DOLLAR.test(origin.call.program),
    level: 0,
  };
  const scope = { ...base, variables: variablesOf(code, base) };
  const aliases = aliasesIn(code);
  let count = 0;
  for (const match of code.matchAll(
    /(?<![\w$'"-]|\w[.:])([A-Za-z_][\w.]{0,80}(?:::\w{1,40}){0,4})(?=[ \t]*\(|[ \t]+["'[`(]|[ \t]*["'`])/g,
  )) {
    const [, name = ""] = match;
    if (count++ > MOST_CALLS) {
      origin.started.state.limits.isReached = true;
      return;
    }
    const { items } = argumentsAt(code, match.index + name.length);
    readFunction(knownName(name, aliases), { ...origin, scope, values: items.map((item) => valueOfCode(item, scope)) });
  }
  for (const text of commandLiterals(code, scope)) runCode(text, origin);
  for (const words of callsOfPaths(code, scope)) startCode(words, origin);
  if (
    /(?:print|log|puts|dumps|stringify|\bp)\s{0,9}\(?\s{0,9}(?:dict\()?(?:os\.environ|process\.env|ENV)\b(?![.[\w])/.test(
      code,
    )
  )
    startCode(["printenv"], origin);
}

/** Other names of modules and functions: `import subprocess as s`, `const { execSync: run } = require("child_process")`. */
function aliasesIn(code: string): ReadonlyMap<string, string> {
  const python = /\b(?:import|from\s{1,9}([\w.]{1,40})\s{1,9}import)\s{1,9}([\w.]{1,40})\s{1,9}as\s{1,9}(\w{1,40})/g;
  const found = new Map<string, string>();
  for (const [, module, name = "", alias = ""] of code.matchAll(python))
    found.set(alias, module === undefined ? name : `${module}.${name}`);
  const required = /(\w{1,40})\s{0,9}=\s{0,9}(?:await\s{1,9}import|require)\(\s{0,9}["'](?:node:)?([\w/]{1,40})["']/g;
  for (const [, alias = "", module = ""] of code.matchAll(required)) found.set(alias, module.replace("/promises", ""));
  for (const [, name = "", alias = ""] of code.matchAll(
    /\b(exec\w*|spawn\w*|\w{2,20}Sync)\s{0,9}(?::|as)\s{0,9}(\w{1,40})/g,
  ))
    found.set(alias, name);
  return found;
}

/** The name in the tables: of an aliased function, or without an object before a distinctive name. */
function knownName(name: string, aliases: ReadonlyMap<string, string>): string {
  const [first = "", ...rest] = name.split(".");
  const full = [aliases.get(first) ?? first, ...rest].join(".");
  const last = rest.at(-1) ?? full;
  const isKnown = (one: string): boolean => effectOf(one) !== undefined || runsCommand(one) !== undefined;
  return !isKnown(full) && /[a-z][A-Z_]|_\w|^rmtree$/.test(last) && isKnown(last) ? last : full;
}

interface FunctionCall extends Origin {
  readonly scope: CodeScope;
  readonly values: readonly CodeValue[];
}

function readFunction(name: string, { values, call, started }: FunctionCall): void {
  const effect = effectOf(name);
  const [first] = values;
  if (first === undefined) return;
  if (effect !== undefined) startCode(effectWords(namesIn(effect), values), { call, started });
  else if (/(?:^|\.)open$|^(?:open|File\.open|File\.new|fopen|sysopen|openSync|codecs\.open|io\.open)$/.test(name))
    openFile(values, { call, started });
  else if (runsCommand(name) === true) {
    const list = wordsOf(values);
    if (list === null) runCode(textOf(first), { call, started });
    else startCode(list, { call, started });
  }
}

const effectWords = (effect: readonly string[], values: readonly CodeValue[]): readonly string[] =>
  effect.flatMap((word) => {
    if (!/^[12]$/.test(word)) return [word];
    const value = values[Number(word) - 1];
    return value === undefined ? [UNKNOWN] : typeof value === "string" ? [value] : value;
  });

/** `run(["rm", "x"])`, `spawn("rm", ["x"])`, `system("rm", "x")`; null for one text. */
function wordsOf([first, second, ...rest]: readonly CodeValue[]): readonly string[] | null {
  if (typeof first !== "string") return first ?? null;
  if (second !== undefined && typeof second !== "string") return [first, ...second];
  if (second === undefined || /\s/.test(first) || !/^[\w./-]+$/.test(first) || second.includes(UNKNOWN)) return null;
  return [first, second, ...rest.filter((value) => typeof value === "string" && !value.includes(UNKNOWN)).map(textOf)];
}

/** The mode of `open`: without one a file is read. Perl writes it before the path. */
function openFile(values: readonly CodeValue[], origin: Origin): void {
  const [path = "", mode, third = ""] = values.map(textOf);
  const text = mode ?? "r";
  const isPerl = origin.call.program.startsWith("perl");
  const perl = /^\s*(\+?[<>|]{1,2}|-\|)\s*(.*)$/s.exec(text) ?? /^\s*(>>?)\s*(.*)$/s.exec(path);
  if (perl !== null)
    startCode([perl[1]?.includes(">") === true ? "tee" : "cat", perl[2] || (isPerl ? third : "") || UNKNOWN], origin);
  else if (/^[wax]b?t?\+?/.test(text)) startCode(text.startsWith("a") ? ["tee", "-a", path] : ["tee", path], origin);
  else if (/^r?b?t?$/.test(text) || text.includes("=")) startCode(["cat", path], origin);
  else if (text.startsWith("r+")) startCode(["tee", path], origin);
}

/** Commands between backticks, in `%x(…)`, `qx{…}`, behind `do shell script`, and in the pipes of awk. */
function commandLiterals(code: string, scope: CodeScope): readonly string[] {
  const texts: string[] = [];
  for (const match of code.matchAll(
    /(?:%x|qx)\s*(?:\{([^}]{0,999})\}|\(([^)]{0,999})\)|\[([^\]]{0,999})\]|([/|!])([^/|!]{0,999})\4)/g,
  ))
    texts.push(match[1] ?? match[2] ?? match[3] ?? match[5] ?? "");
  for (const match of code.matchAll(/do shell script\s+("(?:[^"\\]|\\.){0,999}")/g))
    texts.push(textOf(valueOfCode(match[1] ?? "", scope)));
  for (const match of code.matchAll(/\|\s*("(?:[^"\\\n]|\\.){0,999}")|("(?:[^"\\\n]|\\.){0,999}")\s*\|\s*getline/g))
    texts.push(textOf(valueOfCode(match[1] ?? match[2] ?? "", scope)));
  for (const match of code.matchAll(/(\$|[=;({\n]|^)[ \t]*`([^`\n]{0,999})`/g))
    if (match[1] === "$" || !/\b(?:const|let|require|console)\b/.test(code))
      texts.push((match[2] ?? "").replace(/[$#]\{[^}]*\}/g, UNKNOWN));
  return texts.slice(0, MOST_CALLS);
}

function callsOfPaths(code: string, scope: CodeScope): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  for (const match of code.matchAll(/\bPath\(/g)) {
    const { items, end } = argumentsAt(code, match.index + 4);
    const [, joined = "", method = ""] =
      /^\)((?:\s*\/\s*["'][^"'\n]*["'])*)(?:\.expanduser\(\)|\.resolve\(\))?\.(\w+)\(/.exec(
        code.slice(end, end + 300),
      ) ?? [];
    const words = namesIn(methodOf(method) ?? "");
    if (words.length === 0 || items[0] === undefined) continue;
    const below = joined.replace(/\s*\/\s*["']([^"'\n]*)["']/g, "/$1");
    const path = textOf(valueOfCode(items[0], scope)) + below;
    found.push([...words.map((word) => (word === "?" ? UNKNOWN : word)), path.replace(/^~(?=\/|$)/, scope.home)]);
  }
  return found.slice(0, MOST_CALLS);
}

function runCode(text: string, { call, started }: Origin): void {
  if (text !== "" && text !== UNKNOWN) runInner(call, text, started, { relation: "inline code" });
}

function startCode(texts: readonly string[], { call, started }: Origin): void {
  const words = texts.map((text) => plainWord(text, text.replaceAll(UNKNOWN, "…")));
  startInner(call, words, { ...started, own: new Map() }, { relation: "inline code" });
}
