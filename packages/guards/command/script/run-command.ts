import type { Assignment, Command, HereDoc, Redirection as ShellRedirection, Word as ShellWord } from "unbash";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { addCall, type Frame, type Redirected, type Started, takeStep } from "../analysis.ts";
import type { Call, Redirection, Word } from "../call.ts";
import { runAtPrompt, runText, withVariables } from "../start.ts";
import { followCall } from "../started/follow-call.ts";
import { combined, expandValue, expandValues, expandWord, expandWords, joinedPieces } from "../words/expand-word.ts";
import { builtinNamed } from "./builtins.ts";
import { printed } from "./printed-text.ts";
import { runFunction } from "./run-compound.ts";
import {
  descriptorPath,
  exportedVariables,
  keepFile,
  knownFile,
  type ShellState,
  type Stdin,
  setVariable,
  type Value,
} from "./shell-state.ts";

export function runCommand(node: Command, state: ShellState, frame: Frame): readonly ShellState[] {
  if (!takeStep(frame)) return [{ ...state, flow: "exit" }];
  const before = frame.analysis.started.length;
  const source = frame.source.slice(node.pos, node.end);
  const lists = node.name === undefined ? [[]] : wordLists(node, node.name, { state, frame });
  const redirected = readRedirections(node.redirects, state, frame);
  const results = lists.flatMap((words) => {
    const branch = lists.length === 1 ? state : { ...state };
    const own = words.length === 0 ? null : ownVariables(node.prefix, branch, frame);
    if (own === null) return assignAll(node.prefix, branch, frame);
    return startWords({ ...redirected, words, state: branch, frame, source, own, level: "any" });
  });
  if (node.name === undefined) addRedirections(redirected, source, state, frame);
  adopt(frame, before);
  return results;
}

/** Makes the calls of substitutions in the words children of the call. */
function adopt({ analysis, parent }: Frame, before: number): void {
  // Calls in substitutions precede the call itself, which is the first with these words.
  const fresh = new Set(analysis.started.slice(before));
  const call = analysis.started
    .slice(before)
    .find(({ args, name }) => [name, ...args].some((word) => word.printedBy.length > 0));
  if (call === undefined) return;
  for (const word of [call.name, ...call.args])
    for (const printer of word.printedBy)
      if (fresh.has(printer) && printer.parent === parent && printer !== call)
        Object.assign(printer, { parent: { call, relation: "substitution" } });
}

function wordLists({ args }: Command, name: ShellWord, { state, frame }: { state: ShellState; frame: Frame }) {
  const first = expandWord(name, state, frame);
  const lists = args.map((one) =>
    one.type === "Word" ? expandWord(one, state, frame) : declared(one, state, frame).map((word) => [word]),
  );
  return combined([first, ...lists]);
}

/** An assignment among the arguments, whose value is not split into fields: `export A=b`. */
function declared(node: Assignment, state: ShellState, frame: Frame): readonly Word[] {
  const { name, value, append, text: source } = node;
  const begin = name + (append === true ? "+=" : "=");
  const before = frame.analysis.started.length;
  if (value.type === "ArrayValue") assign(node, state, frame);
  const values = value.type === "ArrayValue" ? [source.slice(begin.length)] : expandValues(value, state, frame);
  const printedBy = frame.analysis.started.slice(before);
  return values.map((text) => ({ text: begin + text, source, isGlob: false, printedBy }));
}

function ownVariables(prefix: Command["prefix"], state: ShellState, frame: Frame): ReadonlyMap<string, string> {
  const own = new Map<string, string>();
  for (const one of prefix)
    if (one.type === "Assignment" && one.value.type === "Word")
      own.set(one.name, expandValue(one.value, state, frame).text);
  return own;
}

/** A command that consists of assignments. */
function assignAll(prefix: Command["prefix"], state: ShellState, frame: Frame): readonly ShellState[] {
  let states: ShellState[] = [{ ...state, status: "success" }];
  for (const one of prefix) {
    if (one.type !== "Assignment") continue;
    states = states.flatMap((current) => assign(one, current, frame));
  }
  return states;
}

function assign({ name, value, append, index }: Assignment, state: ShellState, frame: Frame): ShellState[] {
  const old = state.variables.get(name);
  const values: readonly Value[] =
    value.type === "ArrayValue"
      ? expandWords(value.elements, state, frame).map((words) => [
          ...(append === true ? (old ?? []) : []),
          ...words.map(({ text }) => text),
        ])
      : expandValues(value, state, frame).map((text) => {
          if (index !== undefined) return withElement(old, expandValue(index, state, frame).text, text);
          return [(append === true ? (old?.[0] ?? (old === null ? "" : UNKNOWN)) : "") + text];
        });
  for (const value of values) runAtPrompt(name, value?.[0] ?? "", { state, frame });
  return values.map((one, at) => {
    const branch = at === 0 ? state : { ...state };
    setVariable(branch, name, one);
    return branch;
  });
}

function withElement(old: Value | undefined, place: string, text: string): Value {
  if (!/^\d{1,2}$/.test(place)) return [UNKNOWN];
  const list = [...(old ?? [])];
  while (list.length < Number(place)) list.push("");
  list[Number(place)] = text;
  return list;
}

/** Starts the function, alias, builtin or program that the words name. */
export function startWords(started: Started): readonly ShellState[] {
  const { state, frame, stdin, own, source, redirections, printsTo } = started;
  const [name, ...args] = started.words;
  if (name === undefined) return [{ ...state, status: "either" }];
  const words = [withoutPattern(name), ...args];
  const call = addCall(frame, {
    words,
    redirections,
    input: stdin.input,
    folder: state.folder,
    variables: exportedVariables(state, own),
    source,
  });
  const inner: ShellState = { ...state, stdin, output: printsTo === null ? state.output : "" };
  const place = printsTo === null ? frame : { ...frame, keepsOutput: true };
  const results = runCall(call, { ...started, words, state: inner, frame: place });
  return results.map((one) => afterCall(one, started));
}

/** `/bin/r[m]` names one program. */
const withoutPattern = (name: Word): Word =>
  name.isGlob ? { ...name, text: name.text.replace(/\[([^\]!^])\]/g, "$1") } : name;

/** Remembers text that was written to a file as the file's content. */
function afterCall(one: ShellState, { state, stdin: own, printsTo, redirections }: Started): ShellState {
  // A file that cannot be opened is a failure.
  if (redirections.length > 0 && one.status === "success") one.status = "either";
  // The lines that `read` consumed are removed from the input of the shell.
  const stdin = own === state.stdin ? one.stdin : state.stdin;
  if (printsTo === null) return { ...one, stdin };
  const { target, isAppended } = printsTo;
  const content = (isAppended ? (knownFile({ ...state, files: one.files }, target.text) ?? UNKNOWN) : "") + one.output;
  const after = { ...one, stdin, output: state.output };
  keepFile(after, target.text, content);
  return after;
}

function runCall(call: Call, started: Started): readonly ShellState[] {
  const { state, frame, level, words } = started;
  const name = words[0]?.text ?? "";
  if (level === "any" && state.functions.has(name))
    return runFunction(name, { state: withVariables(started), frame }, call);
  const alias = level === "any" ? state.aliases.get(name) : undefined;
  const aliased = alias === undefined ? [] : runAlias(alias, call, started);
  const builtin = level === "program" ? undefined : builtinNamed(name);
  const results = builtin === undefined ? followCall(call, started) : builtin(call, started);
  return [...(results ?? printed(call, started)), ...aliased];
}

/** Only some shells expand the alias, so the program of this name is followed, too. */
function runAlias(alias: string, call: Call, started: Started): readonly ShellState[] {
  const aliases = new Map(started.state.aliases);
  aliases.delete(call.program);
  const rest = call.source.slice(call.name.source.length);
  const results = runText(call, `${alias} ${rest}`, { ...started, state: { ...started.state, aliases } });
  return results.map((one) => ({ ...one, aliases: started.state.aliases }));
}

function readRedirections(nodes: readonly ShellRedirection[], state: ShellState, frame: Frame): Redirected {
  const redirections: Redirection[] = [];
  let { stdin } = state;
  let printsTo: Redirected["printsTo"] = null;
  for (const node of nodes) {
    const descriptor = node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : null;
    const isInput = node.descriptor === undefined || descriptor === 0;
    if (node.type === "HereDoc") {
      const body = bodyOf(node, state, frame);
      if (isInput) stdin = textInput(body);
      else keepInput(node, body, state);
      continue;
    }
    if (node.target === undefined) continue;
    const target = expandValue(node.target, state, frame);
    if (node.type === "HereString") {
      if (isInput) stdin = textInput(`${target.text}\n`);
      else keepInput(node, `${target.text}\n`, state);
      continue;
    }
    const kind = KINDS[node.operator];
    if (/^(?:\d+|-|\d+-)$/.test(target.text) && node.operator.endsWith("&")) {
      const content = knownFile(state, descriptorPath(target.text));
      if (node.operator === "<&" && isInput && content !== undefined) stdin = textInput(content);
      if (node.operator === ">&" && descriptor !== 2 && target.text !== "1") printsTo = { target, isAppended: true };
      continue;
    }
    redirections.push({ kind, target, descriptor });
    if (kind === "read" && isInput) stdin = fileInput(target, state);
    const isOutput = descriptor === null || descriptor === 1 || (descriptor !== 2 && node.operator.startsWith("&"));
    if (kind !== "read" && isOutput) printsTo = { target, isAppended: kind === "append" };
  }
  return { redirections, stdin, printsTo };
}

/** Remembers the input of another descriptor than 0: `exec 3<<<text`, `exec {name}<<<text`. */
function keepInput({ descriptor }: ShellRedirection, text: string, state: ShellState): void {
  if (descriptor === undefined) return;
  const number = descriptor.type === "FileDescriptor" ? descriptor.value : FIRST_NAMED + state.files.size;
  if (descriptor.type === "FileDescriptorVariable") setVariable(state, descriptor.name, [String(number)]);
  keepFile(state, descriptorPath(number), text);
}

/** The shell gives a descriptor with a name a number from here on. */
const FIRST_NAMED = 10;

const KINDS = {
  ">": "write",
  ">|": "write",
  ">&": "write",
  "&>": "write",
  ">>": "append",
  "&>>": "append",
  "<>": "write",
  "<": "read",
  "<&": "read",
} as const;

const textInput = (text: string): Stdin => ({ input: { kind: "text", text }, text });

const fileInput = (file: Word, state: ShellState): Stdin => ({
  input: { kind: "file", file },
  text: knownFile(state, file.text) ?? UNKNOWN,
});

function bodyOf({ body }: HereDoc, state: ShellState, frame: Frame): string {
  if (body.parts === undefined) return body.text;
  const [pieces = [], ...others] = joinedPieces(body.parts, { state, frame, isQuoted: true });
  return others.length === 0 ? pieces.map(({ text }) => text).join("") : UNKNOWN;
}

/** The redirections of a compound command, which are a call without a program. */
export function followRedirections(nodes: readonly ShellRedirection[], state: ShellState, frame: Frame): Redirected {
  const found = readRedirections(nodes, state, frame);
  addRedirections(found, frame.source.slice(nodes[0]?.pos, nodes.at(-1)?.end), state, frame);
  return found;
}

/** Adds the redirections of what is no program as a call without a program. */
function addRedirections({ redirections, stdin }: Redirected, source: string, state: ShellState, frame: Frame): void {
  if (redirections.length === 0) return;
  const variables = exportedVariables(state);
  addCall(frame, { words: [], redirections, input: stdin.input, folder: state.folder, variables, source });
}
