import { innerFrame } from "./analysis.ts";
import { type Call, UNKNOWN, type Word } from "./call.ts";
import { childShell, runInner } from "./follow-shell.ts";
import { optionValues, type ParsedOptions, parseOptions } from "./options.ts";
import { resolvePath } from "./paths.ts";
import { type Started, startWords, withVariables } from "./run-command.ts";
import { runSubshell } from "./run-compound.ts";
import type { ShellState } from "./shell-state.ts";
import { WRAPPERS, type Wrapper } from "./wrapper-table.ts";

/** Starts words that are arguments of a call. */
export function startInner(call: Call, words: readonly Word[], started: Started): readonly ShellState[] {
  const frame = innerFrame(started.frame, call, "wrapper");
  if (frame === null || words.length === 0) return [{ ...started.state, status: "either" }];
  const { state } = started;
  const source = words.map((word) => word.source).join(" ");
  const results = startWords({
    ...started,
    words,
    frame,
    source,
    stdin: state.stdin,
    redirections: [],
    printsTo: null,
  });
  return started.level === "program" ? runSubshell(results, state) : results;
}

/** Follows a program of the table of wrappers; null for any other. */
export function followWrapper(call: Call, started: Started): readonly ShellState[] | null {
  const wrapper = WRAPPERS.get(call.program);
  if (wrapper === undefined) return null;
  const args = call.program === "env" ? splitStrings(call.args) : call.args;
  const parsed = parseOptions(args, wrapper);
  const inner = innerStart(parsed, wrapper, started);
  const texts = optionValues(parsed, ...(wrapper.texts ?? []));
  const child = childShell(withVariables(started));
  const shellTexts = texts.flatMap(({ text }) => runInner(text, child, { call, started, relation: "shell text" }));
  // `su user -c text`
  const later =
    texts.length === 0 && wrapper.texts !== undefined ? laterTexts(parsed, wrapper, { call, started }) : null;
  if (later !== null) return later;
  if (texts.length > 0 && wrapper.isText !== true) return shellTexts;
  const starts = candidates(parsed, wrapper);
  if (starts.length === 0) return null;
  return starts.flatMap((words) => {
    if (wrapper.isText === true)
      return runInner(words.map(({ text }) => text).join(" "), child, { call, started, relation: "shell text" });
    return startInner(call, [...words, ...added(wrapper)], inner);
  });
}

function laterTexts(parsed: ParsedOptions, { texts = [] }: Wrapper, origin: { call: Call; started: Started }) {
  const at = parsed.operands.findIndex(({ text }) => texts.includes(text));
  const text = at === -1 ? undefined : parsed.operands[at + 1];
  if (text === undefined) return null;
  return runInner(text.text, childShell(origin.started.state), { ...origin, relation: "shell text" });
}

const added = ({ addsArguments }: Wrapper): readonly Word[] =>
  addsArguments === true ? [{ text: UNKNOWN, source: "…", isGlob: false, printedBy: [] }] : [];

/** Where the program may begin. An option that is not known may take the next word as its value. */
function candidates({ operands, options }: ParsedOptions, wrapper: Wrapper): readonly (readonly Word[])[] {
  const known = [...wrapper.flags, ...wrapper.values];
  const assignments = wrapper.hasAssignments === true ? operands.findIndex(({ text }) => !/^\w+=/.test(text)) : 0;
  if (assignments === -1) return [];
  const first = assignments + (wrapper.skipped ?? 0);
  const last = options.at(-1);
  const isOpen = last !== undefined && last.value === null && !known.includes(last.name);
  const starts = isOpen ? [first, first + 1] : [first];
  return starts.map((at) => operands.slice(at)).filter(({ length }) => length > 0);
}

/** The folder and the variables that a wrapper gives to its program. */
function innerStart(parsed: ParsedOptions, wrapper: Wrapper, started: Started): Started {
  const { state } = started;
  const target = optionValues(parsed, ...(wrapper.folders ?? [])).at(-1);
  const path = target === undefined ? null : resolvePath(target, state);
  const folder = target === undefined ? state.folder : path?.startsWith("/") === true ? path : null;
  const own = new Map(started.own);
  if (wrapper.hasAssignments === true)
    for (const { text } of parsed.operands) {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
      if (name === undefined || value === undefined) break;
      own.set(name, value);
    }
  return { ...started, state: { ...state, folder }, own, level: "program" };
}

/** `env -S "a b"` splits its value into words. */
function splitStrings(args: readonly Word[]): readonly Word[] {
  const at = args.findIndex(({ text }) => /^(?:-[a-zA-Z0]*S|--split-string)/.test(text));
  const word = args[at];
  if (word === undefined || args.slice(0, at).some(({ text }) => !text.startsWith("-"))) return args;
  const own = word.text.replace(/^(?:-[a-zA-Z0]*S|--split-string=?)/, "");
  const text = own === "" ? (args[at + 1]?.text ?? "") : own;
  const rest = args.slice(own === "" ? at + 2 : at + 1);
  const parts = text.match(/'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"]+/g) ?? [];
  const split = parts.map((part) => ({ ...word, text: part.replace(/^(['"])(.*)\1$/s, "$2") }));
  return [...args.slice(0, at), ...split, ...rest];
}
