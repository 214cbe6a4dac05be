import { nearest } from "../contract/nearest.ts";
import type { UsageProblem } from "../contract/problem.ts";
import { FLAG_TABLE, flagsOf, VERBS, type Verb } from "./flag-table.ts";

interface ParseError {
  readonly code: string;
  readonly message: string;
}

/** What commander found wrong with a command line, in our words and with the nearest right one. */
export function usageProblem(error: ParseError, argv: readonly string[]): UsageProblem {
  const word = /'([^']*)'/.exec(error.message)?.[1] ?? "";
  const detail = error.message.replace(/^error: /, "");
  const verb = VERBS.find((known) => argv.includes(known));
  switch (error.code) {
    case "commander.unknownOption":
      return { code: "USAGE_UNKNOWN_FLAG", flag: word, nearest: nearest(word, flagNames(verb)) };
    case "commander.unknownCommand":
      return { code: "USAGE_UNKNOWN_VERB", verb: word, nearest: nearest(word, VERBS) };
    case "commander.help":
      return { code: "USAGE_WRONG_WORDS", detail: "hookctl needs a verb.", tryThis: "hookctl --help" };
    default:
      return {
        code: "USAGE_WRONG_WORDS",
        detail,
        tryThis: `hookctl ${verb === undefined ? "" : `${verb} `}--help`,
      };
  }
}

const flagNames = (verb: Verb | undefined): readonly string[] =>
  (verb === undefined ? FLAG_TABLE : flagsOf(verb)).flatMap((row) => [row.name, row.short ?? []].flat());
