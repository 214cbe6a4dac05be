import { posix } from "node:path";
import type { CompoundCommand, CompoundList, Redirected } from "unbash";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Input } from "../call.ts";

/** The elements of a variable, which are one for a plain variable; null if the variable was unset. */
export type Value = readonly string[] | null;

export interface ShellFunction {
  readonly body: CompoundCommand | Redirected | CompoundList;
  /** The text that the positions in `body` refer to. */
  readonly source: string;
}

/** The standard input of commands, with its text as far as it is known. */
export interface Stdin {
  readonly input: Input;
  readonly text: string | null;
}

/** Marks a value that the shell got from a glob, whose `*` therefore matches file names. */
export const GLOBBED = "\u0001";

/** Shared by all states of one analysis. */
export interface Limits {
  /** True once a value was dropped at a limit, which becomes a gap of the analysis. */
  isReached: boolean;
  /** Files whose text would be followed if it were known. */
  readonly unread: Set<string>;
}

/** The known state of a shell at one point of a command. Each branch has its own. */
export interface ShellState {
  folder: string | null;
  oldFolder: string | null;
  /** The folders that `pushd` left. */
  readonly stack: readonly (string | null)[];
  variables: ReadonlyMap<string, Value>;
  /** Variables of the function that runs, with the values that come back at its end. */
  locals: ReadonlyMap<string, Value | undefined>;
  /** Names that programs get as environment variables. */
  exported: ReadonlySet<string>;
  functions: ReadonlyMap<string, ShellFunction>;
  aliases: ReadonlyMap<string, string>;
  /** `$0`. */
  readonly name: string;
  /** `$1`, `$2`, …; null if they are not known. */
  positional: readonly string[] | null;
  readonly stdin: Stdin;
  /** The output so far. */
  output: string;
  /** Contents of files that the command or earlier calls wrote. */
  files: ReadonlyMap<string, string>;
  status: "success" | "failure" | "either";
  /** `next`: the following command runs. */
  flow: "next" | "exit" | "return" | "loop end";
  /** True after an unlikely failure, such as one of `cd`, which matters only for a following `||`. */
  isUnlikely: boolean;
  readonly limits: Limits;
}

export const NO_INPUT: Stdin = { input: { kind: "none" }, text: null };

const MOST_STATES = 16;
const MOST_VARIABLES = 256;
const MOST_FILES = 64;
const MOST_UNREAD = 1_000;

export function setVariable(state: ShellState, name: string, value: Value): void {
  if (state.variables.size < MOST_VARIABLES || state.variables.has(name))
    state.variables = new Map(state.variables).set(name, value);
  else state.limits.isReached = true;
}

/** Remembers the content of a file that the command itself writes. */
export function keepFile(state: ShellState, path: string, content: string): void {
  const name = fileName(path, state);
  if (state.files.size < MOST_FILES || state.files.has(name)) state.files = new Map(state.files).set(name, content);
  else state.limits.isReached = true;
}

/** The content of a file that the command or an earlier call wrote; undefined if it is not known. */
export function knownFile(state: Pick<ShellState, "files" | "folder" | "limits">, path: string): string | undefined {
  const name = fileName(path, state);
  const content = state.files.get(name);
  const { unread } = state.limits;
  if (content === undefined && unread.size < MOST_UNREAD && isPlainPath(name)) unread.add(name);
  return content;
}

const isPlainPath = (path: string): boolean =>
  path.startsWith("/") && !/^\/(?:dev|proc)\//.test(path) && !path.includes(UNKNOWN);

/** The file whose content is the input of a descriptor. */
export const descriptorPath = (number: string | number): string => `/dev/fd/${number}`;

/** One name for `x`, `./x` and the full path. */
const fileName = (path: string, { folder }: Pick<ShellState, "folder">): string =>
  posix.normalize(path.startsWith("/") || folder === null ? path : `${folder}/${path}`);

/** Makes variables those of the function that runs. All of one command at once: each change copies what is shared. */
export function makeLocal(state: ShellState, names: readonly string[]): void {
  const added = names
    .filter((name) => !state.locals.has(name))
    .map((name) => [name, state.variables.get(name)] as const);
  if (added.length > 0) state.locals = new Map([...state.locals, ...added]);
}

/** The variables without those of a function that has ended. */
export function withoutLocals({ variables, locals }: ShellState): ReadonlyMap<string, Value> {
  if (locals.size === 0) return variables;
  const others = [...variables].filter(([name]) => !locals.has(name));
  const restored = [...locals].flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return new Map([...others, ...restored]);
}

export function exportVariables(state: ShellState, names: readonly string[]): void {
  if (names.some((name) => !state.exported.has(name))) state.exported = new Set([...state.exported, ...names]);
}

const EMPTY: ReadonlyMap<string, string> = new Map();

/** The variables that the shell adds to a program's environment, including those of this call only. */
export function exportedVariables(
  { exported, variables }: ShellState,
  own: ReadonlyMap<string, string> = EMPTY,
): ReadonlyMap<string, string> {
  if (exported.size === 0) return own;
  const shared = [...variables].flatMap(([name, value]) => {
    const text = exported.has(name) ? value?.[0] : undefined;
    return text === undefined ? [] : [[name, text] as const];
  });
  return new Map([...shared, ...own]);
}

/** Removes equal states; more than a few become one whose differing parts are not known. */
export function mergeStates(states: readonly ShellState[]): ShellState[] {
  const merged: ShellState[] = [];
  for (const state of states) {
    const twin = merged.find((one) => isSame(one, state));
    if (twin === undefined) merged.push(state);
    else {
      if (twin.status !== state.status) twin.status = "either";
      twin.isUnlikely &&= state.isUnlikely;
    }
  }
  if (merged.length <= MOST_STATES) return merged;
  const flows = [...new Set(merged.map(({ flow }) => flow))];
  return flows.map((flow) => merged.filter((one) => one.flow === flow).reduce(joined));
}

function isSame(one: ShellState, other: ShellState): boolean {
  return (
    one.folder === other.folder &&
    one.flow === other.flow &&
    one.oldFolder === other.oldFolder &&
    one.output === other.output &&
    one.functions === other.functions &&
    one.aliases === other.aliases &&
    one.positional === other.positional &&
    one.stdin.text === other.stdin.text &&
    one.exported.size === other.exported.size &&
    one.locals.size === other.locals.size &&
    one.files === other.files &&
    hasSameVariables(one.variables, other.variables)
  );
}

function hasSameVariables(one: ShellState["variables"], other: ShellState["variables"]): boolean {
  if (one === other) return true;
  return one.size === other.size && [...one].every(([name, value]) => isSameValue(value, other.get(name)));
}

const isSameValue = (one: Value, other: Value | undefined): boolean =>
  one === other ||
  (one != null && other != null && one.length === other.length && one.every((text, at) => text === other[at]));

function joined(one: ShellState, other: ShellState): ShellState {
  const names = [...one.variables.keys(), ...other.variables.keys()];
  const variables = names.map((name) => {
    const value = one.variables.get(name);
    return [name, value !== undefined && isSameValue(value, other.variables.get(name)) ? value : [UNKNOWN]] as const;
  });
  return {
    ...one,
    folder: one.folder === other.folder ? one.folder : null,
    oldFolder: one.oldFolder === other.oldFolder ? one.oldFolder : null,
    variables: new Map(variables),
    exported: new Set([...one.exported, ...other.exported]),
    functions: new Map([...one.functions, ...other.functions]),
    aliases: new Map([...one.aliases, ...other.aliases]),
    positional: one.positional === other.positional ? one.positional : null,
    output: one.output === other.output ? one.output : UNKNOWN,
    status: one.status === other.status ? one.status : "either",
    isUnlikely: one.isUnlikely && other.isUnlikely,
  };
}

/** The state after a loop: variables that it changed are unknown. */
export const widened = (before: ShellState, after: ShellState): ShellState => ({
  ...joined(before, after),
  flow: "next",
  output: after.output,
  files: after.files,
});

/** Runs a step in each state in which the next command runs. */
export function inEach(
  states: readonly ShellState[],
  step: (state: ShellState) => readonly ShellState[],
): ShellState[] {
  if (states.length === 1 && states[0]?.flow === "next") return mergeStates(step(states[0]));
  return mergeStates(states.flatMap((state) => (state.flow === "next" ? step(state) : [state])));
}

/** Changes of a subshell are lost at its end. */
export const runSubshell = (results: readonly ShellState[], state: ShellState): readonly ShellState[] =>
  results.map(({ output, status, files }) => ({ ...state, output, status, files }));
