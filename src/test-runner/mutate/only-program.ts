import type { RespellingKind } from "./kind.ts";
import type { OnlyProgram } from "./parse-command.ts";
import { isPlain } from "./quote.ts";
import type { Random } from "./random.ts";

type Respell = RespellingKind["respell"];

/** For a command that is one program with its arguments. */
export const forOnly =
  (spelling: (line: string, random: Random, only: OnlyProgram) => string | null): Respell =>
  ({ only, text }, random) =>
    only === null ? null : spelling(text.trimStart(), random, only);

/** For one program whose words are all plain text, at least `fewest` of them. Its redirections follow what replaces them. */
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
