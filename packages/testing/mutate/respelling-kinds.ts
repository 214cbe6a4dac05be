import { posix } from "node:path";
import * as z from "zod";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { type CommandWord, edited, type ParsedCommand } from "./parse-command.ts";
import programFolders from "./program-folders.json" with { type: "json" };
import type { Random } from "./random.ts";
import rows from "./respelling-kinds.json" with { type: "json" };

/** A rule to write a command differently, so that it starts the same programs with the same arguments. */
export interface RespellingKind {
  /** Public: reports name it. */
  readonly name: string;
  /** True if a harmless command stays harmless in it: a guard that blocks it then raises a false alarm. */
  readonly isHarmless: boolean;
  /** Null if the command cannot be written in this form. */
  readonly respell: (command: ParsedCommand, random: Random) => string | null;
}

const NEEDS: Readonly<Record<string, (command: ParsedCommand) => boolean>> = {
  "only program": ({ only }) => only !== null,
  "one statement": ({ isOneStatement }) => isOneStatement,
  "one pipeline": ({ isOneStatement, isOnePipeline }) => isOneStatement && isOnePipeline,
  // A second program could read the rest of a script that the shell gets on its stdin.
  "one program": ({ isOneStatement, commands }) => isOneStatement && commands.length === 1,
  // The functions of other languages start `sh`.
  "plain text": ({ text, isPosix }) => isPosix && /^[ -~\n]*$/.test(text),
};

/** The words that a form replaces. */
const SITES: Readonly<Record<string, (command: ParsedCommand, random: Random) => readonly CommandWord[]>> = {
  programs: startedPrograms,
  program: (command, random) => oneOf(startedPrograms(command), random),
  arguments: argumentsOf,
  argument: (command, random) => oneOf(argumentsOf(command), random),
  words: ({ commands }, random) => {
    const all = commands.flatMap(({ program, args }) => [program, ...args]);
    return random.pick([commands.map(({ program }) => program), all, oneOf(all, random)]);
  },
};

function startedPrograms({ commands }: ParsedCommand): readonly CommandWord[] {
  return commands.flatMap(({ program, startsProgram }) => (startsProgram ? [program] : []));
}

function argumentsOf({ commands }: ParsedCommand): readonly CommandWord[] {
  return commands.flatMap(({ args }) => args);
}

function oneOf(words: readonly CommandWord[], random: Random): readonly CommandWord[] {
  const word = words[random.below(words.length)];
  return word === undefined ? [] : [word];
}

const forms = z.tuple([z.string()], z.string());

const row = z.strictObject({
  name: z.string(),
  harmless: z.literal(true).optional(),
  /** The words that a form replaces. Absent: a form is the whole command. */
  at: z.enum(["programs", "program", "arguments", "argument", "words"]).optional(),
  needs: z.array(z.enum(["only program", "one statement", "one pipeline", "one program", "plain text"])).default([]),
  /** The kind is not applied to a command that this regular expression matches. */
  unless: z.string().optional(),
  /** Text before the command, with values of the first word that is replaced. */
  before: forms.optional(),
  /** One of these is used at random. `%name%` is a value of the word or of the command. */
  forms,
});

/** Words, then programs, variables and whole commands: a combination is applied in this order. */
export const TABLE_KINDS: readonly RespellingKind[] = z.array(row).parse(rows).map(kindOf);

function kindOf({ name, harmless, at, needs, unless, before, forms }: z.infer<typeof row>): RespellingKind {
  const excluded = unless === undefined ? null : new RegExp(unless, "m");
  const wordsAt = at === undefined ? undefined : ownValue(SITES, at);
  const respell: RespellingKind["respell"] = (command, random) => {
    if (excluded?.test(command.text) || !needs.every((need) => ownValue(NEEDS, need)?.(command))) return null;
    const form = random.pick(forms);
    if (wordsAt === undefined) return fill(form, commandValues(command, random))?.trimEnd() ?? null;
    const edits = wordsAt(command, random).flatMap((word) => {
      const values = wordValues(word, random);
      const text = fill(form, values);
      return text === null ? [] : [{ pos: word.pos, end: word.end, text, values }];
    });
    const [first] = edits;
    if (first === undefined) return null;
    const prefix = before === undefined ? "" : fill(random.pick(before), first.values);
    return prefix === null ? null : prefix + edited(command.text, edits);
  };
  return { name, isHarmless: harmless === true, respell };
}

/** A value is null, or missing, if the word or the command has none. */
type Values = Readonly<Record<string, () => string | null>>;

function fill(form: string, values: Values): string | null {
  const parts = form.split(/%(\w+)%/).map((part, index) => (index % 2 === 0 ? part : (values[part]?.() ?? null)));
  return parts.includes(null) ? null : parts.join("");
}

/** Characters without a special meaning anywhere in a word. */
export const isPlain = (value: string): boolean => /^[\w./:@%+-]+$/.test(value);

const singleQuoted = (value: string): string => `'${inSingleQuotes(value)}'`;
const inSingleQuotes = (value: string): string => value.replaceAll("'", "'\\''");
const doubleQuoted = (value: string): string => `"${value.replace(/[\\"$`]/g, "\\$&")}"`;

/** Each ASCII character as an escape of `$'…'` and `printf`. */
const escaped = (value: string, digits: (code: number) => string): string =>
  Array.from(value, (char) => (char < "\u0080" ? `\\${digits(char.charCodeAt(0))}` : char)).join("");

const textValues = (value: string): Values => ({
  single: () => singleQuoted(value),
  double: () => doubleQuoted(value),
  hex: () => escaped(value, (code) => `x${code.toString(16).padStart(2, "0")}`),
  octal: () => escaped(value, (code) => code.toString(8).padStart(3, "0")),
});

function wordValues({ text, value }: CommandWord, random: Random): Values {
  if (value === null) return { word: () => text };
  const plain = isPlain(value) ? value : null;
  const canSplit = plain !== null && plain.length >= 2;
  const at = canSplit ? 1 + random.below(value.length - 1) : 0;
  const folder =
    FOLDER_OF.get(value) ??
    (FOLDER_OF.get(posix.basename(value)) === posix.dirname(value) ? posix.dirname(value) : null);
  const name = posix.basename(value);
  return {
    ...textValues(value),
    word: () => text,
    plain: () => plain,
    length: () => String(value.length),
    head: () => (canSplit ? value.slice(0, at) : null),
    tail: () => value.slice(at),
    ansi: () => `$'${value.replace(/[\\']/g, "\\$&")}'`,
    backslashed: () =>
      plain === null ? value.replace(/[^\w./:@%+-]/gu, "\\$&") : `${value.slice(0, at)}\\${value.slice(at)}`,
    folder: () => folder,
    name: () => name,
    nameStart: () => name.slice(0, -1),
    nameEnd: () => name.slice(-1),
  };
}

/** Programs that every system has, by the folder in which both Linux and macOS have them. */
const FOLDER_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(programFolders).flatMap(([folder, names]) => names.split(" ").map((name) => [name, folder] as const)),
);

function commandValues({ text, only, isPosix }: ParsedCommand, random: Random): Values {
  const shell = random.pick(isPosix ? ["sh", "bash", "/bin/sh"] : ["bash", "/bin/bash"]);
  // Neither echo nor its options may change the text.
  const echo = /\\|^-/.test(text) ? "printf '%s\\n'" : random.pick(["echo", "printf '%s\\n'"]);
  return {
    ...textValues(text),
    ...(only === null ? {} : programValues(only, random)),
    text: () => text,
    shell: () => shell,
    echo: () => echo,
    quoted: () => random.pick([singleQuoted, doubleQuoted])(text),
    quotedTwice: () => singleQuoted(`bash -c ${singleQuoted(text)}`),
    base64: () => Buffer.from(text).toString("base64"),
    json: () => inSingleQuotes(JSON.stringify(text)),
    perl: () => inSingleQuotes(doubleQuoted(text).replace(/[@%]/g, "\\$&")),
  };
}

/** Values of a command that is one program; most need that all of its words are plain. */
function programValues({ words, redirections }: NonNullable<ParsedCommand["only"]>, random: Random): Values {
  const ofProgram: Values = {
    spelling: () => words.map(({ text }) => text).join(" "),
    redirections: () => redirections,
  };
  const plain = words.flatMap(({ value }) => (value !== null && isPlain(value) ? [value] : []));
  if (plain.length < words.length) return ofProgram;
  const all = { ...ofProgram, words: () => plain.join(" ") };
  const variables: Values = {
    assignments: () => plain.map((value, index) => `W${index}=${value}`).join("; "),
    variables: () => plain.map((_, index) => `"$W${index}"`).join(" "),
  };
  if (plain.length < 2) return { ...all, ...variables };
  const at = 1 + random.below(plain.length - 1);
  return {
    ...all,
    ...variables,
    firstWords: () => plain.slice(0, at).join(" "),
    lastWords: () => plain.slice(at).join(" "),
    wordsBefore: () => plain.slice(0, -1).join(" "),
    lastWord: () => plain.at(-1) ?? null,
    wordsWithCommas: () => plain.join(","),
    wordsWithIfs: () => plain.join(`\${IFS}`),
  };
}
