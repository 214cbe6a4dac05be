import { AGENT_NAMES } from "../protocol/agent-names.ts";
import { allEventNames, EVENT_NAMES } from "../protocol/event.ts";
import { GUARD_NAMES } from "../protocol/guard-settings.ts";
import { TEST_REPORTER_NAMES } from "../protocol/reporter-names.ts";
import { COMMON_OPTIONS } from "./agent-commands.ts";
import { COMMAND_NAMES, COMMANDS, type CommonOptions } from "./command-table.ts";
import { type OptionRow, readOptions, unsetOptions, type ValueSource } from "./options.ts";
import { argumentNames, optionsOf, rowOf, type Scan, scan } from "./scan.ts";

/** A word that may stand at the cursor, and what a shell shows beside it. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** What may stand at the cursor, by the table of commands. */
export interface Expected {
  /** What the word begins with before the value: `--event=`, `git,`. */
  readonly prefix: string;
  /** The value as far as it is typed. */
  readonly typed: string;
  readonly sources: readonly ValueSource[];
  /** Words that are complete as they are: commands and options. */
  readonly words: readonly Candidate[];
  /** Values that stand there already. */
  readonly taken: readonly string[];
  /** The command and its arguments before the cursor. */
  readonly before: readonly string[];
  readonly options: CommonOptions;
  /** True if a word with a leading dash would be an option. */
  readonly mayBeOption: boolean;
}

/** Says what may stand for the current word after the words before it, without the program's name. */
export function expectedAt(before: readonly string[], current: string): Expected {
  const found = scan(before, COMMANDS);
  const common = readOptions(COMMON_OPTIONS, found.given);
  const place = {
    before: found.words,
    options: common.ok ? common.value : unsetOptions(COMMON_OPTIONS),
    mayBeOption: !found.isEnded && found.unfinished === null,
    words: [],
    taken: found.words.slice(1),
  };
  if (found.unfinished !== null) return { ...place, ...optionValue(found.unfinished, "", current) };
  const isOption = place.mayBeOption && current.startsWith("-");
  const equals = isOption && current.startsWith("--") ? current.indexOf("=") : -1;
  if (equals >= 0) {
    const row = optionRowsIn(found).find(({ name }) => name === current.slice(0, equals));
    if (row !== undefined)
      return { ...place, ...optionValue(row, current.slice(0, equals + 1), current.slice(equals + 1)) };
  }
  const sources = isOption ? [] : argumentSources(found.words);
  const words =
    isOption || (sources.length === 0 && isComplete(found)) ? optionWords(found) : commandWords(found.words);
  return { ...place, prefix: "", typed: current, sources, words };
}

/** The value of an option. The text before it in the same shell word counts as typed. */
function optionValue(
  row: OptionRow,
  prefix: string,
  typed: string,
): Pick<Expected, "prefix" | "typed" | "sources" | "taken"> {
  const comma = row.kind === "list" && row.isCommaSeparated ? typed.lastIndexOf(",") + 1 : 0;
  return {
    ...{ prefix: prefix + typed.slice(0, comma), typed: typed.slice(comma) },
    ...{ sources: sourcesOf(row), taken: typed.slice(0, comma).split(",") },
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

function argumentSources([command, ...args]: readonly string[]): readonly ValueSource[] {
  if (command === "help") return args.length === 0 ? [COMMAND_NAMES] : [];
  const row = rowOf(command, COMMANDS);
  if (row?.values === undefined) return [];
  const isEndless = row.arguments.endsWith("...]") || row.arguments.endsWith("...>");
  return row.values[isEndless ? Math.min(args.length, row.values.length - 1) : args.length] ?? [];
}

const optionRowsIn = ({ words: [command] }: Scan): readonly OptionRow[] =>
  Object.values(optionsOf(rowOf(command, COMMANDS)));

/** True if the command takes no further argument, so that only options can follow. */
function isComplete({ words: [command, ...args], isEnded }: Scan): boolean {
  const row = rowOf(command, COMMANDS);
  return row !== null && !isEnded && argumentNames(row).length <= args.length;
}

const commandWords = (words: readonly string[]): readonly Candidate[] =>
  words.length > 0
    ? []
    : [
        ...COMMAND_NAMES.map((value) => ({ value, about: COMMANDS[value].about })),
        { value: "help", about: "display help for command" },
      ];

/** The options that can still be given. */
function optionWords(found: Scan): readonly Candidate[] {
  const isLeft = (row: OptionRow): boolean => row.kind === "list" || row.kind === "count" || !found.given.has(row);
  const rows = optionRowsIn(found).filter(isLeft);
  const own = rows.filter((row) => !Object.values<OptionRow>(COMMON_OPTIONS).includes(row));
  const common = rows.filter((row) => !own.includes(row));
  return [
    ...[...own, ...common].map(({ name, about }) => ({ value: name, about })),
    { value: "--help", about: "display help for command" },
    ...(found.words.length === 0 ? [{ value: "--version", about: "output the version number" }] : []),
  ];
}

/** The values of a source that are known without looking anywhere; null: they are found elsewhere. */
export function fixedValues(source: ValueSource, typed: string): readonly string[] | null {
  if (typeof source !== "string") return source;
  if (source === "event") return eventNames(typed);
  if (source === "guard") return GUARD_NAMES;
  if (source === "agent") return AGENT_NAMES;
  if (source !== "report") return null;
  return typed.includes("=") ? [] : TEST_REPORTER_NAMES.map((name) => `${name}=`);
}

/** hookctl's own names, or those of every dialect once none of its own fits. */
const eventNames = (typed: string): readonly string[] =>
  EVENT_NAMES.some((name) => name.startsWith(typed)) ? EVENT_NAMES : [...allEventNames().keys()];
