import { parseShell } from "../../../src/shell/load-parser.ts";
import { innerFrame, type Started } from "./analysis.ts";
import type { Call, Relation, Word } from "./call.ts";
import { exportVariables, GLOBBED, runSubshell, type ShellState, setVariable } from "./script/shell-state.ts";

/** Starts words that are arguments of a call. */
export function startInner(
  call: Call,
  words: readonly Word[],
  started: Started,
  relation: Relation = "wrapper",
): readonly ShellState[] {
  const frame = innerFrame(started.frame, call, relation);
  if (frame === null || words.length === 0) return [{ ...started.state, status: "either" }];
  const { state } = started;
  const source = words.map((word) => word.source).join(" ");
  const results = frame.analysis.shell.startWords({
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

interface Origin {
  readonly call: Call;
  readonly relation: Relation;
}

/** Follows text that a call runs as a command. The state is that of the shell that runs it. */
export function runText(
  text: string,
  { state, frame }: Pick<Started, "state" | "frame">,
  origin: Origin,
): readonly ShellState[] {
  const inner = innerFrame(frame, origin.call, origin.relation);
  if (inner === null) return [{ ...state, status: "either" }];
  const source = text.replaceAll(GLOBBED, "");
  return inner.analysis.shell.runScript(parseShell(source), state, { ...inner, source });
}

interface Inner extends Origin {
  readonly started: Started;
}

/** Text that another shell runs: nothing that it changes is seen here. */
export function runInner(text: string, state: ShellState, { call, started, relation }: Inner): readonly ShellState[] {
  const frame = { ...started.frame, active: [], loops: 0 };
  return runSubshell(runText(text, { state, frame }, { call, relation }), started.state);
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
