import { devious, forPlainWords, type RespellingKind } from "./kind.ts";
import { type CommandWord, edited, type ParsedCommand } from "./parse-command.ts";
import { isPlain, singleQuoted } from "./quote.ts";
import type { Random } from "./random.ts";

/** Words that the shell assembles at run time: from variables, substitutions and expansions. */
export const VARIABLE_KINDS: readonly RespellingKind[] = [
  devious("variable for the program", (command, random) =>
    withVariable(command, random, { word: oneOf(programWords(command), random), set: (value) => `X=${value}` }),
  ),
  devious("variable for an argument", (command, random) =>
    withVariable(command, random, { word: oneOf(argumentWords(command), random), set: (value) => `X=${value}` }),
  ),
  devious("exported variable", (command, random) =>
    withVariable(command, random, { word: oneOf(programWords(command), random), set: (value) => `export X=${value}` }),
  ),
  devious("printf -v", (command, random) =>
    withVariable(command, random, { word: oneOf(programWords(command), random), set: (v) => `printf -v X %s ${v}` }),
  ),
  devious("variable for each word", forPlainWords(1, eachInVariable)),
  devious(
    "variable for the whole line",
    forPlainWords(1, (values, random) => `X=${singleQuoted(values.join(" "))}${random.pick(["; ", "\n"])}$X`),
  ),
  devious("part of a variable", taken({ from: (value) => `_${value}_`, use: (value) => `\${X:1:${value.length}}` })),
  devious("pattern removed from a variable", taken({ from: (value) => `${value}.x`, use: () => `\${X%.x}` })),
  devious("replaced text in a variable", taken({ from: (value) => `_${value}`, use: () => `\${X/_/}` })),
  devious("indirect variable", taken({ from: (value) => `${value}; REF_X=X`, use: () => `\${!REF_X}` })),
  devious("default value of a variable", (command) => inPrograms(command, (value) => `\${NOT_SET:-${value}}`)),
  devious(
    "array",
    forPlainWords(1, (values) => `a=(${values.join(" ")}); "\${a[@]}"`),
  ),
  devious(
    "positional parameters",
    forPlainWords(1, (values) => `set -- ${values.join(" ")}; "$@"`),
  ),
  devious("command substitution", (command, random) => inPrograms(command, (value) => printed(value, random))),
  devious("command substitution for an argument", (command, random) => {
    const word = oneOf(argumentWords(command), random);
    if (word === undefined || !isPlain(word.value ?? "")) return null;
    return edited(command.text, [{ ...word, text: printed(word.value ?? "", random) }]);
  }),
  devious(
    "brace expansion",
    forPlainWords(2, (values) => `{${values.join(",")}}`),
  ),
  devious(
    "$IFS",
    forPlainWords(2, (values) => values.join(`\${IFS}`)),
  ),
];

const oneOf = (words: readonly CommandWord[], random: Random): CommandWord | undefined =>
  words[random.below(words.length)];

const programWords = ({ commands }: ParsedCommand): readonly CommandWord[] =>
  commands.flatMap(({ program, startsProgram }) => (startsProgram && isPlain(program.value ?? "") ? [program] : []));

const argumentWords = ({ commands }: ParsedCommand): readonly CommandWord[] => commands.flatMap(({ args }) => args);

const printed = (value: string, random: Random): string =>
  random.pick([
    ...([`$(printf %s ${value})`, `"$(printf '%s' ${value})"`] as const),
    ...(value.startsWith("-") ? [] : [`$(echo ${value})`, `\`echo ${value}\``]),
  ]);

interface Variable {
  readonly word: CommandWord | undefined;
  /** The command that sets the variable X. */
  readonly set: (value: string) => string;
}

/** Replaces a word by a variable that is set before the command. */
function withVariable({ text }: ParsedCommand, random: Random, { word, set }: Variable): string | null {
  if (word === undefined || word.value === null || usesX(text)) return null;
  const isWord = isPlain(word.value);
  const use = isWord ? random.pick(["$X", `\${X}`, '"$X"']) : '"$X"';
  const setting = set(isWord ? word.value : singleQuoted(word.value));
  return `${setting}${random.pick(["; ", "\n", " && "])}${edited(text, [{ ...word, text: use }])}`;
}

const usesX = (text: string): boolean => /\bX\b/.test(text);

interface Taken {
  /** The contents of the variable X. */
  readonly from: (value: string) => string;
  readonly use: (value: string) => string;
}

/** The first program name, taken from a variable with more in it. */
function taken({ from, use }: Taken): RespellingKind["respell"] {
  return (command) => {
    const [word] = programWords(command);
    if (word === undefined || word.value === null || usesX(command.text)) return null;
    return `X=${from(word.value)}; ${edited(command.text, [{ ...word, text: use(word.value) }])}`;
  };
}

function eachInVariable(values: readonly string[], random: Random): string {
  const names = values.map((_, index) => `W${index}`);
  const sets = values.map((value, index) => `${names[index]}=${value}`);
  return `${sets.join(random.pick(["; ", "\n", " && "]))}; ${names.map((name) => `"$${name}"`).join(" ")}`;
}

/** Program names, each written as an expansion. */
function inPrograms(command: ParsedCommand, spelling: (value: string) => string): string | null {
  const words = programWords(command);
  if (words.length === 0) return null;
  return edited(
    command.text,
    words.map((word) => ({ ...word, text: spelling(word.value ?? "") })),
  );
}
