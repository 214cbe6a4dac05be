import type { Command, Script, SyntaxNode, Word } from "unbash";
import { shellParser } from "../../../src/shell/load-parser.ts";
import shellWords from "./shell-words.json" with { type: "json" };

/**
 * A shell command with the positions of its words, so that a respelling edits its structure and never text inside
 * quotes.
 */
export interface ParsedCommand {
  readonly text: string;
  /** The simple commands, without those in substitutions. */
  readonly commands: readonly SimpleCommand[];
  /** The one program that the text starts, and its redirections, unchanged; null if it has anything else. */
  readonly only: { readonly words: readonly CommandWord[]; readonly redirections: string } | null;
  /**
   * True if it is one statement without a here-document, comment or `&` at its end, so that text can follow on its
   * line.
   */
  readonly isOneStatement: boolean;
  readonly isOnePipeline: boolean;
  /** True if every POSIX shell reads it as bash does. */
  readonly isPosix: boolean;
}

export interface SimpleCommand {
  readonly program: CommandWord;
  readonly args: readonly CommandWord[];
  /** True if a program of this name is started, not a builtin, function or alias. */
  readonly startsProgram: boolean;
}

export interface CommandWord {
  readonly pos: number;
  readonly end: number;
  readonly text: string;
  /** Null if it depends on an expansion. */
  readonly value: string | null;
}

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const BUILTINS = setOf(shellWords.builtins);
/** Quoted, these would no longer read their arguments as assignments. */
const DECLARATIONS = setOf(shellWords.declarations);
const RESERVED = setOf(shellWords.reserved);
/** Builtins that are the same in every POSIX shell. */
const POSIX = setOf(shellWords.posix);

/** Parses a command; null if it has a fault. */
export function parseCommand(text: string): ParsedCommand | null {
  const script = parsed(text);
  if (script === null) return null;
  const nodes = nodesIn(script);
  const own = namesDefinedIn(nodes.all);
  const commands = nodes.outer.flatMap((node) => (node.type === "Command" ? simpleCommand(node, own) : []));
  const [statement] = script.commands;
  const isOneStatement =
    script.commands.length === 1 &&
    statement !== undefined &&
    nodes.all.every(({ type }) => type !== "HereDoc") &&
    statement.background !== true &&
    text.slice(statement.end).trim() === "";
  const command = isOneStatement ? statement.command : null;
  return {
    text,
    commands,
    only: command?.type === "Command" ? onlyProgram(command, commands, text) : null,
    isOneStatement,
    isOnePipeline: command !== null && command.type !== "AndOr",
    isPosix:
      isPosixText(text) &&
      nodes.all.every(({ type }) => type !== "Time") &&
      commands.every(({ program, startsProgram }) => startsProgram || POSIX.has(program.text)),
  };
}

function parsed(text: string): Script | null {
  // A backslash at the end would join the next line of a respelling.
  if (text.trim() === "" || text.endsWith("\\") || text.includes("\0")) return null;
  try {
    const script = shellParser().parse(text);
    return (script.errors ?? []).length > 0 || script.commands.length === 0 ? null : script;
  } catch (error) {
    // A tree that is too deep for the stack.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const INNER = setOf("CommandExpansion ProcessSubstitution DoubleQuoted ArithmeticExpansion HereDocBody");

/** The nodes of a parsed command or script; `outer` are those outside substitutions. */
export function nodesIn(script: Script) {
  const all: SyntaxNode[] = [];
  const outer: SyntaxNode[] = [];
  const visit = (value: unknown, isInner: boolean): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, isInner);
    if (!isNode(value)) return;
    all.push(value);
    if (!isInner) outer.push(value);
    for (const child of Object.values(value)) visit(child, isInner || INNER.has(value.type));
  };
  visit(script, false);
  return { all, outer };
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value && "pos" in value;

/** Names of functions and aliases: a respelling would start something else. */
function namesDefinedIn(all: readonly SyntaxNode[]): ReadonlySet<string> {
  const functions = all.flatMap((node) => (node.type === "Function" ? [node.name.value] : []));
  const aliases = all.flatMap((node) =>
    node.type === "Command" && /^(?:alias|hash|enable)$/.test(node.name?.value ?? "")
      ? node.args.map(({ text }) => text.split("=", 1)[0] ?? "")
      : [],
  );
  return new Set([...functions, ...aliases]);
}

function simpleCommand({ name, args }: Command, own: ReadonlySet<string>): readonly SimpleCommand[] {
  if (name === undefined) return [];
  const program = commandWord(name);
  const value = program.value ?? "";
  if (DECLARATIONS.has(value) || RESERVED.has(value)) return [];
  const startsProgram = /^[\w./+-]+$/.test(value) && !BUILTINS.has(value) && !own.has(value);
  return [{ program, startsProgram, args: args.flatMap((arg) => (arg.type === "Word" ? [commandWord(arg)] : [])) }];
}

function commandWord({ pos, end, text, value, parts = [] }: Word): CommandWord {
  const isLiteral = parts.every(
    (part) =>
      ["Literal", "SingleQuoted", "AnsiCQuoted"].includes(part.type) ||
      (part.type === "DoubleQuoted" && part.parts.every(({ type }) => type === "Literal")),
  );
  const isKnown = isLiteral && !text.startsWith("~") && !value.includes("\n");
  return { pos, end, text, value: isKnown ? value : null };
}

function onlyProgram(command: Command, commands: readonly SimpleCommand[], text: string): ParsedCommand["only"] {
  const [only] = commands;
  if (commands.length !== 1 || only?.startsProgram !== true) return null;
  if (command.prefix.length > 0 || command.args.length !== only.args.length) return null;
  // The program that replaces it may need the input.
  if (command.redirects.some(({ operator }) => operator.startsWith("<"))) return null;
  const redirections = command.redirects.map(({ pos, end }) => text.slice(pos, end)).join(" ");
  return { words: [only.program, ...only.args], redirections };
}

/** True if the text has only plain words, quotes, variables, pipes and lists. */
const isPosixText = (text: string): boolean =>
  /^[\w\s./:=@%+,~*?'"$;&|>-]*$/.test(text) && !/&>|>&|\|&|\$['"]|\$\(|(?:^|\s)function\s|\[\[/.test(text);

/** Replaces words of the text. */
export interface Edit {
  readonly pos: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap. */
export const edited = (text: string, edits: readonly Edit[]): string =>
  [...edits]
    .sort((a, b) => b.pos - a.pos)
    .reduce((done, { pos, end, text: by }) => done.slice(0, pos) + by + done.slice(end), text);
