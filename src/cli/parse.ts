import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { shellQuote } from "../protocol/text/shell-quote.ts";
import { escapeControls } from "../protocol/text/text.ts";
import {
  allOptions,
  COMMAND_NAMES,
  COMMANDS,
  COMMON_OPTIONS,
  type CommandLine,
  type CommandName,
  isCommandName,
  optionRowsOf,
} from "./command-table.ts";
import { type OptionRow, readOptions } from "./options.ts";

/** One command with its options; the type of the options follows from the command. */
export type AnyCommandLine = { [Name in CommandName]: CommandLine<Name> }[CommandName];

export type ParsedLine =
  | AnyCommandLine
  | { readonly command: "help"; readonly topic: CommandName | null }
  | { readonly command: "version" };

/**
 * Parses a command line by the table of commands. Options may stand anywhere after their command, common options also
 * before it. `--name=value`, `-Cvalue`, `-qv` and `--` have their usual meaning.
 */
export function parseCommandLine(argv: readonly string[]): Result<ParsedLine, UsageProblem> {
  const found = scan(argv);
  const [word, ...args] = found.words;
  if (found.isVersion) return ok({ command: "version" });
  if (found.isHelp) return ok({ command: "help", topic: word !== undefined && isCommandName(word) ? word : null });
  if (found.problem !== null) return fail(found.problem);
  if (word === undefined) return fail(usage("Missing command", null));
  if (word === "help") return helpOn(args[0]);
  if (!isCommandName(word)) return fail(unknownCommand(word));
  const problem = countProblem(word, args.length);
  if (problem !== null) return fail(problem);
  const options = readOptions(optionRowsOf(word), found.given);
  if (!options.ok) return options;
  // The type is right because the values were read by this command's rows.
  return { ok: true, value: { command: word, args, options: options.value } as unknown as AnyCommandLine };
}

export interface Scan {
  /** The command and its arguments. */
  readonly words: string[];
  /** Each option that was given, with its values; a switch has an empty one each time. */
  readonly given: Map<OptionRow, string[]>;
  /** The option at the end whose value is missing. */
  unfinished: OptionRow | null;
  /** True after `--`: what follows are arguments. */
  isEnded: boolean;
  isHelp: boolean;
  isVersion: boolean;
  problem: UsageProblem | null;
}

/** Reads the words of a command line as far as they go. */
export function scan(argv: readonly string[]): Scan {
  const flags = { unfinished: null, isEnded: false, isHelp: false, isVersion: false };
  const found: Scan = { words: [], given: new Map(), ...flags, problem: null };
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") endOptions(rest, found);
    else if (isOption(word, found.words)) takeOption(word, rest, found);
    else found.words.push(word);
  }
  return found;
}

function endOptions(rest: string[], found: Scan): void {
  found.isEnded = true;
  found.words.push(...rest.splice(0));
}

/** A single dash is an argument, and so is a negative number after a command. */
const isOption = (word: string, before: readonly string[]): boolean =>
  word.startsWith("-") && word !== "-" && (before.length === 0 || !/^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/.test(word));

function takeOption(word: string, rest: string[], found: Scan): void {
  const command = commandIn(found);
  const [name, value] = isLong(word) ? splitLong(word) : [word.slice(0, 2), word.slice(2) || null];
  if (name === "--help" || name === "-h") found.isHelp = true;
  else if (name === "--version") found.isVersion = true;
  else {
    const row = rowsOf(command).find((one) => one.name === name || one.short === name);
    if (row === undefined || (isLong(word) && value !== null && !("placeholder" in row))) {
      const isExplained = command === "explain" && found.words.length > 1;
      found.problem ??= isExplained
        ? unquoted(word, [...found.words.slice(1), word, ...rest])
        : command === null && isAfterCommand(name)
          ? misplaced(name, rest)
          : unknownOption(word, command);
      return;
    }
    if ("placeholder" in row) {
      takeValue(row, value ?? rest.shift(), found);
      return;
    }
    add(row, "", found);
  }
  if (!isLong(word) && value !== null) rest.unshift(`-${value}`);
}

const isLong = (word: string): boolean => word.startsWith("--");

function splitLong(word: string): readonly [name: string, value: string | null] {
  const equals = word.indexOf("=");
  return equals < 0 ? [word, null] : [word.slice(0, equals), word.slice(equals + 1)];
}

function takeValue(row: OptionRow, value: string | undefined, found: Scan): void {
  if (value !== undefined) {
    add(row, value, found);
    return;
  }
  found.unfinished = row;
  found.problem ??= usage(`${optionText(row)}: missing value`, commandIn(found));
}

function add(row: OptionRow, value: string, { given }: Scan): void {
  given.set(row, [...(given.get(row) ?? []), value]);
}

export function commandIn({ words: [word] }: Scan): CommandName | null {
  return word !== undefined && isCommandName(word) ? word : null;
}

export const rowsOf = (command: CommandName | null): readonly OptionRow[] =>
  Object.values(command === null ? COMMON_OPTIONS : optionRowsOf(command));

/** An option as help shows it: `-C, --directory <DIR>`. */
export const optionText = (row: OptionRow): string =>
  `${row.short === undefined ? "" : `${row.short}, `}${row.name}${"placeholder" in row ? ` <${row.placeholder}>` : ""}`;

function helpOn(topic: string | undefined): Result<ParsedLine, UsageProblem> {
  if (topic === undefined) return ok({ command: "help", topic: null });
  return isCommandName(topic) ? ok({ command: "help", topic }) : fail(unknownCommand(topic));
}

function countProblem(command: CommandName, count: number): UsageProblem | null {
  const names = COMMANDS[command].arguments.split(" ").filter((name) => name !== "");
  const missing = names.filter((name) => name.startsWith("<"))[count];
  if (missing !== undefined)
    return usage(`${command}: missing argument ${missing.slice(1, -1).toUpperCase()}`, command);
  if (count <= names.length || names.at(-1)?.includes("...")) return null;
  return usage(`${command} takes ${names.length === 0 ? "no arguments" : `at most ${names.join(" ")}`}`, command);
}

const usage = (detail: string, command: CommandName | null): UsageProblem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `${detail}.`,
  tryThis: `hookctl ${command === null ? "" : `${command} `}--help`,
});

const unknownCommand = (word: string): UsageProblem => ({
  code: "USAGE_UNKNOWN_VERB",
  verb: word,
  nearest: nearest(word, COMMAND_NAMES),
});

const isAfterCommand = (name: string): boolean =>
  allOptions().some(({ row }) => row.name === name || row.short === name);

/** The option of a command, before that command. */
function misplaced(name: string, rest: readonly string[]): UsageProblem {
  const command = rest.find(isCommandName);
  const isItsOwn = command !== undefined && rowsOf(command).some((row) => row.name === name || row.short === name);
  const tryThis = isItsOwn ? `hookctl ${command} ${name}` : `hookctl ${command ?? "COMMAND"} --help`;
  return { code: "USAGE_WRONG_WORDS", detail: `${name} must stand after its command.`, tryThis };
}

/** `hookctl explain git reset --hard`. */
const unquoted = (word: string, explained: readonly string[]): UsageProblem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `${escapeControls(word)} belongs to the command that is explained, so the command needs quotes.`,
  tryThis: `hookctl explain ${shellQuote(escapeControls(explained.join(" ")))}`,
});

function unknownOption(word: string, command: CommandName | null): UsageProblem {
  const rows = command === null ? allOptions().map(({ row }) => row) : rowsOf(command);
  const names = rows.flatMap((row) => (row.short === undefined ? [row.name] : [row.name, row.short]));
  const near = nearest(word, [...names, "--help", ...(command === null ? ["--version"] : [])]);
  return { code: "USAGE_UNKNOWN_FLAG", flag: word, nearest: near, verb: command };
}
