import { type Call, UNKNOWN, type Word } from "../command/call.ts";
import { hasOption, type OptionSpec, optionValues, parseOptions } from "../command/options.ts";

/** How an interpreter gets its code. */
interface Interpreter {
  readonly spec: OptionSpec;
  /** Options with the code itself. */
  readonly code: readonly string[];
  /** Options with which it runs no code from its input or from a file: a syntax check, a version, a module. */
  readonly other: readonly string[];
  /** Operands before the file: `run` of deno. */
  readonly commands?: readonly string[];
}

const HELP = ["--version", "--help"];

const shell: Interpreter = {
  spec: {
    values: ["-o", "-O", "--rcfile", "--init-file", "--init-command", "-C"],
    flags: ["--login", "--norc", "--noprofile", "--posix", "--restricted", "--verbose"],
    endsAtOperand: true,
  },
  code: ["-c", "--command"],
  other: [...HELP, "-n", "--no-execute", "-D", "--dump-strings"],
};
const python: Interpreter = {
  spec: { values: ["-W", "-X", "-c", "-m", "-Q", "--check-hash-based-pycs"], endsAtOperand: true },
  code: ["-c"],
  other: [...HELP, "-m", "-V", "-h"],
};
const node: Interpreter = {
  spec: {
    values: ["-e", "-p", "-r", "-C", "--eval", "--print", "--require", "--import", "--loader", "--conditions"],
    endsAtOperand: true,
  },
  code: ["-e", "-p", "-pe", "--eval", "--print"],
  other: [...HELP, "-v", "-h", "-c", "--check", "--test"],
  commands: ["run"],
};
const perl: Interpreter = {
  spec: {
    values: ["-e", "-E", "-I"],
    attached: ["-i", "-M", "-m", "-0", "-F", "-l", "-x", "-C", "-D"],
    endsAtOperand: true,
  },
  code: ["-e", "-E"],
  other: [...HELP, "-c", "-v", "-V", "-h"],
};
const ruby: Interpreter = {
  spec: {
    values: ["-e", "-I", "-r", "-C", "-E"],
    attached: ["-i", "-0", "-F", "-K", "-T", "-W", "-x"],
    endsAtOperand: true,
  },
  code: ["-e"],
  other: [...HELP, "-c", "-v", "-h"],
};
const php: Interpreter = {
  spec: { values: ["-r", "-B", "-R", "-E", "-F", "-f", "-c", "-d", "-z"], endsAtOperand: true },
  code: ["-r", "-B", "-R", "-E"],
  other: [...HELP, "-l", "-v", "-i", "-m", "-h"],
};
const powershell: Interpreter = {
  spec: { hasSingleDash: true, values: ["-ExecutionPolicy", "-WorkingDirectory", "-Command", "-c", "-File", "-f"] },
  code: ["-Command", "-command", "-c", "-C", "-EncodedCommand", "-encodedcommand", "-enc", "-e", "-ec"],
  other: ["-Version", "-version", "-Help", "-help", "-?"],
};
const other: Interpreter = {
  spec: { values: ["-e", "--eval", "-E", "--expression", "-l"], endsAtOperand: true },
  code: ["-e", "--eval", "-E", "--expression", "-c"],
  other: [...HELP, "-v", "-V"],
};

const INTERPRETERS: readonly (readonly [names: RegExp, Interpreter])[] = [
  [/^(?:r|ba|da|z|k|pdk|mk|lk|ya|a|fi|c|tc|el|o|x|nu|pw?)?sh(?:93|-?[0-9.]+)?$|^(?:busybox-)?hush$/, shell],
  [/^(?:i?python|pypy)[0-9.]*w?$/, python],
  [/^(?:node|nodejs|bun|deno|tsx|ts-node|qjs)$/, node],
  [/^perl[0-9.]*$/, perl],
  [/^(?:j|t)?ruby[0-9.]*$/, ruby],
  [/^php[0-9.]*(?:-cli)?$/, php],
  [/^(?:pwsh|powershell)(?:-preview)?$/, powershell],
  [
    /^(?:lua|luajit)[0-9.]*$|^(?:tclsh|wish|expect|elixir|rscript|r|julia|groovy|scala|guile|osascript|racket|swift|raku|irb)[0-9.]*$/,
    other,
  ],
];

/** The name as interpreters are known by: `bash` for `BASH.EXE`. */
export const plainName = (program: string): string => program.toLowerCase().replace(/\.exe$/, "");

/** How a program runs code; null if it is no interpreter. PowerShell's names also look like those of a shell. */
function interpreterOf(program: string): Interpreter | null {
  const name = plainName(program);
  if (name === "pwsh") return powershell;
  return INTERPRETERS.find(([names]) => names.test(name))?.[1] ?? null;
}

export const isInterpreter = (program: string): boolean => interpreterOf(program) !== null;
export const isShell = (program: string): boolean => interpreterOf(program) === shell;

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
  const { spec, code, other: others, commands = [] } = interpreter;
  // Shells switch options off by `+`.
  const read = args.filter(({ text }) => !/^\+[a-zA-Z]+$/.test(text));
  const parsed = parseOptions(
    read.map((word) => (word.text === "-pe" && interpreter === node ? { ...word, text: "-e" } : word)),
    spec,
  );
  const isCode = hasOption(parsed, ...code);
  const isOff = others.some((name) => hasOption(parsed, name)) && !args.some(({ text }) => text === `+n`);
  if (isOff) return NOTHING;
  const [first, second] = parsed.operands;
  if (isCode) {
    const values = optionValues(parsed, ...code);
    const texts = values.length > 0 ? values : first === undefined ? [] : [first];
    return texts.length === 1 && texts[0]?.text === "-" ? { kind: "input" } : { kind: "code", code: texts };
  }
  const file =
    optionValues(parsed, "-f", "-File", "-file")[0] ??
    (first !== undefined && commands.includes(first.text) ? second : first);
  if (file === undefined || hasOption(parsed, "-s")) return { kind: "input" };
  return runsFile(file);
}

function runsFile(file: Word | undefined): Runs {
  if (file === undefined) return NOTHING;
  return STDIN.test(file.text) ? { kind: "input" } : { kind: "file", file };
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
