import { posix } from "node:path";
import { nameSet, namesIn } from "../protocol/json/table.ts";
import { ownValue } from "../protocol/own-value.ts";
import { assign, enter, type Findings, markStarted, note, start } from "./findings.ts";
import { CODE_OPTIONS, kindOf, type ProgramKind, programRow } from "./programs.ts";
import { UNKNOWN } from "./unknown.ts";
import { plain } from "./word-values.ts";

type Words = readonly (readonly string[])[];

/** Follows the program that begins a command, and the program after a wrapper such as `sudo` or `find -exec`. */
export function followProgram(words: Words, inputs: readonly string[], found: Findings): void {
  const names = words.map((values) => values.map((value) => posix.basename(plain(value))));
  for (const name of names[0] ?? []) followNamed(name, words.slice(1), inputs, found);
  // A wrapper passes its arguments on, so each of them may be a program.
  if (!names[0]?.some((name) => kindOf(name) === "wrapper")) return;
  names.forEach((values, at) => {
    const isOfShell = names[at - 1]?.some((name) => name === "command" || name === "builtin") ?? false;
    const mayBe = (name: string): boolean => isOfShell || !OF_SHELL.has(kindOf(name));
    if (at > 0) for (const name of values.filter(mayBe)) followNamed(name, words.slice(at + 1), inputs, found);
    if (!names[at - 1]?.some((name) => TAKES_PLACE.has(name)))
      for (const word of words[at] ?? []) markStarted(word, found);
  });
}

/** Not programs after a wrapper: `.` after `find` is a directory. */
const OF_SHELL: ReadonlySet<ProgramKind | null> = new Set(["source", "text", "folder", "variable"] as const);

function followNamed(name: string, rest: Words, inputs: readonly string[], found: Findings): void {
  switch (kindOf(name)) {
    case "shell":
      followShell(name, rest, inputs, found);
      break;
    case "text":
      followTexts(name, rest, found);
      break;
    case "source":
      for (const value of rest[0] ?? []) start(value, found);
      break;
    case "folder":
      for (const value of operandsOf(rest)[0] ?? []) enter(value, found);
      break;
    case "variable":
      for (const value of rest.flat()) if (/^\w+$/.test(value)) assign(value, `${UNKNOWN}$${value}${UNKNOWN}`, found);
      break;
    case "interpreter":
      followInterpreter(name, rest, found);
      break;
    case "wrapper":
      followWrapper(rest, found);
      break;
    case "opaque":
      for (const file of namesIn(programRow(name)?.files ?? "")) start(file, found);
      note(found, spoken(name, rest), "it starts programs named in its own settings");
      break;
    case "writer":
    case null:
  }
}

const operandsOf = (words: Words): Words => words.filter(([value = ""]) => !value.startsWith("-"));

/** `sh -c TEXT`, `sh FILE`, or a shell that reads commands from its input. */
function followShell(name: string, rest: Words, inputs: readonly string[], found: Findings): void {
  const option = rest.findIndex(([value = ""]) => /^-[a-zA-Z]*c$/.test(value));
  const [operand] = operandsOf(option < 0 ? rest : rest.slice(option + 1));
  if (operand === undefined) {
    for (const text of inputs) found.run(text);
    if (inputs.length === 0 && !rest.flat().some((value) => /^--(version|help)$/.test(value))) {
      note(found, spoken(name, rest), "it reads commands from its input");
    }
    return;
  }
  for (const value of operand) {
    if (option < 0) startOperand(value, found);
    else if (value.includes(UNKNOWN)) note(found, `${name} -c ${value}`, "its commands are known only at run time");
    else found.run(plain(value));
  }
}

/** The argument after these is a directory or a lock, not a program. */
const TAKES_PLACE = nameSet("find fd flock");

/** `xargs` and `find` replace `{}` with the names that they find. */
const startOperand = (value: string, found: Findings): void =>
  start(value === "{}" ? `${UNKNOWN}{}${UNKNOWN}` : value, found);

function followTexts(name: string, rest: Words, found: Findings): void {
  const words = name === "trap" ? rest.slice(0, 1) : rest;
  const text = words.map(([value = ""]) => value).join(" ");
  const isKnown = words.every((values) => values.length === 1) && !text.includes(UNKNOWN);
  if (isKnown) found.run(plain(text));
  else note(found, `${name} ${text}`, "its commands are known only at run time");
}

/** `python FILE`, `python -m MODULE`, `node -e CODE`. */
function followInterpreter(name: string, rest: Words, found: Findings): void {
  const options = rest.map(([value = ""]) => plain(value));
  const isNode = name.startsWith("node");
  const code = options.findIndex((value) => CODE_OPTIONS.has(value) && !(isNode && value === "-r"));
  const [operand] = operandsOf(rest);
  if (name.startsWith("py") && options.includes("-m")) {
    followModule(options[options.indexOf("-m") + 1] ?? "", found);
    note(found, spoken(name, rest), "Python looks for the module and for what it imports");
  } else if (code >= 0) {
    for (const word of (options[code + 1] ?? "").split(/["'`\s()]+/)) found.guess(word);
    note(found, spoken(name, rest), "files that its code opens");
  } else if (operand === undefined) note(found, spoken(name, rest), "it reads its code from its input");
  else for (const value of operand) startScript(name, value, found);
}

function followModule(module: string, found: Findings): void {
  const path = module.replaceAll(".", "/");
  for (const file of [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`]) start(file, found);
}

function startScript(name: string, value: string, found: Findings): void {
  startOperand(value, found);
  if (/\.\w+$/.test(value)) return;
  const endings = name.startsWith("py") ? ["/__main__.py"] : (ownValue(ENDINGS, name) ?? []);
  for (const ending of endings) start(value + ending, found);
}

/** What an interpreter appends to a directory or to a name without an extension. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  node: [".js", ".cjs", ".mjs", "/index.js", "/package.json"],
  bun: [".js", ".ts", ".mjs", "/index.js", "/index.ts", "/package.json"],
};

/** `env -S TEXT`, `env -C DIR`, `find DIR`: the options of a wrapper. The program it starts is one of its arguments. */
function followWrapper(rest: Words, found: Findings): void {
  rest.forEach(([value = ""], at) => {
    const split = /^(?:-[a-zA-Z]*S|--split-string=?)(.*)$/s.exec(plain(value))?.[1];
    if (split !== undefined) found.run(split === "" ? plain(rest[at + 1]?.[0] ?? "") : split);
    const folder = /^(?:-C|-D|--chdir=?)(.*)$/s.exec(value)?.[1];
    if (folder !== undefined) enter(folder === "" ? (rest[at + 1]?.[0] ?? ".") : folder, found);
  });
}

/** The beginning of the command as it was written. */
const spoken = (name: string, rest: Words): string => {
  const words = [name, ...rest.slice(0, 2).map(([value = ""]) => value)].join(" ");
  return words.length > 60 ? `${words.slice(0, 60)}…` : words;
};
