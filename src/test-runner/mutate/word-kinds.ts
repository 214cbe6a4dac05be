import { devious, harmless, type RespellingKind } from "./kind.ts";
import { type CommandWord, type Edit, edited, type ParsedCommand, type SimpleCommand } from "./parse-command.ts";
import {
  ansiQuoted,
  backslashed,
  continued,
  doubleQuoted,
  escaped,
  halfQuoted,
  hexDigits,
  octalDigits,
  singleQuoted,
  withEmptyQuotes,
} from "./quote.ts";
import type { Random } from "./random.ts";

/** Other spellings of single words: quotes, escapes, and white space between them. */
export const WORD_KINDS: readonly RespellingKind[] = [
  harmless("single quotes", inWords(singleQuoted)),
  harmless("double quotes", inWords(doubleQuoted)),
  devious("backslash", inWords(backslashed)),
  devious("half a word in quotes", inWords(halfQuoted)),
  devious("empty quotes", inWords(withEmptyQuotes)),
  devious("ANSI-C quotes", inWords(ansiQuoted)),
  devious(
    "hexadecimal escapes",
    inWords((value) => escaped(value, hexDigits)),
  ),
  devious(
    "octal escapes",
    inWords((value) => escaped(value, octalDigits)),
  ),
  devious("line continuation inside a word", inWords(continued)),
  harmless(
    "spaces and tabs",
    betweenWords((random) => random.pick([" ", "  ", "\t", " \t "])),
  ),
  harmless(
    "line continuation",
    betweenWords((random) => random.pick(["\\\n", "\\\n  "])),
  ),
];

type Spelling = (value: string, random: Random) => string | null;

/** Respells program names, all words or one word. */
function inWords(spelling: Spelling): RespellingKind["respell"] {
  return ({ text, commands }, random) => {
    const edits = chosenWords(commands, random).flatMap(({ pos, end, value }): readonly Edit[] => {
      const spelt = value === null ? null : spelling(value, random);
      return spelt === null ? [] : [{ pos, end, text: spelt }];
    });
    return edits.length === 0 ? null : edited(text, edits);
  };
}

function chosenWords(commands: ParsedCommand["commands"], random: Random): readonly CommandWord[] {
  const all = commands.flatMap(({ program, args }) => [program, ...args]);
  const one = all[random.below(all.length)];
  return random.pick([commands.map(({ program }) => program), all, one === undefined ? [] : [one]]);
}

function betweenWords(space: (random: Random) => string): RespellingKind["respell"] {
  return ({ text, commands }, random) => {
    const args = commands.flatMap((command: SimpleCommand) => command.args);
    if (args.length === 0) return null;
    return edited(
      text,
      args.map(({ pos }) => ({ pos, end: pos, text: space(random) })),
    );
  };
}
