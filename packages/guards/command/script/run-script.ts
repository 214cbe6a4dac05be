import type { AndOr, ParsedScript, Pipeline, PipelineNode, Redirected, Statement } from "unbash";
import { addGap, type Frame } from "../analysis.ts";
import { followRedirections, runCommand } from "./run-command.ts";
import { runCompound } from "./run-compound.ts";
import { inEach, mergeStates, type ShellState, type Stdin } from "./shell-state.ts";

/** Follows a script. Returns the states at its end, one for each execution path that makes a difference. */
export function runScript(script: ParsedScript, state: ShellState, frame: Frame): ShellState[] {
  if (script.errors !== undefined && script.errors.length > 0) addGap(frame, "syntax", frame.source);
  return runStatements(script.commands, [state], frame);
}

export function runStatements(
  statements: readonly Statement[],
  states: readonly ShellState[],
  frame: Frame,
): ShellState[] {
  let current = [...states];
  for (const statement of statements)
    current = inEach(likely(current), (state) => {
      const results = runStatement(statement, state, frame);
      return frame.keepsOutput ? results : results.map(withoutOutput);
    });
  return current;
}

/** States that differ only in what they printed are one: a loop with `test && echo yes || echo no` has few. */
const withoutOutput = (state: ShellState): ShellState => (state.output === "" ? state : { ...state, output: "" });

/** After `cd x;` the folder is `x`: a failure of `cd` matters only for a following `||`. */
function likely(states: readonly ShellState[]): readonly ShellState[] {
  if (states.length === 1) return states;
  const expected = states.filter(({ isUnlikely }) => !isUnlikely);
  return expected.length > 0 ? expected : states;
}

function runStatement({ command, background }: Statement, state: ShellState, frame: Frame): readonly ShellState[] {
  if (background !== true)
    return command.type === "AndOr" ? runAndOr(command, state, frame) : runNode(command, state, frame);
  const child: ShellState = { ...state, output: "" };
  const inner = { ...frame, isParallel: true, isBackground: true };
  const results = command.type === "AndOr" ? runAndOr(command, child, inner) : runNode(command, child, inner);
  const output = state.output + (results[0]?.output ?? "");
  return [{ ...state, output, status: "success" }];
}

function runAndOr({ commands, operators }: AndOr, state: ShellState, frame: Frame): ShellState[] {
  const [first, ...rest] = commands;
  if (first === undefined) return [state];
  let current = mergeStates(runNode(first, state, frame));
  for (const [at, node] of rest.entries()) {
    const isSkipped = operators[at] === "&&" ? "failure" : "success";
    const skipped = current.filter(({ status, flow }) => flow !== "next" || status === isSkipped);
    const either = current.filter(({ status, flow }) => flow === "next" && status === "either");
    const reached = current.filter((one) => !skipped.includes(one));
    const stays = either.map((one): ShellState => ({ ...one, status: isSkipped }));
    const results = reached.flatMap((one) => runNode(node, { ...one, isUnlikely: false }, frame));
    current = mergeStates([...results, ...skipped, ...stays]);
  }
  return current;
}

export function runNode(node: PipelineNode, state: ShellState, frame: Frame): readonly ShellState[] {
  switch (node.type) {
    case "Command":
      return runCommand(node, state, frame);
    case "Pipeline":
      return runPipeline(node, state, frame);
    case "Redirected":
      return runRedirected(node, state, frame);
    default:
      return runCompound(node, state, frame);
  }
}

/** Each part runs in a separate shell and reads the output of the part before it. */
function runPipeline({ commands, prefixes }: Pipeline, state: ShellState, frame: Frame): readonly ShellState[] {
  const isNegated = prefixes.filter(({ type }) => type === "Negation").length % 2 === 1;
  const [only] = commands;
  if (commands.length === 1 && only !== undefined)
    return runNode(only, state, frame).map((one) => (isNegated ? { ...one, status: NEGATED[one.status] } : one));
  const inner = { ...frame, isParallel: true, keepsOutput: true };
  let inputs: readonly Stdin[] = [state.stdin];
  for (const node of commands.slice(0, -1)) {
    const before = frame.analysis.started.length;
    const results = inputs.flatMap((stdin) => runNode(node, { ...state, stdin, output: "" }, inner));
    const from = frame.analysis.started.slice(before);
    const texts = [...new Set(results.map(({ output }) => output))];
    inputs = texts.map((text) => ({ input: { kind: "pipe", from }, text }));
  }
  const last = commands.at(-1);
  if (last === undefined) return [state];
  const results = inputs.flatMap((stdin) => runNode(last, { ...state, stdin }, inner));
  return results.map(({ output, status, files }) => ({
    ...state,
    output,
    files,
    status: isNegated ? NEGATED[status] : status,
  }));
}

const NEGATED = { success: "failure", failure: "success", either: "either" } as const;

/** Another descriptor, a terminal or a connection. */
const SHOWN = /^(?:\d+-?|-|\/dev\/(?:stdout|stderr|tty|fd\/\d+|(?:tcp|udp)\/.*))$/;

/** A compound command with redirections. */
function runRedirected({ command, redirects }: Redirected, state: ShellState, frame: Frame): readonly ShellState[] {
  const { stdin, printsTo } = followRedirections(redirects, state, frame);
  const isKept = printsTo !== null && !SHOWN.test(printsTo.target.text);
  const inner = printsTo === null ? frame : { ...frame, keepsOutput: true, isCaptured: isKept || frame.isCaptured };
  const results = runCompound(command, { ...state, stdin, output: printsTo === null ? state.output : "" }, inner);
  return results.map((one) => ({ ...one, stdin: state.stdin, output: printsTo === null ? one.output : state.output }));
}
