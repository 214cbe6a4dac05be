import { posix } from "node:path";
import type { Command, Redirection, Script, SyntaxNode, Word } from "unbash";
import { nameSet } from "../protocol/json/table.ts";
import {
  assign,
  type Findings,
  knownVariables,
  markStarted,
  mention,
  type NamedFiles,
  note,
  read,
  type ShellPlace,
  start,
} from "./findings.ts";
import { shellParser } from "./load-parser.ts";
import { kindOf } from "./programs.ts";
import { followProgram } from "./started-files.ts";
import { UNKNOWN } from "./unknown.ts";
import { asPattern, isGlob, plain, valuesOf } from "./word-values.ts";

const DEEPEST_TEXT = 6;
/** Rounds to follow a loop that changes the directory or a variable; more rounds find nothing new. */
const ROUNDS_OF_LOOPS = 3;
const LOOPS = nameSet("For ArithmeticFor While Select Function");

/** The files that shell text or a list of arguments starts and names. */
export function namedFiles(command: string | readonly string[], place: ShellPlace): NamedFiles {
  const found = nothingFound(place);
  for (let round = 1; round === 1 || (found.hasLoop && round <= ROUNDS_OF_LOOPS); round++) {
    if (typeof command === "string") followText(command, found);
    else
      followWords(
        command.map((word) => [asPattern(word)]),
        [],
        found,
      );
  }
  return found;
}

function nothingFound(place: ShellPlace): Findings {
  const found: Findings = {
    variables: knownVariables(place),
    folders: new Set([asPattern(place.folder)]),
    home: place.home,
    paths: new Map(),
    started: new Set(),
    globs: new Set(),
    notCovered: new Set(),
    functions: new Set(),
    depth: 0,
    isGuess: false,
    hasLoop: false,
    follow: (script) => followNode(script, found),
    run: (text) => followText(text, found),
    guess: (text) => guessText(text, found),
  };
  found.variables.set("PWD", found.folders);
  found.variables.set("OLDPWD", found.folders);
  return found;
}

function followText(text: string, found: Findings): void {
  if (found.depth >= DEEPEST_TEXT) {
    note(found, clip(text), "it is nested too deep to be followed");
    return;
  }
  found.depth++;
  const script = shellParser().parse(text);
  if ((script.errors?.length ?? 0) > 0) note(found, clip(text), "it cannot be parsed as a shell command");
  followNode(script, found);
  found.depth--;
}

function guessText(text: string, found: Findings): void {
  const before = found.isGuess;
  found.isGuess = true;
  if (found.depth < DEEPEST_TEXT) followText(text, found);
  found.isGuess = before;
}

function followNode(node: Script | SyntaxNode, found: Findings): void {
  if (LOOPS.has(node.type)) found.hasLoop = true;
  switch (node.type) {
    case "Command":
      followCommand(node, found);
      return;
    case "Assignment":
      followAssignment(node, found);
      return;
    case "Redirect":
    case "HereString":
    case "HereDoc":
      followRedirection(node, found);
      return;
    case "Word":
      nameValues(valuesOf(node, found), found);
      return;
    case "Function":
      found.functions.add(node.name.value);
      break;
    case "For":
    case "Select": {
      const values = node.wordlist?.flatMap((word) => valuesOf(word, found));
      for (const value of values ?? [`${UNKNOWN}$@${UNKNOWN}`]) assign(node.name.value, value, found);
      followNode(node.body, found);
      return;
    }
  }
  shellParser().forEachChild(node, (child) => followNode(child, found));
}

function followCommand(command: Command, found: Findings): void {
  for (const part of [...command.prefix, ...command.suffix]) if (part.type !== "Word") followNode(part, found);
  if (command.name === undefined) return;
  const words = [command.name, ...command.args.filter((one): one is Word => one.type === "Word")];
  const values = words.map((word) => valuesOf(word, found));
  if (values[0]?.some(mayRunInput)) for (const one of command.redirects) markInput(one, found);
  const inputs = command.redirects.flatMap((one) => inputText(one, found));
  followWords(values, inputs, found);
}

/** True if a program may run its input. An unknown name may be any program. */
const mayRunInput = (name: string): boolean => {
  const kind = kindOf(posix.basename(plain(name)));
  return name.includes(UNKNOWN) || !(kind === null || kind === "variable" || kind === "writer");
};

function markInput(redirection: Redirection, found: Findings): void {
  if (redirection.type !== "Redirect" || redirection.target === undefined) return;
  if (redirection.operator.startsWith("<")) {
    for (const value of valuesOf(redirection.target, found)) markStarted(value, found);
  }
}

/** The input that a here-document or a here-string gives to a command. */
function inputText(redirection: Redirection, found: Findings): readonly string[] {
  if (redirection.type === "HereDoc") return [redirection.body.text];
  // The file itself is found by its name.
  if (redirection.type === "Redirect") return redirection.operator === "<" ? [""] : [];
  if (redirection.target === undefined) return [];
  return valuesOf(redirection.target, found).map(plain);
}

/** Follows one program and its arguments, each of which may have several values. */
function followWords(words: readonly (readonly string[])[], inputs: readonly string[], found: Findings): void {
  const [names = [], ...rest] = words;
  for (const name of names) {
    if (found.functions.has(plain(name))) continue;
    if (name.includes(UNKNOWN) || isGlob(name) || name.includes("/")) start(name, found);
    else mention(name, found);
  }
  // First, because a started file is more than a mention.
  followProgram(words, inputs, found);
  const isWriter = names.some((name) => kindOf(posix.basename(plain(name))) === "writer");
  if (!isWriter) for (const values of rest) nameValues(values, found);
}

function nameValues(values: readonly string[], found: Findings): void {
  for (const value of values) {
    const text = plain(value);
    if (/\s/.test(text) && !text.includes(UNKNOWN)) guessText(text, found);
    nameValue(held(value), found);
  }
}

/** The value of an option: `--file=lib/x`, `-flib/x`. */
const held = (word: string): string =>
  word.startsWith("-") ? (/^--?[\w-]+=(.+)$/s.exec(word)?.[1] ?? word.slice(2)) : word;

function nameValue(value: string, found: Findings): void {
  const behind = value.slice(value.lastIndexOf(UNKNOWN) + 1);
  if (!value.includes(UNKNOWN) && !isGlob(value)) mention(value, found);
  else if (isGlob(value) && !isStarted(value, found)) note(found, value, "its files are known only at run time");
  else if (value.includes(UNKNOWN) && /[/.]/.test(behind)) note(found, value, "its file is known only at run time");
}

const isStarted = (pattern: string, { globs }: Findings): boolean => [...globs].some((one) => one.endsWith(pattern));

function followAssignment(node: SyntaxNode & { readonly type: "Assignment" }, found: Findings): void {
  const { name, value, append } = node;
  const words = value.type === "Word" ? [value] : value.elements;
  for (const one of words.flatMap((word) => valuesOf(word, found)))
    assign(name, append === true ? `${UNKNOWN}$${name}${UNKNOWN}` : one, found);
  for (const word of words) nameValues(valuesOf(word, found), found);
}

function followRedirection(node: Redirection, found: Findings): void {
  if (node.type === "HereDoc") {
    guessText(node.body.text, found);
    for (const part of node.body.parts ?? []) followNode(part, found);
    return;
  }
  if (node.target === undefined) return;
  const values = valuesOf(node.target, found);
  if (node.type === "HereString") nameValues(values, found);
  else if (node.operator === "<" || node.operator === "<>") for (const value of values) read(value, found);
}

const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
