import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { addGap, type Started } from "../analysis.ts";
import type { Call, Word } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import { type OptionSpec, parseOptions } from "../options.ts";
import { resolvePath } from "../paths.ts";
import { runAtPrompt, runText, startInner, withVariables } from "../start.ts";
import { followSource } from "../started/follow-shell.ts";
import { printed } from "./printed-text.ts";
import { descriptorPath, exportVariables, knownFile, makeLocal, type ShellState, setVariable } from "./shell-state.ts";

/** What a builtin does to the shell. */
type Builtin = (call: Call, started: Started) => readonly ShellState[];

const ended = (state: ShellState, flow: ShellState["flow"]): readonly ShellState[] => [
  { ...state, flow, status: "either" },
];
const done = (state: ShellState): readonly ShellState[] => [{ ...state, status: "either" }];

export const builtinNamed = rowFinder<Builtin>({
  ": true": (_, { state }) => [{ ...state, status: "success" }],
  false: (_, { state }) => [{ ...state, status: "failure" }],
  "cd chdir": changeFolder,
  pushd: pushFolder,
  popd: popFolder,
  exit: (call, { state }) => (call.args.length <= 1 ? ended(state, "exit") : [state]),
  logout: (_, { state }) => ended(state, "exit"),
  return: (_, { state, frame }) => (frame.active.length > 0 ? ended(state, "return") : [state]),
  "break continue": (_, { state, frame }) => (frame.loops > 0 ? ended(state, "loop end") : [state]),
  "export declare typeset local readonly": declare,
  unset,
  hash,
  "read mapfile readarray getopts": readVariables,
  set: setPositional,
  shift,
  eval: evaluate,
  trap,
  alias,
  unalias: (_, { state }) => done({ ...state, aliases: new Map() }),
  exec: execute,
  "command builtin": command,
  ". source": followSource,
  printf,
});

function changeFolder({ args }: Call, { state, frame }: Started): readonly ShellState[] {
  const [target] = parseOptions(args).operands;
  const folder = folderOf(target, state, frame.analysis.place.home);
  const { folder: oldFolder } = state;
  return [
    { ...state, folder, oldFolder, status: "success" },
    { ...state, status: "failure", isUnlikely: true },
  ];
}

function folderOf(target: Word | undefined, state: ShellState, home: string): string | null {
  if (target === undefined) return state.variables.get("HOME")?.[0] ?? home;
  if (target.text === "-") return state.oldFolder;
  const path = resolvePath(target, state);
  return path.startsWith("/") ? path : null;
}

function pushFolder(call: Call, started: Started): readonly ShellState[] {
  const { state } = started;
  const moved = changeFolder({ ...call, args: call.args.filter(({ text }) => !text.startsWith("+")) }, started);
  return moved.map((one) => (one.isUnlikely ? one : { ...one, stack: [...state.stack, state.folder] }));
}

function popFolder(_: Call, { state }: Started): readonly ShellState[] {
  const folder = state.stack.at(-1);
  if (folder === undefined) return [{ ...state, status: "failure" }];
  return done({ ...state, folder, oldFolder: state.folder, stack: state.stack.slice(0, -1) });
}

function declare({ program, args }: Call, { state, frame }: Started): readonly ShellState[] {
  const isGlobal = program === "export" || program === "readonly" || args.some(({ text }) => /^-[a-zA-Z]*g/.test(text));
  const isLocal = !isGlobal && frame.active.some((name) => name !== "");
  const isExport = program === "export" || args.some(({ text }) => /^-[a-z]*x/.test(text));
  const isUnexport = args.some(({ text }) => /^-[a-z]*n/.test(text)) && program === "export";
  const declared = args.flatMap(({ text }) => {
    const match = /^([A-Za-z_]\w*)(?:(\+?)=(.*))?$/s.exec(text);
    return match === null ? [] : [{ name: match[1] ?? "", isAppended: match[2] === "+", value: match[3] }];
  });
  const names = declared.map(({ name }) => name);
  if (program !== "export" && args.some(({ text }) => /^-[a-zA-Z]*n/.test(text)))
    addGap(frame, "reference", frame.analysis.text);
  if (isLocal) makeLocal(state, names);
  for (const { name, isAppended, value } of declared) {
    runAtPrompt(name, value ?? "", { state, frame });
    if (value !== undefined && !value.startsWith("("))
      setVariable(state, name, [(isAppended ? (state.variables.get(name)?.[0] ?? UNKNOWN) : "") + value]);
  }
  if (isExport && !isUnexport) exportVariables(state, names);
  return done(state);
}

function unset({ args }: Call, { state }: Started): readonly ShellState[] {
  for (const { text } of args) {
    setVariable(state, text, null);
    if (!state.functions.has(text)) continue;
    const functions = new Map(state.functions);
    functions.delete(text);
    state.functions = functions;
  }
  return done(state);
}

function setPositional({ args }: Call, { state }: Started): readonly ShellState[] {
  const at = args.findIndex(({ text }) => text === "--" || !/^[-+]/.test(text));
  if (at === -1) return done(state);
  const rest = args[at]?.text === "--" ? args.slice(at + 1) : args.slice(at);
  // The value of `-o` is no argument.
  if (/^[-+][a-z]*o$/.test(args[at - 1]?.text ?? "")) return done(state);
  return done({ ...state, positional: rest.map(({ text }) => text) });
}

function shift({ args }: Call, { state }: Started): readonly ShellState[] {
  const count = args[0]?.text ?? "1";
  const positional = state.positional === null || !/^\d+$/.test(count) ? null : state.positional.slice(Number(count));
  return done({ ...state, positional });
}

function evaluate(call: Call, started: Started): readonly ShellState[] {
  const text = call.args.map((word) => word.text).join(" ");
  return runText(call, text, { ...started, state: withVariables(started) });
}

/** The text runs at the end or on a signal, and nothing that it changes is seen before. */
function trap(call: Call, started: Started): readonly ShellState[] {
  const [text, signal] = parseOptions(call.args).operands;
  if (text !== undefined && signal !== undefined && text.text !== "-")
    runText(call, text.text, { ...started, state: { ...started.state, output: "" } });
  return done(started.state);
}

function alias({ args }: Call, { state }: Started): readonly ShellState[] {
  const aliases = new Map(state.aliases);
  for (const { text } of args) {
    const [, name, value] = /^([^=\0]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined && value !== undefined) aliases.set(name, value);
  }
  return done({ ...state, aliases });
}

/** `hash -p /bin/rm ls`: the name starts this program. */
function hash({ args }: Call, { state }: Started): readonly ShellState[] {
  const { operands, options } = parseOptions(args, { values: "-p" });
  const path = options.find(({ name }) => name === "-p")?.value?.text;
  const aliases = new Map(state.aliases);
  if (path !== undefined) for (const { text } of operands) aliases.set(text, path);
  return done({ ...state, aliases });
}

/** With a program the shell ends; without one the shell's own input and output are redirected. */
function execute(call: Call, started: Started): readonly ShellState[] {
  const { operands } = parseOptions(call.args, { values: "-a", endsAtOperand: true });
  if (operands.length === 0) return done(started.state);
  return startInner(call, operands, started).map((one) => ({ ...one, flow: "exit" }));
}

function command(call: Call, started: Started): readonly ShellState[] {
  const { operands, options } = parseOptions(call.args, { endsAtOperand: true });
  if (operands.length === 0 || options.some(({ name }) => name === "-v" || name === "-V"))
    return printed(call, started);
  return startInner(call, operands, started, { level: "builtin" });
}

/** `printf -v name` sets a variable. */
function printf(call: Call, started: Started): readonly ShellState[] {
  const [option, name, ...rest] = call.args;
  if (option?.text !== "-v" || name === undefined) return printed(call, started);
  const [result] = printed({ ...call, args: rest }, { ...started, state: { ...started.state, output: "" } });
  setVariable(started.state, name.text, [result?.output ?? UNKNOWN]);
  return done(started.state);
}

const READ = { values: "-a -d -i -n -N -p -t -u -C -c -O" };
const MAPFILE = { values: "-d -n -O -s -u -C -c" };

/** `read a b`, `mapfile list`: sets variables from the input, as far as it is known. */
function readVariables({ program, args }: Call, { state }: Started): readonly ShellState[] {
  const { text } = inputOf(args, state, READ);
  if (program === "getopts") {
    for (const { text: name } of [...args.slice(1, 2), { text: "OPTARG" }]) setVariable(state, name, [UNKNOWN]);
    return done(state);
  }
  if (program !== "read") return readList(args, state);
  const { operands, options } = parseOptions(args, READ);
  const array = options.find(({ name }) => name === "-a")?.value?.text;
  const names = array === undefined ? operands.map((word) => word.text) : [array];
  const ended = text === null || (text === "" && state.stdin.input.kind !== "none");
  const line = text === null ? UNKNOWN : (text.split("\n", 1)[0] ?? "");
  const ifs = state.variables.get("IFS")?.[0] ?? " \t\n";
  for (const [name, value] of valuesOf(line, names.length === 0 ? ["REPLY"] : names, ifs))
    setVariable(state, name, [value]);
  if (array !== undefined)
    setVariable(state, array, line.includes(UNKNOWN) ? [UNKNOWN] : line.split(/\s+/).filter(Boolean));
  // Unknown input may have many lines.
  if (text === null || line.includes(UNKNOWN)) return done(state);
  const rest = text.includes("\n") ? text.slice(text.indexOf("\n") + 1) : "";
  return [{ ...state, stdin: { ...state.stdin, text: rest }, status: ended ? "failure" : "success" }];
}

/** The input of the shell, or of the descriptor that `-u` names. */
function inputOf(args: Call["args"], state: ShellState, spec: OptionSpec): { readonly text: string | null } {
  const number = parseOptions(args, spec).options.find(({ name }) => name === "-u")?.value?.text;
  return number === undefined ? state.stdin : { text: knownFile(state, descriptorPath(number)) ?? null };
}

function readList(args: Call["args"], state: ShellState): readonly ShellState[] {
  const { operands } = parseOptions(args, MAPFILE);
  const { text } = inputOf(args, state, MAPFILE);
  const lines = text === null ? [UNKNOWN] : text.replace(/\n$/, "").split("\n");
  setVariable(state, operands[0]?.text ?? "MAPFILE", lines.slice(0, 1000));
  return [{ ...state, status: "success" }];
}

/** The last name gets the rest of the line. */
function valuesOf(line: string, names: readonly string[], ifs: string): readonly (readonly [string, string])[] {
  const isBlank = ifs === " \t\n";
  let rest = isBlank ? line.trim() : line;
  return names.map((name, at) => {
    if (line === UNKNOWN) return [name, UNKNOWN];
    if (at === names.length - 1) return [name, rest];
    const end = [...rest].findIndex((char) => ifs.includes(char));
    const value = end === -1 ? rest : rest.slice(0, end);
    rest = end === -1 ? "" : rest.slice(end + 1);
    if (isBlank) rest = rest.trimStart();
    return [name, value];
  });
}
