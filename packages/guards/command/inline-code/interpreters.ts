import { namesIn, tableOf } from "../../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, Word } from "../call.ts";
import { hasOption, type OptionSpec, optionValues, parseOptions } from "../options.ts";
import { knownFile, type ShellState } from "../script/shell-state.ts";
import table from "./interpreters.json" with { type: "json" };

/** How an interpreter gets its code. Options are separated by spaces. */
interface Interpreter extends OptionSpec {
  readonly kind: string;
  /** A pattern for the names of the program. */
  readonly names: string;
  /** Options with the code itself. */
  readonly code: string;
  /** Options with which it runs no code from its input or from a file: a syntax check, a version, a module. */
  readonly other: string;
  /** Operands before the file: `run` of deno. */
  readonly commands?: string;
  /** Operands before code: `eval` of deno. */
  readonly inlineCommands?: string;
}

interface Known {
  readonly names: RegExp;
  readonly interpreter: Interpreter;
}

let interpreters: readonly Known[] | null = null;

/** The patterns are compiled for the first call that is judged. */
const allInterpreters = (): readonly Known[] => {
  interpreters ??= tableOf<readonly Interpreter[]>(table).map((interpreter) => ({
    names: new RegExp(interpreter.names),
    interpreter,
  }));
  return interpreters;
};

/** The name as interpreters are known by: `bash` for `BASH.EXE`. */
export const plainName = (program: string): string => program.toLowerCase().replace(/\.exe$/, "");

const interpreterOf = (program: string): Interpreter | null => {
  const name = plainName(program);
  return allInterpreters().find(({ names }) => names.test(name))?.interpreter ?? null;
};

export const isInterpreter = (program: string): boolean => interpreterOf(program) !== null;
export const isShell = (program: string): boolean => interpreterOf(program)?.kind === "shell";

/** The code that an interpreter runs. */
export type Runs =
  | { readonly kind: "input" }
  | { readonly kind: "code"; readonly code: readonly Word[] }
  | { readonly kind: "file"; readonly file: Word }
  | { readonly kind: "nothing" };

const NOTHING: Runs = { kind: "nothing" };

/** The code that a call runs if it is an interpreter, `eval`, `source` or `.`. */
export function runsWhat({ program, args }: Call): Runs {
  if (program === "eval") return { kind: "code", code: args };
  if (program === "source" || program === ".") return runsFile(args[0]);
  const interpreter = interpreterOf(program);
  if (interpreter === null) return NOTHING;
  const { code, other, commands = "", inlineCommands = "" } = interpreter;
  // Shells switch options off by `+`.
  const read = args.filter(({ text }) => !/^\+[a-zA-Z]+$/.test(text));
  const parsed = parseOptions(
    read.map((word) => (word.text === "-pe" && interpreter.kind === "node" ? { ...word, text: "-e" } : word)),
    interpreter,
  );
  const isCode = hasOption(parsed, code);
  // `perl -lne code`: the value of an option in a group may be missing.
  const clustered =
    /^(?:perl|ruby)$/.test(interpreter.kind) && !isCode
      ? args.findIndex(({ text }) => /^-[a-zA-Z0-9]*[eE]$/.test(text))
      : -1;
  if (clustered !== -1) return { kind: "code", code: args.slice(clustered + 1, clustered + 2) };
  const module = interpreter.kind === "python" ? optionValues(parsed, "-m")[0] : undefined;
  if (module !== undefined && RUNS_CODE.test(module.text)) {
    const code = args.slice(args.indexOf(module) + 1).filter(({ text }) => !/^-/.test(text));
    return code.length === 0 ? { kind: "input" } : { kind: "code", code };
  }
  const isOff = hasOption(parsed, other) && !args.some(({ text }) => text === "+n");
  if (isOff) return NOTHING;
  const [first, second] = parsed.operands;
  if (first !== undefined && namesIn(inlineCommands).includes(first.text))
    return {
      kind: "code",
      code: parsed.operands
        .slice(1)
        .filter(({ text }) => !text.startsWith("-"))
        .slice(0, 1),
    };
  if (isCode) {
    const values = optionValues(parsed, code);
    const texts = values.length > 0 ? values : first === undefined ? [] : [first];
    return texts.length === 1 && texts[0]?.text === "-" ? { kind: "input" } : { kind: "code", code: texts };
  }
  const file =
    optionValues(parsed, "-f -File -file")[0] ??
    (first !== undefined && namesIn(commands).includes(first.text)
      ? fileAmong(parsed.operands.slice(1), second)
      : first);
  if (file === undefined || hasOption(parsed, "-s")) return { kind: "input" };
  if (interpreter.kind === "other" && file.text.startsWith("(")) return { kind: "code", code: [file] };
  return runsFile(file);
}

/** `deno run -A -c deno.json a.ts`: options may follow the command. */
const fileAmong = (words: readonly Word[], first: Word | undefined): Word | undefined =>
  words.find(({ text }) => /^[^-].*\.[cm]?[jt]sx?$/.test(text)) ?? words.find(({ text }) => !/^-./.test(text)) ?? first;

/** Modules of Python that run code of their arguments or their input. */
const RUNS_CODE = /^(?:timeit|pdb|code|IPython|cProfile|profile|trace|asyncio)$/;

function runsFile(file: Word | undefined): Runs {
  if (file === undefined) return NOTHING;
  return STDIN.test(file.text) ? { kind: "input" } : { kind: "file", file };
}

/** Code in another language than that of the shell, and the language. */
export interface InlineCode {
  readonly kind: string;
  readonly code: string;
}

/** The code that a call gets as an argument, from its input or from a file of the command itself; null if it is not known. */
export function inlineCode(call: Call, state: ShellState): InlineCode | null {
  const { program, args } = call;
  if (AWK.test(program)) {
    const parsed = parseOptions(args, { values: "-F -v -f -e --source", endsAtOperand: true });
    const given = optionValues(parsed, "-e --source");
    const first = hasOption(parsed, "-f") ? undefined : parsed.operands[0];
    const texts = given.length > 0 ? given : first === undefined ? [] : [first];
    const isInput = optionValues(parsed, "-f").some(({ text }) => STDIN.test(text));
    const input = isInput ? [state.stdin.text ?? ""] : [];
    return { kind: "awk", code: [...texts.map(({ text }) => text), ...input].join("\n") };
  }
  const interpreter = interpreterOf(program);
  if (interpreter === null || interpreter.kind === "shell") return null;
  const runs = runsWhat(call);
  const code =
    runs.kind === "code"
      ? runs.code.map(({ text }) => text).join("\n")
      : runs.kind === "input"
        ? state.stdin.text
        : runs.kind === "file"
          ? knownFile(state, runs.file.text)
          : null;
  return code == null ? null : { kind: interpreter.kind, code };
}

/** Programs whose operands are code. */
const AWK = /^(?:g|m|n)?awk$/;

/** The code that a call other than a shell gets from its arguments, a here-document or `echo … |`, as far as it is known. */
export function codeOf(call: Call): readonly string[] {
  if (AWK.test(call.program)) return call.args.map(({ text }) => text);
  if (!isInterpreter(call.program) || isShell(call.program)) return [];
  const runs = runsWhat(call);
  if (runs.kind === "code") return runs.code.map(({ text }) => text);
  if (runs.kind !== "input") return [];
  if (call.input.kind === "text") return [call.input.text];
  const printers = call.input.kind === "pipe" ? call.input.from : [];
  return printers
    .filter(({ program }) => /^(?:echo|printf)$/.test(program))
    .flatMap(({ args }) => args.map(({ text }) => text));
}

const STDIN = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/(?:self|thread-self)\/fd\/0)$/;

/** True if a command begins with a value known only at run time: `$(…)`, `cd x && $(…)`. */
export const beginsUnknown = ({ text }: Word): boolean => {
  const at = text.indexOf(UNKNOWN);
  return at >= 0 && /(?:^|[;&|\n({]|\b(?:then|do|else|exec|eval))\s*["']?$/.test(text.slice(0, at));
};
