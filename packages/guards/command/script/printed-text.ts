import { posix } from "node:path";
import { nameSet } from "../../../../src/protocol/json/table.ts";
import { ownValue } from "../../../../src/protocol/own-value.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Started } from "../analysis.ts";
import type { Call, Word } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import { parseOptions } from "../options.ts";
import { resolvePath } from "../paths.ts";
import { keepChanges, sedOutput } from "./changed-files.ts";
import { GLOBBED, keepFile, knownFile, type ShellState } from "./shell-state.ts";

/** The state after a program that does not change the shell, with its output as far as it is known. */
export function printed(call: Call, started: Started): readonly ShellState[] {
  const { state } = started;
  const status = call.program === "echo" ? "success" : "either";
  const after: ShellState = { ...state, output: state.output + textOf(call, started), status };
  if (
    call.program === "tee" &&
    state.stdin.text !== null &&
    !call.args.some(({ text }) => /^(?:-a|--append)$/.test(text))
  )
    for (const { text } of operandsOf(call)) keepFile(after, text, state.stdin.text);
  keepChanges(call, after);
  return [after];
}

type Printer = (call: Call, started: Started) => string;

function textOf(call: Call, started: Started): string {
  if (SILENT.has(call.program)) return "";
  return printerNamed(call.program)?.(call, started) ?? line(UNKNOWN);
}

/** Programs that print nothing. */
const SILENT = nameSet(
  "cd export declare local set unset mkdir touch chmod chown cp mv rm ln sleep wait test [ [[ true false : umask ulimit shopt kill let hash disown",
);

const line = (text: string): string => `${text}\n`;
const operandsOf = ({ args }: Call): readonly Word[] => parseOptions(args).operands;

const printerNamed = rowFinder<Printer>({
  echo: echoText,
  printf: ({ args }) => printfText(args.map(({ text }) => text)),
  pwd: (_, { state }) => line(state.folder ?? UNKNOWN),
  "cat sort uniq tac shuf": catText,
  tee: (_, { state }) => state.stdin.text ?? UNKNOWN,
  "grep egrep fgrep rg head tail": someLines,
  tr: translated,
  "sed gsed": (call, { state }) =>
    (state.stdin.text === null ? null : sedOutput(call, state.stdin.text)) ?? line(UNKNOWN),
  ls: listedNames,
  nl: () => UNKNOWN,
  base64: decoded,
  rev: (_, { state }) => reversed(state.stdin.text),
  xxd: decodedHex,
  basename: (call) => eachOperand(call, ({ text }) => posix.basename(text)),
  dirname: (call) => eachOperand(call, ({ text }) => (text === UNKNOWN ? UNKNOWN : posix.dirname(text))),
  "realpath readlink": (call, { state }) => eachOperand(call, (word) => resolvePath(word, state)),
  mktemp: tempText,
  "which command type": (call) => eachOperand(call, ({ text }) => text),
  git: gitText,
  "jq gojq jaq": jqText,
  seq: seqText,
  whoami: (_, { frame }) => line(frame.analysis.place.variables.USER ?? UNKNOWN),
  yes: (call) => line(call.args.length === 0 ? "y" : call.args.map(({ text }) => text).join(" ")),
});

/** `jq -rn '"text"'`. */
function jqText({ args }: Call): string {
  const literal = args.find(({ text }) => /^"(?:[^"\\]|\\.)*"$/.test(text))?.text;
  return literal !== undefined && args.some(({ text }) => /^-\w*n/.test(text))
    ? line(literal.slice(1, -1))
    : line(UNKNOWN);
}

function echoText({ args }: Call): string {
  const at = args.findIndex(({ text }) => !/^-[neE]+$/.test(text));
  const options = args.slice(0, at === -1 ? args.length : at).map(({ text }) => text);
  const rest = at === -1 ? [] : args.slice(at);
  const text = rest.map((word) => word.text).join(" ");
  const isEscaped = options.some((option) => option.includes("e"));
  return (isEscaped ? unescaped(text) : text) + (options.some((option) => option.includes("n")) ? "" : "\n");
}

/** The content of files that are known, or the input. */
function catText(call: Call, { state }: Started): string {
  const operands = operandsOf(call).filter(({ text }) => text !== "-");
  if (operands.length === 0) return state.stdin.text ?? UNKNOWN;
  return operands.map(({ text }) => knownFile(state, text) ?? UNKNOWN).join("");
}

/** Some lines of the input; for a glob, an unknown part of its names. */
function someLines({ args }: Call, { state }: Started): string {
  const { text, input } = state.stdin;
  const namesFiles =
    input.kind === "none" || args.some((word) => /^-[a-zA-Z]*[clqr]|^--(?:count|files|quiet)/.test(word.text));
  return text === null || namesFiles ? line(UNKNOWN) : text.replace(SOME_NAMES, `./${UNKNOWN}`);
}

const SOME_NAMES = new RegExp(`^${GLOBBED}\\*$`, "gm");

/** `tr` with a newline only changes how lines are separated. */
function translated({ args }: Call, { state }: Started): string {
  const [from, to] = args;
  const isLines = args.length === 2 && from?.text.includes("\\n") === true && to?.text.includes("\\0") === true;
  return isLines && state.stdin.text !== null ? state.stdin.text : line(UNKNOWN);
}

/** The names in the folder, as a glob. */
function listedNames(call: Call): string {
  const operands = operandsOf(call);
  if (operands.length === 0) return line(`${GLOBBED}*`);
  const isNames = operands.every(({ isGlob, text }) => isGlob && !text.endsWith("/"));
  return isNames ? operands.map(({ text }) => line(GLOBBED + text)).join("") : line(UNKNOWN);
}

function decoded({ args }: Call, { state }: Started): string {
  const { text } = state.stdin;
  if (text === null || text.includes(UNKNOWN) || !args.some((word) => /^(?:-d|-D|--d\w*)$/.test(word.text)))
    return UNKNOWN;
  try {
    return atob(text.replace(/\s/g, ""));
  } catch {
    return UNKNOWN;
  }
}

function decodedHex({ args }: Call, { state }: Started): string {
  const { text } = state.stdin;
  const isReverse = args.some((word) => /^-[a-z]*r/.test(word.text));
  if (text === null || !isReverse || !/^[\s\da-f]*$/i.test(text)) return UNKNOWN;
  return text.replace(/\s/g, "").replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}

const reversed = (text: string | null): string =>
  text === null ? UNKNOWN : text.replace(/[^\n]+/g, (part) => [...part].reverse().join(""));

const eachOperand = (call: Call, change: (word: Word) => string): string =>
  operandsOf(call)
    .map((word) => line(change(word)))
    .join("");

/** A new file or folder below the folder for temporary files. */
function tempText({ args }: Call, { frame }: Started): string {
  const { operands, options } = parseOptions(args, { values: "-p --suffix", flags: "--directory --tmpdir" });
  const template = operands[0]?.text.replace(/X{3,}/, UNKNOWN);
  const folder = options.find(({ name, value }) => value !== null && (name === "-p" || name === "--tmpdir"))?.value
    ?.text;
  const temp = folder ?? frame.analysis.place.variables.TMPDIR ?? "/tmp";
  const isBelow = template === undefined || options.some(({ name }) => ["-p", "-t", "--tmpdir"].includes(name));
  return line(isBelow ? `${temp}/${template ?? `tmp.${UNKNOWN}`}` : template);
}

/** The output of git about the repository. */
function gitText({ args }: Call, { frame, state }: Started): string {
  const words = args.map(({ text }) => text);
  if (words.includes("--show-toplevel")) return line(frame.analysis.place.project);
  if (words.includes("--git-dir") || words.includes("--absolute-git-dir"))
    return line(`${frame.analysis.place.project}/.git`);
  if (words.includes("--show-prefix") || state.folder === null) return UNKNOWN;
  const isNames = words[0] === "ls-files" || (words[0] === "diff" && words.includes("--name-only"));
  return isNames ? line(`./${UNKNOWN}`) : UNKNOWN;
}

function seqText({ args }: Call): string {
  const numbers = args.map(({ text }) => (/^-?\d{1,6}$/.test(text) ? Number(text) : Number.NaN));
  const [first = Number.NaN, second, third] = numbers;
  const [from, step, to] =
    third !== undefined ? [first, second ?? 1, third] : second !== undefined ? [first, 1, second] : [1, 1, first];
  const count = Math.floor((to - from) / step) + 1;
  if (!(count > 0 && count <= 64)) return line(UNKNOWN);
  return Array.from({ length: count }, (_, at) => line(String(from + at * step))).join("");
}

const SIMPLE: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** Text with the escapes of `echo -e` and `printf` replaced. */
const unescaped = (text: string): string =>
  text.replace(
    /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|0?([0-7]{1,3})|([\s\S]))/gi,
    (whole, hex, unicode, octal, char) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
      return ownValue(SIMPLE, char) ?? whole;
    },
  );

/** The output of `printf`: its format is repeated until no argument is left. */
function printfText(words: readonly string[]): string {
  const args = words[0] === "--" ? words.slice(1) : words;
  const [format, ...values] = args;
  if (format === undefined) return "";
  const directives = format.match(/%[-+ #0]{0,5}[\d*]{0,5}(?:\.[\d*]{0,5})?[a-zA-Z]/g) ?? [];
  const rounds = directives.length === 0 ? 1 : Math.max(1, Math.ceil(values.length / directives.length));
  let next = 0;
  // An escaped `%` begins no directive.
  const once = () =>
    format.replace(
      /%%|%[-+ #0]{0,5}([\d*]{0,5})(?:\.[\d*]{0,5})?([a-zA-Z])|(?:\\[\s\S]|[^%\\])+/g,
      (whole, width: string | undefined, kind: string | undefined) => {
        if (whole === "%%") return "%";
        if (kind === undefined) return unescaped(whole);
        const value = values[next++] ?? "";
        return width?.includes("*") ? UNKNOWN : formatted(value, kind);
      },
    );
  return Array.from({ length: Math.min(rounds, 1000) }, once).join("");
}

function formatted(value: string, kind: string): string {
  if (kind === "s" || kind === "q") return value;
  if (kind === "b") return unescaped(value);
  if (kind === "c") return value.slice(0, 1);
  if (/[diuxXo]/.test(kind)) return /^-?\d+$/.test(value) && !/[xXo]/.test(kind) ? value : UNKNOWN;
  return UNKNOWN;
}
