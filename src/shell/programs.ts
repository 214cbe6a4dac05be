import { namesIn, tableOf } from "../protocol/json/table.ts";
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

let byName: ReadonlyMap<string, ProgramKind> | null = null;

/** Made when it is first needed: a call without a project's hooks asks for no program. */
function kindsByName(): ReadonlyMap<string, ProgramKind> {
  const rows = tableOf<readonly { readonly kind: ProgramKind; readonly programs: string }[]>(table);
  byName ??= new Map(rows.flatMap(({ kind, programs }) => namesIn(programs).map((name) => [name, kind] as const)));
  return byName;
}

/** The kind of a program by its name without a version (`python3.12` is `python`); null for any other. */
export const kindOf = (program: string): ProgramKind | null =>
  kindsByName().get(program) ?? kindsByName().get(program.replace(/[\d.]+$/, "")) ?? null;

/** Files that some programs read by default. */
export const OWN_FILES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  gmake: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  rake: ["Rakefile", "rakefile"],
  npm: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  bun: ["package.json"],
};

/** Options with which interpreters take code or modules. */
export const CODE_OPTIONS: ReadonlySet<string> = new Set(namesIn("-c -e -E -p -r --eval --print --exec eval"));

/** Programs whose first operand is a script, with the switches that take no value. */
export const SCRIPT_PROGRAMS: readonly { readonly names: RegExp; readonly switches: RegExp }[] = [
  { names: /^(?:sh|bash|dash|zsh|ksh|mksh|ash)$/, switches: /^-[efuvx]+$/ },
  { names: /^(?:python|pypy)[\d.]*$/, switches: /^-[BEIOPqsSuv]+$/ },
  { names: /^(?:node|nodejs|tsx|ts-node)$/, switches: /^--(?:no-)?[\w-]*(?:warnings|maps)$|^--[\w-]+=.*$/ },
  { names: /^(?:ruby|perl|php|lua|Rscript)[\d.]*$/, switches: /^-[w]$/ },
];

/** The extensions that an interpreter may append to the name of a script. */
export const SCRIPT_ENDINGS: Readonly<Record<string, readonly string[]>> = {
  python: ["", "/__main__.py"],
  pypy: ["", "/__main__.py"],
  ...Object.fromEntries(
    ["node", "nodejs", "tsx", "ts-node"].map((name) => [
      name,
      ["", ".js", ".cjs", ".mjs", ".ts", "/index.js", "/index.ts", "/package.json"],
    ]),
  ),
};

/** Commands that are built into /bin/sh or bash. */
export const SHELL_BUILTINS: ReadonlySet<string> = new Set(
  namesIn(
    ". : [ alias bg break builtin caller cd command continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test time times trap true type typeset ulimit umask unalias unset wait",
  ),
);
