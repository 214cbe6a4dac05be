import { namesIn, tableOf } from "../../../../src/protocol/json/table.ts";
import { type Call, plainWord, type Word } from "../../command/call.ts";
import { runsWhat } from "../../command/inline-code/interpreters.ts";
import { rowFinder } from "../../command/named-rows.ts";
import { CURL, type OptionSpec, WGET } from "../../command/options.ts";
import { type CommandLine, type Grammar, readCommandLine } from "../command-rules.ts";
import git from "../git/rules.json" with { type: "json" };
import table from "./programs.json" with { type: "json" };

/** The spellings of a program. */
interface Row extends Pick<OptionSpec, "values" | "attached" | "hasSingleDash"> {
  readonly grammar?: "curl" | "wget";
  readonly abbreviates?: true;
  /** Names of one option, the first of which stands for all: `--force -f`. */
  readonly options?: readonly string[];
  /** Subcommands that mean the same: `rm, container rm`. */
  readonly commands?: readonly string[];
  /** True if `kind/name` is `kind name`. */
  readonly splitsNames?: true;
}

interface Table {
  /** Other names of a program, by the words that they stand for. */
  readonly names: Readonly<Record<string, string>>;
  readonly programs: Readonly<Record<string, Row>>;
}

const { names, programs } = tableOf<Table>(table);
const rowOf = rowFinder(programs);
const gitGrammar = tableOf<{ readonly grammars: { readonly git: Grammar } }>(git).grammars.git;

export interface Option {
  /** The first of its names. */
  readonly name: string;
  readonly value: Word | null;
  /** The next word, which may be its value if it is not known. */
  readonly next: Word | null;
  readonly at: number;
}

export type Operand = CommandLine["operands"][number] & { readonly at: number };

/** A command line in one spelling. */
export interface Line {
  readonly program: string;
  readonly options: readonly Option[];
  readonly operands: readonly Operand[];
  /** The same with the usual name of the subcommand. */
  readonly usual: readonly Operand[];
  readonly abbreviates: boolean;
  /** False if nothing is known of the program's options. */
  readonly isKnown: boolean;
}

/** Reads the arguments of a program. `isLong`: of an unknown program, `-name` is one option. */
export function readLine(program: string, args: readonly Word[], isLong = false): Line {
  const row = rowOf(program);
  const grammar = program === "git" ? gitGrammar : grammarOf(row, isLong);
  const { operands, options, abbreviates } = readCommandLine({ program, args }, grammar);
  const placed = operands.map((operand) => ({ ...operand, at: args.indexOf(operand.word) }));
  return {
    program,
    options: options.map(({ name, value, word }) => {
      const at = args.indexOf(word);
      return { name: usualName(name, row), value, next: word.text.includes("=") ? null : (args[at + 1] ?? null), at };
    }),
    operands: placed,
    usual: usualWords(placed, row),
    abbreviates: abbreviates || row?.abbreviates === true,
    isKnown: row !== undefined,
  };
}

function grammarOf(row: Row | undefined, isLong: boolean): Grammar {
  if (row?.grammar !== undefined) return row.grammar === "curl" ? CURL : WGET;
  if (row === undefined) return isLong ? { hasSingleDash: true } : {};
  // `--global` is no abbreviation of `--globalconfig`.
  return { ...row, flags: (row.options ?? []).join(" ") };
}

function usualName(name: string, row: Row | undefined): string {
  if (row?.hasSingleDash === true) return name.replace(/^--/, "-");
  return namesIn(row?.options?.find((group) => namesIn(group).includes(name)) ?? name)[0] ?? name;
}

/** True if the option is one that the table names, and no abbreviation of another. */
export const isNamed = (program: string, name: string): boolean =>
  rowOf(program)?.options?.some((group) => namesIn(group).includes(name)) === true;

function usualWords(operands: readonly Operand[], row: Row | undefined): readonly Operand[] {
  const split = row?.splitsNames === true ? operands.flatMap(withoutSlash) : operands;
  for (const group of row?.commands ?? []) {
    const [usual = "", ...others] = group.split(", ");
    const words = others.map((one) => one.split(" ")).find((one) => beginsWith(split, one));
    const [first] = split;
    if (words === undefined || first === undefined) continue;
    const named = usual.split(" ").map((text) => ({ ...first, word: plainWord(text, first.word.source) }));
    return [...named, ...split.slice(words.length)];
  }
  return split;
}

const beginsWith = (operands: readonly Operand[], words: readonly string[]): boolean =>
  words.every((text, at) => operands[at]?.word.text === text);

const withoutSlash = (operand: Operand, at: number): readonly Operand[] =>
  at !== 1 || !/^\w+\/./.test(operand.word.text)
    ? [operand]
    : operand.word.text.split("/").map((text) => ({ ...operand, word: { ...operand.word, text } }));

/** A program with its arguments. */
export interface Reading {
  readonly program: string;
  readonly args: readonly Word[];
}

/** What a call starts, under each name that a rule may have for it: `python -m pip`, `node x/npm-cli.js`, `npm@10`. */
export function readingsOf(call: Pick<Call, "program" | "args">): readonly Reading[] {
  const { program, args } = call;
  const plain = program.replace(/(?<=.)@[^@/]*$/, "").replace(/\.(?:cmd|bat|ps1)$/i, "");
  const own = withUsualName({ program: plain, args });
  const runs = "name" in call ? runsWhat(call as Call) : ({ kind: "nothing" } as const);
  const file = runs.kind === "file" ? runs.file : null;
  const at = file === null ? moduleAt(program, args) : args.indexOf(file);
  const started = args[at];
  if (started === undefined) return own.program === program ? [own] : [{ program, args }, own];
  const name = started.text.slice(started.text.lastIndexOf("/") + 1).replace(/(?:-cli)?\.[cm]?[jt]s$/, "");
  return [own, withUsualName({ program: name, args: args.slice(at + 1) })];
}

/** The position of the module that python runs; -1 if it runs none. */
const moduleAt = (program: string, args: readonly Word[]): number =>
  /^(?:python|pypy|py)[\d.]*$/.test(program) ? args.findIndex((_, at) => args[at - 1]?.text === "-m") : -1;

function withUsualName({ program, args }: Reading): Reading {
  const plain = program.replace(/(?<=^(?:python|pip|node|ruby|php|perl))[\d.]+$/, "");
  const usual = Object.entries(names).find(([, others]) => namesIn(others).includes(program))?.[0] ?? plain;
  const [first = usual, ...words] = usual.split(" ");
  return { program: first, args: [...words.map((text) => plainWord(text)), ...args] };
}
