import type { CommandRow, Commands, CommonOptions } from "../../src/cli/command-table.ts";
import { COMMON_OPTIONS, GLOBAL_OPTIONS } from "../../src/cli/common-options.ts";
import { type OptionRow, readOptions, unsetOptions, type ValueSource } from "../../src/cli/options.ts";
import { ALL_TOPICS, findCommand, mentionedIn } from "../../src/cli/parse.ts";
import { createProgram, type GivenOptions, HELP, VERSION } from "../../src/cli/program.ts";
import { allEventNames, EVENT_NAMES } from "../../src/protocol/event.ts";
import { GUARD_NAMES } from "../../src/protocol/guard-settings.ts";
import { commandGroups, listedOptions } from "./help/command-help.ts";

/** A word that is valid at the cursor, and its description. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** The words that are valid at the cursor, by the table of commands. */
export interface Expected {
  /** The beginning of the word before the value: `--event=`, `git,`. */
  readonly prefix: string;
  /** The value as far as it is typed. */
  readonly typed: string;
  readonly sources: readonly ValueSource[];
  /** Words that are complete as they are: commands and options. */
  readonly words: readonly Candidate[];
  /** Values that are given already. */
  readonly taken: readonly string[];
  /** The command and its arguments before the cursor. */
  readonly before: readonly string[];
  readonly options: CommonOptions;
  /** True if a word with a leading dash would be an option. */
  readonly mayBeOption: boolean;
}

/** The words before the cursor, as commander reads them. */
interface WordsBefore {
  /** The command and its arguments. */
  readonly words: readonly string[];
  /** Undefined if the command is unknown, or missing. */
  readonly row: CommandRow | undefined;
  readonly given: GivenOptions;
  /** The option at the end whose value is missing. */
  readonly unfinished: OptionRow | null;
  /** True after `--`: only arguments follow. */
  readonly isEnded: boolean;
}

/** An unknown option that no shell passes. It ends up as a value, as an argument or as an option. */
const CURSOR = "--\u0000";

function readBefore(before: readonly string[], commands: Commands): WordsBefore {
  const given: GivenOptions = new Map();
  const program = createProgram(mentionedIn(before, commands), given);
  const { operands, unknown } = program.parseOptions([...before, CURSOR]);
  const name = operands[0] ?? "";
  const own = findCommand(program, name)?.parseOptions(unknown).operands ?? [];
  const unfinished = [...given].find(([, values]) => values.at(-1) === CURSOR)?.[0] ?? null;
  if (unfinished !== null) given.delete(unfinished);
  const words = [...operands, ...own];
  const isEnded = words.includes(CURSOR);
  const row = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return { words: words.filter((word) => word !== CURSOR), row, given, unfinished, isEnded };
}

/** Returns the words that are valid in place of the current word, after the words before it without the program's name. */
export function expectedAt(before: readonly string[], current: string, commands: Commands): Expected {
  const read = readBefore(before, commands);
  const common = readOptions(COMMON_OPTIONS, read.given);
  const base = {
    before: read.words,
    options: common.ok ? common.value : unsetOptions(COMMON_OPTIONS),
    mayBeOption: !read.isEnded && read.unfinished === null,
    words: [],
    taken: read.words.slice(1),
  };
  if (read.unfinished !== null) return { ...base, ...optionValue(read.unfinished, "", current) };
  const isOption = base.mayBeOption && current.startsWith("-");
  const equals = isOption && current.startsWith("--") ? current.indexOf("=") : -1;
  if (equals >= 0) {
    const row = optionRows(read).find(({ name }) => name === current.slice(0, equals));
    if (row !== undefined)
      return { ...base, ...optionValue(row, current.slice(0, equals + 1), current.slice(equals + 1)) };
  }
  const sources = isOption ? [] : argumentSources(read, commands);
  const onlyOptions = isOption || (sources.length === 0 && isComplete(read));
  const words = onlyOptions ? optionWords(read, commands) : read.words.length === 0 ? commandWords(commands) : [];
  return { ...base, prefix: "", typed: current, sources, words };
}

/** The value of an option. The text before it in the same shell word counts as typed. */
function optionValue(
  row: OptionRow,
  prefix: string,
  typed: string,
): Pick<Expected, "prefix" | "typed" | "sources" | "taken"> {
  const comma = row.kind === "list" && row.isCommaSeparated ? typed.lastIndexOf(",") + 1 : 0;
  return {
    prefix: prefix + typed.slice(0, comma),
    typed: typed.slice(comma),
    sources: sourcesOf(row),
    taken: typed.slice(0, comma).split(","),
  };
}

/** How long ago, for options that take a time. */
const TIMES = ["30m", "1h", "1d", "7d", "today", "yesterday"];

function sourcesOf(row: OptionRow): readonly ValueSource[] {
  if (row.kind === "choice") return [row.choices];
  if (row.kind === "event") return ["event"];
  if (row.kind === "time") return [TIMES];
  return row.kind === "text" || row.kind === "list" ? (row.values ?? []) : [];
}

function argumentSources({ words: [command, ...args], row }: WordsBefore, commands: Commands): readonly ValueSource[] {
  if (command === "help") return args.length === 0 ? [[...shownNames(commands), ALL_TOPICS]] : [];
  if (row?.values === undefined) return [];
  const isEndless = /\.{3}[\]>]$/.test(row.arguments);
  return row.values[isEndless ? Math.min(args.length, row.values.length - 1) : args.length] ?? [];
}

const optionRows = ({ row }: WordsBefore): readonly OptionRow[] => [
  ...Object.values(row?.options ?? {}),
  ...Object.values(COMMON_OPTIONS),
];

/** True if the command takes no further argument, so that only options can follow. */
function isComplete({ words, row, isEnded }: WordsBefore): boolean {
  const names = row?.arguments.split(" ").filter((name) => name !== "") ?? [];
  return row !== undefined && !isEnded && names.length < words.length;
}

const shownNames = (commands: Commands): readonly string[] =>
  commandGroups(commands, true).flatMap(([, names]) => names);

const commandWords = (commands: Commands): readonly Candidate[] => [
  ...shownNames(commands).map((value) => ({ value, about: commands[value]?.about ?? "" })),
  { value: "help", about: HELP.about },
];

/** The options that can still be given and act here. */
function optionWords(read: WordsBefore, commands: Commands): readonly Candidate[] {
  const isLeft = (row: OptionRow): boolean => row.kind === "list" || row.kind === "count" || !read.given.has(row);
  const listed = [...listedOptions(read.words[0] ?? "", commands), ...Object.values(GLOBAL_OPTIONS)];
  const rows = [...listed.filter(isLeft), HELP, ...(read.words.length === 0 ? [VERSION] : [])];
  return rows.map(({ name, about }) => ({ value: name, about }));
}

/** The values of a source that needs no search; null for other sources. */
export function fixedValues(source: ValueSource, typed: string): readonly string[] | null {
  if (typeof source !== "string") return source;
  if (source === "event") return eventNames(typed);
  if (source === "guard") return GUARD_NAMES;
  return null;
}

/** hookctl's names, or those of every dialect once none of hookctl's fits. */
const eventNames = (typed: string): readonly string[] =>
  EVENT_NAMES.some((name) => name.startsWith(typed)) ? EVENT_NAMES : [...allEventNames().keys()];
