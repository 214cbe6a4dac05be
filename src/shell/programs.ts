import { nameSet, namesIn, tableOf } from "../protocol/json/table.ts";
import table from "./programs.json" with { type: "json" };

/**
 * How a program uses its arguments, to find the files that it runs. `text`: they are shell text. `variable`: it fills variables
 * from its input. `wrapper`: one of them is a program that it starts. `opaque`: it starts what its own settings say.
 */
export type ProgramKind =
  | "shell"
  | "text"
  | "source"
  | "folder"
  | "variable"
  | "interpreter"
  | "wrapper"
  | "opaque"
  | "writer";

interface ProgramRow {
  readonly kind: ProgramKind;
  readonly programs: string;
  /** Files that it reads by default. */
  readonly files?: string;
  /** If its first operand is a script: a pattern for options without a value. */
  readonly switches?: string;
  /** What it may append to the name of a script. */
  readonly endings?: string;
}

let byName: ReadonlyMap<string, ProgramRow> | null = null;

/** The row of a program by its name without a version: `python3.12` is `python`. */
export function programRow(program: string): ProgramRow | undefined {
  // Made when it is first needed: a call without a project's hooks asks for no program.
  byName ??= new Map(
    tableOf<readonly ProgramRow[]>(table).flatMap((row) => namesIn(row.programs).map((name) => [name, row] as const)),
  );
  return byName.get(program) ?? byName.get(program.replace(/[\d.]+$/, ""));
}

export const kindOf = (program: string): ProgramKind | null => programRow(program)?.kind ?? null;

/** Options with which interpreters take code or modules. */
export const CODE_OPTIONS = nameSet("-c -e -E -p -r --eval --print --exec eval");

/** Commands that are built into /bin/sh or bash. */
export const SHELL_BUILTINS = nameSet(
  ". : [ alias bg break builtin caller cd command continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test time times trap true type typeset ulimit umask unalias unset wait",
);
