import { nameSet } from "../../../src/protocol/json/table.ts";
import { parseShell } from "../../../src/shell/load-parser.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import { innerFrame, type Started } from "./analysis.ts";
import type { Call, Relation, Word } from "./call.ts";
import { exportVariables, GLOBBED, runSubshell, type ShellState, setVariable } from "./script/shell-state.ts";

/** Starts words that are arguments of a call. `builtin`: they may name a builtin of this shell, too. */
export function startInner(
  call: Call,
  words: readonly Word[],
  started: Started,
  { relation = "wrapper", level = "program" }: { readonly relation?: Relation; readonly level?: Started["level"] } = {},
): readonly ShellState[] {
  const { state } = started;
  const frame = innerFrame(started.frame, call, relation);
  if (frame === null || words.length === 0) return [{ ...state, status: "either" }];
  const source = words.map((word) => word.source).join(" ");
  const inner = { words, frame, source, level, stdin: state.stdin, redirections: [], printsTo: null };
  const results = frame.analysis.shell.startWords({ ...started, ...inner });
  return level === "program" ? runSubshell(results, state) : results;
}

/** Follows text that a call runs as a command in this shell. */
export function runText(
  call: Call,
  text: string,
  { state, frame }: Pick<Started, "state" | "frame">,
  relation: Relation = "shell text",
): readonly ShellState[] {
  const inner = innerFrame(frame, call, relation);
  if (inner === null) return [{ ...state, status: "either" }];
  const source = text.replaceAll(GLOBBED, "");
  return inner.analysis.shell.runScript(parseShell(source), state, { ...inner, source });
}

const PROMPTS = nameSet("PS0 PS1 PS2 PS4");

/** Follows the value of a variable that the shell runs before it prompts, or expands then and with `set -x`. */
export function runAtPrompt(name: string, value: string, { state, frame }: Pick<Started, "state" | "frame">): void {
  const isExpanded = PROMPTS.has(name) && /[$`]/.test(value);
  const text = isExpanded ? `: "${value}"` : name === "PROMPT_COMMAND" && value !== UNKNOWN ? value : "";
  const { analysis, depth } = frame;
  if (text === "" || depth >= analysis.mostDepth) return;
  analysis.shell.runScript(parseShell(text), { ...state, output: "" }, { ...frame, source: text, depth: depth + 1 });
}

/** Follows text that another shell runs: nothing that it changes is seen here. */
export function runInner(
  call: Call,
  text: string,
  started: Started,
  { relation, state }: { readonly relation?: Relation; readonly state?: ShellState } = {},
): readonly ShellState[] {
  const frame = { ...started.frame, active: [], loops: 0 };
  const child = state ?? childShell(started.state);
  return runSubshell(runText(call, text, { state: child, frame }, relation), started.state);
}

/** The state of a new shell, which inherits exported variables. */
export function childShell(state: ShellState): ShellState {
  const inherited = [...state.variables].filter(([name]) => state.exported.has(name) || name === "HOME");
  return {
    ...state,
    variables: new Map(inherited),
    functions: new Map([...state.functions].filter(([name]) => state.exported.has(name))),
    aliases: new Map(),
    stack: [],
    positional: [],
  };
}

/** The state in which a function or builtin runs: with the variable assignments before its name. */
export function withVariables({ state, own }: Started): ShellState {
  if (own.size === 0) return state;
  const inner = { ...state };
  for (const [name, value] of own) setVariable(inner, name, [value]);
  exportVariables(inner, [...own.keys()]);
  return inner;
}

/** A word as it is written for a shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./\0-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
