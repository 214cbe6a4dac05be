import type { UsageProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { pluralize } from "../protocol/text/count.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { shellQuote } from "../protocol/text/shell-quote.ts";
import { escapeControls } from "../protocol/text/text.ts";
import { inCommand } from "./command-result.ts";
import {
  allOptions,
  COMMAND_NAMES,
  COMMANDS,
  type CommandLine,
  type CommandName,
  isCommandName,
} from "./command-table.ts";
import { type OptionRow, readOptions } from "./options.ts";
import { argumentNames, optionsOf, scan, type UnknownOption } from "./scan.ts";

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
  const found = scan(argv, COMMANDS);
  const [word, ...args] = found.words;
  if (found.isVersion) return ok({ command: "version" });
  if (found.isHelp) return ok({ command: "help", topic: word !== undefined && isCommandName(word) ? word : null });
  if (found.unknown !== null) return fail(unknownOption(found.unknown));
  if (found.unfinished !== null)
    return fail(usage(`${optionText(found.unfinished)}: missing value`, commandIn(found.words)));
  if (word === undefined) return fail(usage("Missing command", null));
  if (word === "help") return helpOn(args[0]);
  if (!isCommandName(word)) return fail(unknownCommand(word));
  const problem = countProblem(word, args.length);
  if (problem !== null) return fail(problem);
  const options = readOptions(optionsOf(COMMANDS[word]), found.given);
  if (!options.ok) return fail(inCommand(options.error, word));
  // The type is right because the values were read by this command's rows.
  return { ok: true, value: { command: word, args, options: options.value } as unknown as AnyCommandLine };
}

const commandIn = ([word]: readonly string[]): CommandName | null =>
  word !== undefined && isCommandName(word) ? word : null;

const rowsOf = (command: CommandName): readonly OptionRow[] => Object.values(optionsOf(COMMANDS[command]));

/** An option as help shows it: `-C, --directory <DIR>`. */
export const optionText = (row: OptionRow): string =>
  `${row.short === undefined ? "" : `${row.short}, `}${row.name}${"placeholder" in row ? ` <${row.placeholder}>` : ""}`;

function helpOn(topic: string | undefined): Result<ParsedLine, UsageProblem> {
  if (topic === undefined) return ok({ command: "help", topic: null });
  return isCommandName(topic) ? ok({ command: "help", topic }) : fail(unknownCommand(topic));
}

function countProblem(command: CommandName, count: number): UsageProblem | null {
  const names = argumentNames(COMMANDS[command]);
  const missing = names.filter((name) => name.startsWith("<"))[count];
  if (missing !== undefined) return usage(`${command}: missing argument ${plainName(missing)}`, command);
  if (count <= names.length || names.at(-1)?.includes("...")) return null;
  const most = pluralize(names.length, "argument");
  const allowed = names.length === 0 ? "no arguments" : `at most ${most}: ${names.map(plainName).join(" ")}`;
  return usage(`${command} takes ${allowed}`, command);
}

/** EVENT for `<event>`, NAMES for `[names...]`. */
const plainName = (name: string): string => name.replace(/^[<[]|(?:\.{3})?[>\]]$/g, "").toUpperCase();

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

function unknownOption({ word, name, before, after }: UnknownOption): UsageProblem {
  const command = commandIn(before);
  if (command === "explain" && before.length > 1) return unquoted(word, [...before.slice(1), word, ...after]);
  if (command === null && isAfterCommand(name)) return misplaced(name, after);
  const rows = command === null ? allOptions().map(({ row }) => row) : rowsOf(command);
  const names = rows.flatMap((row) => (row.short === undefined ? [row.name] : [row.name, row.short]));
  const near = nearest(word, [...names, "--help", ...(command === null ? ["--version"] : [])]);
  return { code: "USAGE_UNKNOWN_FLAG", flag: word, nearest: near, verb: command };
}

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
