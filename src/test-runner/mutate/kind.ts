import type { OnlyProgram, ParsedCommand } from "./parse-command.ts";
import { isPlain } from "./quote.ts";
import type { Random } from "./random.ts";

/** A rule to write a command differently, so that it starts the same programs with the same arguments. */
export interface RespellingKind {
  /** Public: reports name it. */
  readonly name: string;
  /** True if a harmless command stays harmless in it: a guard that blocks it then raises a false alarm. */
  readonly isHarmless: boolean;
  /** Null if the command cannot be written in this form. */
  readonly respell: (command: ParsedCommand, random: Random) => string | null;
}

/** A harmless command may be written so, too. */
export const harmless = (name: string, respell: RespellingKind["respell"]): RespellingKind => ({
  ...{ name, respell },
  isHarmless: true,
});

/** A respelling that a guard may block even for a harmless command, because it hides or wraps the program. */
export const devious = (name: string, respell: RespellingKind["respell"]): RespellingKind => ({
  ...{ name, respell },
  isHarmless: false,
});

type Respell = RespellingKind["respell"];

/** For a command that consists of one program with its arguments. */
export const forOnly =
  (spelling: (line: string, random: Random, only: OnlyProgram) => string | null): Respell =>
  ({ only, text }, random) =>
    only === null ? null : spelling(text.trimStart(), random, only);

/**
 * For one program whose words are all plain text, at least `fewest` of them. Its redirections are appended to the
 * replacement.
 */
export function forPlainWords(
  fewest: number,
  spelling: (values: readonly string[], random: Random) => string | null,
): Respell {
  return forOnly((_, random, { words, redirections }) => {
    const values = words.flatMap(({ value }) => (value !== null && isPlain(value) ? [value] : []));
    if (values.length !== words.length || values.length < fewest) return null;
    const line = spelling(values, random);
    return line === null ? null : `${line} ${redirections}`.trimEnd();
  });
}
