import { namesIn } from "../../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Started } from "../analysis.ts";
import { type Call, plainWord, type Word } from "../call.ts";
import { hasOption, optionValues, type ParsedOptions, parseOptions } from "../options.ts";
import { resolvePath } from "../paths.ts";
import type { ShellState } from "../script/shell-state.ts";
import { childShell, runInner, startInner, withVariables } from "../start.ts";
import { type Wrapper, wrapperOf } from "./wrappers.ts";

/** Follows a program of the tables of wrappers; null for any other. */
export function followWrapper(call: Call, started: Started): readonly ShellState[] | null {
  const found = wrapperOf(call);
  if (found === null) return null;
  const { wrapper } = found;
  const parsed = withoutDash(parseOptions(call.program === "env" ? splitStrings(found.args) : found.args, wrapper));
  const child = childShell(withVariables(started));
  const state = wrapper.isRemote === true ? { ...child, folder: null } : child;
  const relation = wrapper.isRemote === true && !isToItself(call, wrapper) ? "remote" : "shell text";
  const results = textsOf(parsed, wrapper).flatMap((text) => runInner(text, state, { call, started, relation }));
  if (results.length > 0 && wrapper.text === undefined) return results;
  const inner = innerStart(parsed, wrapper, started);
  const followed = (wrapper.text === undefined ? candidates(parsed, wrapper) : []).flatMap((list) =>
    startInner(call, [...list, ...added(wrapper)], inner, relationOf(wrapper)),
  );
  if (results.length + followed.length > 0) return [...results, ...followed];
  // Without a command the shell reads commands from its input.
  const readsCommands = opensShell(parsed, wrapper) && started.state.stdin.input.kind !== "none";
  return readsCommands ? startInner(call, [plainWord("sh", call.source)], inner, relationOf(wrapper)) : null;
}

/** `env -` and `su -`: an option, not the program. */
const withoutDash = (parsed: ParsedOptions): ParsedOptions =>
  parsed.operands[0]?.text === "-" ? { ...parsed, operands: parsed.operands.slice(1) } : parsed;

const opensShell = (parsed: ParsedOptions, { shells = "" }: Wrapper): boolean =>
  shells === "always" || hasOption(parsed, shells);

const relationOf = ({ isRemote }: Wrapper): "remote" | "wrapper" => (isRemote === true ? "remote" : "wrapper");
/** The shell texts among the arguments of a wrapper. */
function textsOf(parsed: ParsedOptions, wrapper: Wrapper): readonly string[] {
  const { texts = "", text, skipped = 0 } = wrapper;
  const values = optionValues(parsed, texts).map((word) => word.text);
  // `su user -c text`: options may follow the operand.
  const at = parsed.operands.findIndex((word) => namesIn(texts).includes(word.text));
  const later = at === -1 ? [] : parsed.operands.slice(at + 1, at + 2).map((word) => word.text);
  const [only, ...others] = parsed.operands;
  // `sudo -s 'a b'`
  if (texts === "" && opensShell(parsed, wrapper) && others.length === 0 && only?.text.includes(" ") === true)
    return [only.text];
  if (text === undefined) return values.length > 0 ? values : later;
  const operands = parsed.operands.slice(skipped).map((word) => word.text);
  return [...values, ...(text === "each" ? operands : operands.length === 0 ? [] : [operands.join(" ")])];
}

/** `ssh localhost` runs its command on this machine. */
const isToItself = ({ program, args }: Call, wrapper: Wrapper): boolean =>
  program === "ssh" && LOCAL_HOST.test(parseOptions(args, wrapper).operands[0]?.text ?? "");

const LOCAL_HOST = /^(?:ssh:\/\/)?(?:[^@\s]+@)?(?:localhost|127\.[\d.]+|\[?::1\]?)$/;

const added = ({ addsArguments }: Wrapper): readonly Word[] =>
  addsArguments === true ? [plainWord(UNKNOWN, "…")] : [];
/** The positions at which the program may begin. An unknown option may take the next word as its value. */
function candidates({ operands, options }: ParsedOptions, wrapper: Wrapper): readonly (readonly Word[])[] {
  const known = [...namesIn(wrapper.flags ?? ""), ...namesIn(wrapper.values ?? "")];
  const assignments = wrapper.hasAssignments === true ? operands.findIndex(({ text }) => !/^\w+=/.test(text)) : 0;
  if (assignments === -1) return [];
  const first = assignments + (wrapper.skipped ?? 0);
  const last = options.at(-1);
  return (last !== undefined && last.value === null && !known.includes(last.name) ? [first, first + 1] : [first])
    .map((at) => afterDashes(operands.slice(at)))
    .filter(({ length }) => length > 0);
}

/** `kubectl exec pod -c name -- program`. */
function afterDashes(words: readonly Word[]): readonly Word[] {
  const end = words[0]?.text.startsWith("-") === true ? words.findIndex(({ text }) => text === "--") : -1;
  return words.slice(end + 1);
}

/** The folder and the variables that a wrapper gives to its program. */
function innerStart(parsed: ParsedOptions, wrapper: Wrapper, started: Started): Started {
  const { state } = started;
  const target = optionValues(parsed, wrapper.folders ?? "").at(-1);
  const path = target === undefined ? null : resolvePath(target, state);
  const own = new Map(started.own);
  if (wrapper.isRemote === true)
    return { ...started, state: { ...state, folder: null }, own: new Map(), level: "program" };
  const folder = target === undefined ? state.folder : path?.startsWith("/") === true ? path : null;
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
  const split = (text.match(/'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"]+/g) ?? []).map((part) => ({
    ...word,
    text: part.replace(/^(['"])(.*)\1$/s, "$2"),
  }));
  return [...args.slice(0, at), ...split, ...rest];
}
