import { tableOf } from "../../../../src/protocol/json/table.ts";
import { rowFinder } from "../named-rows.ts";
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
export interface CodeOptions {
  /** Options whose value is code. */
  readonly code: string;
  /** Other options with a value. */
  readonly values?: string;
  /** Commands whose operand is code: `deno eval`. */
  readonly commands?: string;
}

const { runs, effects, pathMethods, options, comments } = tableOf<CodeTable>(table);

const runsNamed = rowFinder({ [runs]: true });
const effectsNamed = rowFinder(Object.fromEntries(Object.entries(effects).map(([words, names]) => [names, words])));
const methodsNamed = rowFinder(pathMethods);
const optionsNamed = rowFinder(options);

export const runsCommand = (name: string): boolean => runsNamed(name) === true;

/** The command line that changes or reads files as the function does. */
export const codeEffect = (name: string): readonly string[] | undefined => effectsNamed(name)?.split(" ");

export const pathMethod = (name: string): readonly string[] | undefined => methodsNamed(name)?.split(" ");

export const codeOptionsOf = (program: string): CodeOptions | undefined =>
  optionsNamed(program) ?? optionsNamed(program.replace(/[\d.]+$/, ""));

/**
 * String literals, and comments of the languages in which no pattern contains a comment mark; in JavaScript `/[//]/` is
 * a pattern.
 */
const STRINGS = String.raw`"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\`(?:[^\`\\]|\\[\s\S])*\``;
/** The code without its comments. An open block comment at the end counts as code. */
export function withoutComments(code: string, program: string): string {
  const comment = comments.find(({ programs }) => new RegExp(programs).test(program))?.comment;
  if (comment === undefined) return code;
  return code.replace(new RegExp(`(${STRINGS})|${comment}`, "gm"), (_, string: string | undefined) => string ?? " ");
}

/** Code in which the arguments that are strings of several lines, as some languages have them, have escapes for line ends. */
export function withStringsOnOneLine(code: string, program: string): string {
  if (!/^(?:perl|j?ruby|php)/.test(program)) return code;
  return code.replace(
    /(?=["'])(?<=[(,=]\s{0,9}|\w\s{1,9})(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')/g,
    (string) => string.replaceAll("\n", "\\n"),
  );
}
