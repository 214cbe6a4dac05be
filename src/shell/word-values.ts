import type { Script, Word, WordPart } from "unbash";
import { shellParser } from "./load-parser.ts";
import { UNKNOWN } from "./unknown.ts";

/** Stands for the project's folder at the beginning of a value, so that it is the same in every checkout. */
export const PROJECT = "\u0001";

/** A word with more values is treated as unknown. */
const MOST_VALUES = 32;

/** What is known while a command is followed. Values are patterns: literal glob characters are escaped with `\`. */
export interface ShellScope {
  readonly variables: ReadonlyMap<string, ReadonlySet<string>>;
  readonly folders: ReadonlySet<string>;
  readonly home: string;
  /** Called for the script of each substitution. */
  readonly follow: (script: Script) => void;
}

/** All values that a word may have, as patterns. */
export function valuesOf(word: Word, known: ShellScope): readonly string[] {
  if (word.parts === undefined) return [literal(word.value, word.text, known)];
  const [first, ...rest] = word.parts;
  if (first === undefined) return [""];
  const begin = first.type === "Literal" ? [literal(first.value, first.text, known)] : partValues(first, known);
  return joined([begin, ...rest.map((part) => partValues(part, known))]);
}

/** Removes the escapes of a pattern. */
export const plain = (value: string): string => value.replace(/\\(.)/gs, "$1");

export const isGlob = (value: string): boolean => /[*?[]/.test(value.replace(/\\./gs, ""));

export const asPattern = (text: string): string => text.replace(/[\\*?[\]]/g, "\\$&");

function literal(value: string, text: string, { home }: ShellScope): string {
  if (value === "~" || (value.startsWith("~/") && text.startsWith("~/")))
    return asPattern(home) + asPattern(value.slice(1));
  return asPattern(value);
}

function partValues(part: WordPart, known: ShellScope): readonly string[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [asPattern(part.value)];
    case "Glob":
      return [part.kind === "bracket" ? part.text : part.value];
    case "ExtendedGlob":
      return ["*"];
    case "DoubleQuoted":
    case "LocaleString":
      return joined(part.parts.map((child) => partValues(child, known)));
    case "SimpleExpansion":
      return variable(part.text.slice(1), part.text, known);
    case "ParameterExpansion":
      return expanded(part, known);
    case "CommandExpansion": {
      if (part.script === undefined) return unknown(part.text);
      known.follow(part.script);
      return printedBy(part.script, known) ?? unknown(part.text);
    }
    case "ProcessSubstitution":
      if (part.script !== undefined) known.follow(part.script);
      return ["/dev/fd/0"];
    case "ArithmeticExpansion":
      return unknown(part.text);
    case "BraceExpansion":
      return few(alternatives(part.text).flatMap((one) => wordIn(one, known)));
  }
}

/** `${name}`, and `${name:-other}` with both. */
function expanded(part: WordPart & { readonly type: "ParameterExpansion" }, known: ShellScope): readonly string[] {
  const { operation, prefix, index, parameter, text } = part;
  const own =
    prefix === undefined && (index === undefined || parameter === "BASH_SOURCE")
      ? variable(parameter, text, known)
      : unknown(text);
  if (operation === undefined) return own;
  return operation.type === "Default" ? few([...own, ...valuesOf(operation.operand, known)]) : unknown(text);
}

const unknown = (text: string): readonly string[] => [UNKNOWN + asPattern(text) + UNKNOWN];

const variable = (name: string, text: string, { variables }: ShellScope): readonly string[] => [
  ...(variables.get(name) ?? unknown(text)),
];

/** Joins each beginning with each end. */
function joined(parts: readonly (readonly string[])[]): readonly string[] {
  return parts.reduce((begun, ends) => few(begun.flatMap((begin) => ends.map((end) => begin + end))), [""]);
}

const few = (values: readonly string[]): readonly string[] => {
  const all = [...new Set(values)];
  return all.length > MOST_VALUES ? unknown("…") : all;
};

/** The output of some commands that are used to find a directory; null if it is not known. */
function printedBy(script: Script, known: ShellScope): readonly string[] | null {
  const last = script.commands.at(-1)?.command;
  const command = last?.type === "AndOr" || last?.type === "Pipeline" ? last.commands.at(-1) : last;
  if (command?.type !== "Command" || command.name === undefined) return null;
  const words = command.args.flatMap((one) => (one.type === "Word" ? [one] : []));
  const name = command.name.value;
  if (name === "pwd") return [...known.folders];
  if (name === "git" && words.some(({ value }) => value === "--show-toplevel")) return [PROJECT];
  const [only, ...others] = words.filter(({ value }) => !value.startsWith("-"));
  if (only === undefined || others.length > 0) return null;
  if (["realpath", "readlink", "echo"].includes(name)) return valuesOf(only, known);
  return name === "dirname" ? valuesOf(only, known).map((value) => `${value}/..`) : null;
}

function wordIn(text: string, known: ShellScope): readonly string[] {
  const command = shellParser().parse(`: ${text}`).commands[0]?.command;
  const word = command?.type === "Command" ? command.args[0] : undefined;
  return word?.type === "Word" ? valuesOf(word, known) : [""];
}

/** The alternatives of `{a,b}`; a range is not expanded. */
function alternatives(text: string): readonly string[] {
  const found: string[] = [""];
  let depth = 0;
  for (const char of text.slice(1, -1)) {
    if (char === "{") depth++;
    if (char === "}") depth--;
    if (char === "," && depth === 0) found.push("");
    else found.push((found.pop() ?? "") + char);
  }
  return found.length === 1 ? ["*"] : found;
}
