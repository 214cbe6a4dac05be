import { COMMON_OPTIONS, type CommandRow } from "./agent-commands.ts";
import { type OptionRow, type OptionRows, readOptions } from "./options.ts";

/** The commands that a scan knows, by name. */
export type CommandRows = Readonly<Record<string, CommandRow>>;

export interface Scan {
  readonly commands: CommandRows;
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
  /** The first word that is no option of its command. */
  unknown: UnknownOption | null;
}

export interface UnknownOption {
  readonly word: string;
  /** The word without its value. */
  readonly name: string;
  /** The command and its arguments before it. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A command line that can be read as it is. */
export interface Call {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Reads a call of one of these commands. Null: it calls none of them, asks for help, or is wrong. */
export function readCall(argv: readonly string[], commands: CommandRows): Call | null {
  const found = scan(argv, commands);
  const [command, ...args] = found.words;
  const row = rowOf(command, commands);
  const isOther = found.isHelp || found.isVersion || found.unknown !== null || found.unfinished !== null;
  if (command === undefined || row === null || isOther || !isCountRight(row, args.length)) return null;
  const options = readOptions(optionsOf(row), found.given);
  return options.ok ? { command, args, options: options.value } : null;
}

export const rowOf = (word: string | undefined, commands: CommandRows): CommandRow | null =>
  word !== undefined && Object.hasOwn(commands, word) ? (commands[word] ?? null) : null;

/** The options of a command, the common ones included; null: those of every command. */
export const optionsOf = (row: CommandRow | null): OptionRows => ({ ...COMMON_OPTIONS, ...row?.options });

export const argumentNames = (row: CommandRow): readonly string[] =>
  row.arguments.split(" ").filter((name) => name !== "");

function isCountRight(row: CommandRow, count: number): boolean {
  const names = argumentNames(row);
  const least = names.filter((name) => name.startsWith("<")).length;
  return count >= least && (count <= names.length || names.at(-1)?.includes("...") === true);
}

/** Reads the words of a command line as far as they go. */
export function scan(argv: readonly string[], commands: CommandRows): Scan {
  const flags = { unfinished: null, isEnded: false, isHelp: false, isVersion: false };
  const found: Scan = { commands, words: [], given: new Map(), ...flags, unknown: null };
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
  const [name, value] = isLong(word) ? splitLong(word) : [word.slice(0, 2), word.slice(2) || null];
  if (name === "--help" || name === "-h") found.isHelp = true;
  else if (name === "--version") found.isVersion = true;
  else {
    const rows = Object.values(optionsOf(rowOf(found.words[0], found.commands)));
    const row = rows.find((one) => one.name === name || one.short === name);
    if (row === undefined || (isLong(word) && value !== null && !("placeholder" in row))) {
      found.unknown ??= { word, name, before: [...found.words], after: [...rest] };
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
  if (value === undefined) found.unfinished = row;
  else add(row, value, found);
}

function add(row: OptionRow, value: string, { given }: Scan): void {
  given.set(row, [...(given.get(row) ?? []), value]);
}
