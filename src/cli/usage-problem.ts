import { nearest } from "../protocol/nearest.ts";
import type { UsageProblem } from "../protocol/problem.ts";
import { COMMAND_NAMES, type CommandName, OPTION_TABLE, optionsOf } from "./option-table.ts";

interface ParseError {
  readonly code: string;
  readonly message: string;
}

/** What commander found wrong with a command line, in our words and with the nearest right one. */
export function usageProblem(error: ParseError, argv: readonly string[]): UsageProblem {
  const word = /'([^']*)'/.exec(error.message)?.[1] ?? "";
  const verb = COMMAND_NAMES.find((known) => argv.includes(known)) ?? null;
  if (error.code === "commander.unknownCommand") return unknownVerb(word);
  if (error.code === "commander.unknownOption") {
    return { code: "USAGE_UNKNOWN_FLAG", flag: word, nearest: nearest(word, flagNames(verb)), verb };
  }
  // `help` with a word behind it that is no verb ends like no verb at all.
  const [first, topic] = argv;
  if (error.code === "commander.help" && first === "help" && topic !== undefined) return unknownVerb(topic);
  const tryThis = `hookctl ${verb === null ? "" : `${verb} `}--help`;
  return { code: "USAGE_WRONG_WORDS", detail: detailOf(error, word, verb ?? "hookctl"), tryThis };
}

function detailOf({ code, message }: ParseError, word: string, verb: string): string {
  switch (code) {
    case "commander.help":
      return "hookctl needs a verb.";
    case "commander.missingArgument":
      return `${verb} needs its word <${word}>.`;
    case "commander.optionMissingArgument":
      return `${word} needs its value.`;
    case "commander.excessArguments":
      return `There are too many words: ${verb} takes ${/Expected (\d+)/.exec(message)?.[1] ?? "fewer"}.`;
    default:
      return message.replace(/^error: /, "");
  }
}

const unknownVerb = (verb: string): UsageProblem => ({
  code: "USAGE_UNKNOWN_VERB",
  verb,
  nearest: nearest(verb, COMMAND_NAMES),
});

/** The rows, and what commander knows by itself. */
const flagNames = (verb: CommandName | null): readonly string[] => [
  ...(verb === null ? OPTION_TABLE : optionsOf(verb)).flatMap((row) => [row.name, row.short ?? []].flat()),
  ...(verb === null ? ["--help", "--version"] : ["--help"]),
];
