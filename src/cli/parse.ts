import { type Command, CommanderError } from "commander";
import { ownValue } from "../protocol/own-value.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { pluralize } from "../protocol/text/count.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { shellQuote } from "../protocol/text/shell-quote.ts";
import { escapeControls } from "../protocol/text/text.ts";
import { inCommand } from "./command-result.ts";
import { type AnyCommandLine, allOptions, type CommandRow, type Commands } from "./command-table.ts";
import { COMMON_OPTIONS } from "./common-options.ts";
import { type OptionRow, readOptions } from "./options.ts";
import otherNames from "./other-names.json" with { type: "json" };
import { createProgram, type GivenOptions, HELP, VERSION } from "./program.ts";

export type ParsedLine =
  | { readonly kind: "call"; readonly line: AnyCommandLine }
  | { readonly kind: "help"; readonly topic: string | null }
  | { readonly kind: "version" };

/** A command line as commander read it. */
interface ReadLine {
  readonly argv: readonly string[];
  readonly commands: Commands;
  /** The command and all after it. */
  readonly words: readonly string[];
  /** The name of the command, unless it is unknown. */
  readonly name: string | null;
  readonly args: readonly string[];
  readonly given: GivenOptions;
  readonly failure: CommanderError | null;
}

/** Parses a command line. Options may stand anywhere after their command, common options also before it. */
export function parseCommandLine(argv: readonly string[], commands: Commands): Result<ParsedLine, UsageProblem> {
  const read = readLine(argv, commands);
  const { name, args, given, words, failure } = read;
  if (given.has(VERSION) || words[0] === "version") return ok({ kind: "version" });
  const meant = failure === null ? null : asMeant(failure, read);
  if (meant !== null) return parseCommandLine(meant, commands);
  const asked = words.find((word) => Object.hasOwn(commands, word)) ?? words.find((word) => word !== "help");
  if (given.has(HELP)) return helpOn(asked?.startsWith("-") ? undefined : asked, commands);
  const isBare = failure?.code === "commander.help";
  if (failure !== null && !isBare) return fail(usageProblem(failure, read));
  const command = isBare ? BARE : name;
  const row = command === null ? undefined : commands[command];
  if (command === null || row === undefined) return helpOn(args[0], commands);
  const options = readOptions({ ...COMMON_OPTIONS, ...row.options }, given);
  if (!options.ok) return fail(inCommand(options.error, command));
  return ok({ kind: "call", line: { command, args, options: options.value } });
}

/** Other names that mean the very same command. */
const HABITS = ["ls", "logs", "outdated", "upgrade"];

/** The line for words that can mean one thing only: `ls`, and `log --blocked`, in a command that only shows. */
function asMeant(
  { code, message }: CommanderError,
  { argv, name, words, commands }: ReadLine,
): readonly string[] | null {
  const [word = ""] = words;
  const same = HABITS.includes(word) ? ownValue<string>(otherNames, word) : null;
  if (code === "commander.unknownCommand")
    return same == null ? null : argv.flatMap((one) => (one === word ? same.split(" ") : one));
  const [, option = ""] = /'(--[^']+)'/.exec(message) ?? [];
  const row = commands[name ?? ""];
  const value = code === "commander.unknownOption" && row?.isPaged ? valueNamed(option, valuesOf(row)) : undefined;
  return value === undefined ? null : argv.flatMap((one) => (one === option ? value.split(" ") : one));
}

/** The command of a line without one. */
const BARE = "overview";
/** The topic of help on every command and option. */
export const ALL_TOPICS = "all";

/** True if the call asks for JSON that no protocol of its command forbids, also if another part of the line is wrong. */
export function asksForJson(argv: readonly string[], commands: Commands): boolean {
  const { name, given } = readLine(argv, commands);
  return given.has(COMMON_OPTIONS.json) && (name === null || commands[name]?.hasProtocol !== true);
}

function readLine(argv: readonly string[], commands: Commands): ReadLine {
  const given: GivenOptions = new Map();
  const program = createProgram(mentionedIn(argv, commands), given);
  const failure = failureOf(() => program.parse(argv, { from: "user" }));
  const words = program.args;
  const called = findCommand(program, words[0]);
  const name = called === null || called.name() === "help" ? null : called.name();
  return { argv, commands, words, name, args: called?.args ?? [], given, failure };
}

function failureOf(parse: () => unknown): CommanderError | null {
  try {
    parse();
    return null;
  } catch (error) {
    if (error instanceof CommanderError) return error;
    throw error;
  }
}

/** The commands whose names the line contains: to build the others would take time in each call. */
export const mentionedIn = (words: readonly string[], commands: Commands): Commands =>
  Object.fromEntries(Object.entries(commands).filter(([name]) => words.includes(name)));

export const findCommand = (program: Command, word: string | undefined): Command | null =>
  program.commands.find((command) => command.name() === word) ?? null;

function helpOn(topic: string | undefined, commands: Commands): Result<ParsedLine, UsageProblem> {
  if (topic === undefined || topic === ALL_TOPICS || Object.hasOwn(commands, topic))
    return ok({ kind: "help", topic: topic ?? null });
  return fail(unknownCommand(topic, commands));
}

/** The problem for an error of commander, which quotes the wrong word in its message. */
function usageProblem({ code, message }: CommanderError, read: ReadLine): UsageProblem {
  const quoted = message.slice(message.indexOf("'") + 1, message.lastIndexOf("'"));
  const { name, words, commands } = read;
  switch (code) {
    case "commander.unknownCommand":
      return unknownCommand(words[0] ?? "", commands);
    case "commander.unknownOption":
      return unknownOption(quoted, read);
    case "commander.optionMissingArgument":
      return usage(`${quoted}: missing value`, name);
    case "commander.missingArgument":
      return usage(`${name}: missing argument ${quoted.toUpperCase()}`, name);
    default:
      return usage(`${name} takes ${allowedArguments(commands[name ?? ""]?.arguments ?? "")}`, name);
  }
}

const usage = (detail: string, command: string | null): UsageProblem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `${detail}.`,
  tryThis: `hookctl ${command === null ? "" : `${command} `}--help`,
});

function allowedArguments(text: string): string {
  if (text === "") return "no arguments";
  const names = text.split(" ").map((name) => name.slice(1, -1).toUpperCase());
  return `at most ${pluralize(names.length, "argument")}: ${names.join(" ")}`;
}

function unknownCommand(word: string, commands: Commands): UsageProblem {
  const named = ownValue<string | null>(otherNames, word.toLowerCase()) ?? nearest(word, Object.keys(commands));
  return { code: "USAGE_UNKNOWN_VERB", verb: word, nearest: commands[named ?? ""]?.newForm ?? named };
}

function unknownOption(word: string, read: ReadLine): UsageProblem {
  const { name, commands } = read;
  const row = name === null ? undefined : commands[name];
  if (row?.takesShellCommand && read.args[0] !== word) return unquoted(word, read);
  const option = word.startsWith("--") ? (word.split("=", 1)[0] ?? "") : word.slice(0, 2);
  const all = allOptions(commands).map((known) => known.row);
  if (row === undefined && hasOption(all, option)) return misplaced(option, read);
  const rows: readonly OptionRow[] =
    row === undefined ? [...all, VERSION] : Object.values({ ...COMMON_OPTIONS, ...row.options });
  const names = [...rows, HELP].flatMap((known) => [known.name, known.short ?? []].flat());
  const values = row === undefined ? new Map<string, string>() : valuesOf(row);
  const near = nearest(word, [...names, ...values.keys()]);
  const value = near === null ? valueNamed(word, values) : values.get(near);
  return { code: "USAGE_UNKNOWN_FLAG", flag: word, nearest: value ?? near, verb: name };
}

/** `--decision block` by `--block`; of two options that take the value, the first. */
const valuesOf = ({ options }: CommandRow): ReadonlyMap<string, string> =>
  new Map(Object.values(options).reverse().flatMap(valuesAsOptions));

const valueNamed = (option: string, values: ReadonlyMap<string, string>): string | undefined =>
  values.get(option) ?? values.get(`--${ownValue<string>(otherNames, option.slice(2))}`);

/** The values that an option takes by their names, each with what to type. */
function valuesAsOptions(row: OptionRow): readonly (readonly [string, string])[] {
  const values = row.kind === "choice" ? row.choices : row.kind === "time" ? ["today", "yesterday"] : [];
  return values.map((value) => [`--${value}`, `${row.name} ${value}`]);
}

const hasOption = (rows: readonly OptionRow[], option: string): boolean =>
  rows.some(({ name, short }) => name === option || short === option);

/** The option of a command, before that command. */
function misplaced(option: string, { words, commands }: ReadLine): UsageProblem {
  const command = words.find((word) => Object.hasOwn(commands, word));
  const isItsOwn = command !== undefined && hasOption(Object.values(commands[command]?.options ?? {}), option);
  const tryThis = isItsOwn ? `hookctl ${command} ${option}` : `hookctl ${command ?? "COMMAND"} --help`;
  return { code: "USAGE_WRONG_WORDS", detail: `${option} must come after its command.`, tryThis };
}

/** `hookctl explain git reset --hard`. */
function unquoted(word: string, { argv, args, name }: ReadLine): UsageProblem {
  const before = args.slice(0, args.indexOf(word));
  // As it was typed, with the options that commander took for those of hookctl.
  const rest = argv.includes(word) ? argv.slice(argv.indexOf(word)) : args.slice(before.length);
  return {
    code: "USAGE_WRONG_WORDS",
    detail: `${escapeControls(word)} belongs to the command that is explained, so the command needs quotes.`,
    tryThis: `hookctl ${name} ${shellQuote(escapeControls([...before, ...rest].join(" ")))}`,
  };
}
