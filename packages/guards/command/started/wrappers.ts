import { namesIn, tableOf } from "../../../../src/protocol/json/table.ts";
import { ownValue } from "../../../../src/protocol/own-value.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Started } from "../analysis.ts";
import { type Call, plainWord, type Word } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import { hasOption, type OptionSpec, optionValues, type ParsedOptions, parseOptions } from "../options.ts";
import { resolvePath } from "../paths.ts";
import type { ShellState } from "../script/shell-state.ts";
import { childShell, runInner, startInner, withVariables } from "../start.ts";
import launcherTable from "./launchers.json" with { type: "json" };
import wrapperTable from "./wrappers.json" with { type: "json" };

/** A program that starts the program among its arguments. Options are separated by spaces. */
export interface Wrapper extends OptionSpec {
  /** Operands before the program. */
  readonly skipped?: number;
  /** True if `NAME=value` is allowed before the program. */
  readonly hasAssignments?: true;
  /** Options whose value is shell text. */
  readonly texts?: string;
  /** Options whose value is the working directory. */
  readonly folders?: string;
  /** The operands are shell text, together or each of them. */
  readonly text?: "joined" | "each";
  /** True if the program runs on another machine or in a container. */
  readonly isRemote?: true;
  /** Options with which it starts a shell, if no program is named; `always`: without any option. */
  readonly shells?: string;
  /** True if the arguments of the program are not complete: the wrapper adds some. */
  readonly addsArguments?: true;
  /** The interpreter of a file that takes the place of the program: `uv run a.py`. */
  readonly interpreter?: string;
  /** Options that show folders of this machine in a container: `outside:inside`. */
  readonly mounts?: string;
}

const wrapperNamed = rowFinder<Wrapper>(tableOf(wrapperTable));

interface LauncherTable {
  /** Options with a value before the subcommand. */
  readonly globalValues: Readonly<Record<string, string>>;
  readonly launchers: readonly (Wrapper & { readonly commands: readonly string[] })[];
}

/** Commands of programs that start the program among their arguments: `docker exec`, `git bisect run`. */
const { globalValues, launchers } = tableOf<LauncherTable>(launcherTable);

interface Wrapping {
  readonly wrapper: Wrapper;
  readonly args: readonly Word[];
  /** True if no option of the wrapper follows its operands: those of `docker run` end at the image. */
  readonly isStrict: boolean;
}

const wrapping = (row: Wrapper, args: readonly Word[]): Wrapping => ({
  wrapper: { ...row, endsAtOperand: true },
  args,
  isStrict: row.endsAtOperand === true,
});

/** How a call starts another program, with its arguments; null if it starts none. */
export function wrapperOf({ program, args }: Pick<Call, "program" | "args">): Wrapping | null {
  const own = wrapperNamed(program);
  if (own !== undefined) return wrapping(own, args);
  let possible = launchers.filter(({ commands }) => commands.some((one) => one.startsWith(`${program} `)));
  const spec = { values: ownValue(globalValues, program) ?? "", endsAtOperand: true };
  let [command, rest] = [program, args];
  while (possible.length > 0) {
    const [next, ...others] = parseOptions(rest, spec).operands;
    if (next === undefined) return null;
    [command, rest] = [`${command} ${next.text}`, others];
    const row = possible.find(({ commands }) => commands.includes(command));
    if (row !== undefined) return wrapping(row, rest);
    possible = possible.filter(({ commands }) => commands.some((one) => one.startsWith(`${command} `)));
  }
  return null;
}

/** The number of arguments that are the call's own: what follows the image of `docker run` is the program's. */
export function ownArgumentsOf(call: Pick<Call, "program" | "args">): number {
  const found = wrapperOf(call);
  if (found?.isStrict !== true) return call.args.length;
  // An option that is not known may take the first operand.
  const [inner] = candidates(parseOptions(found.args, found.wrapper), found.wrapper).at(-1) ?? [];
  return inner === undefined ? call.args.length : call.args.indexOf(inner);
}

/** Follows a program of the tables of wrappers; null for any other. */
export function followWrapper(call: Call, started: Started): readonly ShellState[] | null {
  const found = wrapperOf(call);
  if (found === null) return null;
  const { wrapper } = found;
  const parsed = withoutDash(parseOptions(call.program === "env" ? splitStrings(found.args) : found.args, wrapper));
  const child = childShell(withVariables(started));
  const state = wrapper.isRemote === true ? { ...child, folder: null } : child;
  const isElsewhere = wrapper.isRemote === true && !isToItself(call, wrapper);
  const mounted = mountsOf(parsed, wrapper, started.state);
  if (mounted.length > 0) followMounted(call, mounted, { parsed, wrapper, started });
  const results = textsOf(parsed, wrapper).flatMap((text) =>
    runInner(call, text, started, { state, relation: isElsewhere ? "remote" : "shell text" }),
  );
  if (results.length > 0 && wrapper.text === undefined) return results;
  const inner = innerStart(parsed, wrapper, started);
  const relation = wrapper.isRemote === true ? "remote" : "wrapper";
  const added = wrapper.addsArguments === true ? [plainWord(UNKNOWN, "…")] : [];
  const lists = wrapper.text === undefined ? candidates(parsed, wrapper) : [];
  const followed = lists.flatMap((list) =>
    startInner(call, [...interpreterOf(list, wrapper), ...list, ...added], inner, { relation }),
  );
  if (results.length + followed.length > 0) return [...results, ...followed];
  // Without a command the shell reads commands from its input.
  const readsCommands = opensShell(parsed, wrapper) && started.state.stdin.input.kind !== "none";
  return readsCommands ? startInner(call, [plainWord("sh", call.source)], inner, { relation }) : null;
}

const interpreterOf = ([first]: readonly Word[], { interpreter }: Wrapper): readonly Word[] =>
  interpreter !== undefined && /\.pyw?$/.test(first?.text ?? "") ? [plainWord(interpreter)] : [];

interface Mount {
  readonly outside: string;
  readonly inside: string;
}

/** The folders of this machine that a container sees. */
function mountsOf(parsed: ParsedOptions, { mounts = "" }: Wrapper, state: ShellState): readonly Mount[] {
  return optionValues(parsed, mounts).flatMap(({ text }) => {
    const field = (name: string): string | undefined => new RegExp(`(?:^|,)(?:${name})=([^,]*)`).exec(text)?.[1];
    const [first = "", second = "", mode = ""] = text.split(":");
    if (/(?:^|,)(?:ro|readonly)(?:,|$|=)/.test(mode === "" ? text : mode)) return [];
    const outside = field("source|src") ?? first;
    const inside = field("target|destination|dst") ?? second;
    return /^[/.~]/.test(outside) && inside.startsWith("/") && inside !== "/"
      ? [{ outside: resolvePath(plainWord(outside), state), inside: inside.replace(/\/$/, "") }]
      : [];
  });
}

/** Where the other files of a container are for the rules: nobody misses them here. */
const CONTAINER = "/tmp/.container";

/** Follows the program in a container once more, with the paths that its files have on this machine. */
function followMounted(
  call: Call,
  mounts: readonly Mount[],
  {
    parsed,
    wrapper,
    started,
  }: { readonly parsed: ParsedOptions; readonly wrapper: Wrapper; readonly started: Started },
): void {
  const outsideOf = (path: string): string => {
    const mount = mounts.find(({ inside }) => path === inside || path.startsWith(`${inside}/`));
    return mount === undefined ? CONTAINER + path : mount.outside + path.slice(mount.inside.length);
  };
  const moved = (text: string): string =>
    text.replace(/(^|[\s'"=;|&(<>])(\/[^\s'";|&)<>]*)/g, (_, before: string, path: string) => before + outsideOf(path));
  const [folder = CONTAINER] = optionValues(parsed, "-w --workdir").map(({ text }) => outsideOf(text));
  const variables = new Map([...started.state.variables, ["HOME", [`${CONTAINER}/root`]] as const]);
  const state = { ...childShell(started.state), folder, variables };
  const entry = optionValues(parsed, "--entrypoint");
  for (const list of candidates(parsed, wrapper)) {
    const words = [...entry, ...list].map((word) => ({ ...word, text: moved(word.text) }));
    startInner(call, words, { ...started, state, own: new Map() });
  }
}

/** `env -` and `su -`: an option, not the program. */
const withoutDash = (parsed: ParsedOptions): ParsedOptions =>
  parsed.operands[0]?.text === "-" ? { ...parsed, operands: parsed.operands.slice(1) } : parsed;

const opensShell = (parsed: ParsedOptions, { shells = "" }: Wrapper): boolean =>
  shells === "always" || hasOption(parsed, shells);

/** The shell texts among the arguments of a wrapper. */
function textsOf(parsed: ParsedOptions, wrapper: Wrapper): readonly string[] {
  const { texts = "", text, skipped = 0 } = wrapper;
  const operands = parsed.operands.map((word) => word.text);
  const values = optionValues(parsed, texts).map((word) => word.text);
  const [only = "", ...others] = operands;
  // `sudo -s 'a b'`
  if (texts === "" && opensShell(parsed, wrapper) && others.length === 0 && only.includes(" ")) return [only];
  if (text === "each") return [...values, ...operands.slice(skipped)];
  if (text === "joined") return operands.length > skipped ? [...values, operands.slice(skipped).join(" ")] : values;
  // `su user -c text`: options may follow the operand.
  const at = operands.findIndex((one) => namesIn(texts).includes(one));
  return values.length > 0 || at === -1 ? values : operands.slice(at + 1, at + 2);
}

/** `ssh localhost` runs its command on this machine. */
const isToItself = ({ program, args }: Call, wrapper: Wrapper): boolean =>
  program === "ssh" && LOCAL_HOST.test(parseOptions(args, wrapper).operands[0]?.text ?? "");

const LOCAL_HOST = /^(?:ssh:\/\/)?(?:[^@\s]+@)?(?:localhost|127\.[\d.]+|\[?::1\]?)$/;

/** The positions at which the program may begin. An unknown option may take the next word as its value. */
function candidates({ operands, options }: ParsedOptions, wrapper: Wrapper): readonly (readonly Word[])[] {
  const known = [...namesIn(wrapper.flags ?? ""), ...namesIn(wrapper.values ?? "")];
  const assignments = wrapper.hasAssignments === true ? operands.findIndex(({ text }) => !/^\w+=/.test(text)) : 0;
  if (assignments === -1) return [];
  const first = assignments + (wrapper.skipped ?? 0);
  const last = options.at(-1);
  const mayTakeValue = last !== undefined && last.value === null && !known.includes(last.name);
  return (mayTakeValue ? [first, first + 1] : [first])
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
  if (wrapper.isRemote === true) return { ...started, state: { ...state, folder: null }, own: new Map() };
  const target = optionValues(parsed, wrapper.folders ?? "").at(-1);
  const path = target === undefined ? state.folder : resolvePath(target, state);
  const own = new Map(started.own);
  for (const { text } of wrapper.hasAssignments === true ? parsed.operands : []) {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) break;
    own.set(name, value);
  }
  return { ...started, state: { ...state, folder: path?.startsWith("/") === true ? path : null }, own };
}

/** `env -S "a b"` splits its value into words. */
function splitStrings(args: readonly Word[]): readonly Word[] {
  const option = /^(?:-[a-zA-Z0]*S|--split-string=?)/;
  const at = args.findIndex(({ text }) => option.test(text));
  const word = args[at];
  if (word === undefined || args.slice(0, at).some(({ text }) => !text.startsWith("-"))) return args;
  const own = word.text.replace(option, "");
  const text = own === "" ? (args[at + 1]?.text ?? "") : own;
  const rest = args.slice(own === "" ? at + 2 : at + 1);
  const split = (text.match(/'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"]+/g) ?? []).map((part) => ({
    ...word,
    text: part.replace(/^(['"])(.*)\1$/s, "$2"),
  }));
  return [...args.slice(0, at), ...split, ...rest];
}
