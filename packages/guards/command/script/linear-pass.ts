import type { ParsedScript, Pipeline, Redirected, SyntaxNode } from "unbash";
import { shellParser } from "../../../../src/shell/load-parser.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { addGap, allowSteps, type Frame, type Interpreter } from "../analysis.ts";
import { expandValue } from "../words/expand-word.ts";
import { followRedirections, runCommand, startWords } from "./run-command.ts";
import type { ShellState } from "./shell-state.ts";

/**
 * Follows each simple command of a script once, as it is written: no loop is repeated, no function is called, and no
 * command sees what another one has set. So its time is linear, and no command is hidden by what precedes it.
 */
export const LINEAR_PASS: Interpreter = {
  runScript: (script, state, frame) => [afterPass(state, passScript(script, state, frame))],
  runStatements: (statements, states, frame) =>
    states.slice(0, 1).map((state) => afterPass(state, passAll(statements, state, frame))),
  runNode: (node, state, frame) => [afterPass(state, pass(node, state, frame))],
  startWords,
};

const afterPass = (state: ShellState, output: string): ShellState => ({
  ...state,
  output: state.output + output,
  status: "either",
});

const passScript = ({ commands, errors = [] }: ParsedScript, state: ShellState, frame: Frame): string => {
  if (errors.length > 0) addGap(frame, "syntax", frame.source);
  return passAll(commands, state, frame);
};

function passAll(nodes: readonly SyntaxNode[], state: ShellState, frame: Frame): string {
  let output = "";
  for (const node of nodes) output += passOrSkip(node, state, frame);
  return output;
}

/** A part that is too deep for the stack does not end the pass. */
function passOrSkip(node: SyntaxNode, state: ShellState, frame: Frame): string {
  try {
    return pass(node, state, frame);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    addGap(frame, "depth", frame.source);
    return UNKNOWN;
  }
}

/** Returns the output, as far as it is known. */
function pass(node: SyntaxNode, state: ShellState, frame: Frame): string {
  switch (node.type) {
    case "Command": {
      if (frame.depth === 0) allowSteps(frame, node.end - node.pos);
      const [result, ...others] = runCommand(node, { ...state, output: "" }, frame);
      return result === undefined || others.length > 0 ? UNKNOWN : result.output;
    }
    case "Pipeline":
      return passPipeline(node, state, frame);
    case "Redirected":
      return passRedirected(node, state, frame);
    case "Statement":
      return pass(node.command, state, frame);
    case "Script":
      return passScript(node, state, { ...frame, source: node.source ?? frame.source, isCaptured: true });
    case "Word":
      expandValue(node, { ...state }, frame);
      return "";
    default:
      shellParser().forEachChild(node, (child) => {
        pass(child, state, frame);
      });
      return UNKNOWN;
  }
}

function passPipeline({ commands }: Pipeline, state: ShellState, frame: Frame): string {
  let [output, current] = ["", state];
  for (const node of commands) {
    const before = frame.analysis.started.length;
    output = pass(node, current, frame);
    const from = frame.analysis.started.slice(before);
    current = { ...state, stdin: { input: { kind: "pipe", from }, text: output } };
  }
  return output;
}

function passRedirected({ command, redirects }: Redirected, state: ShellState, frame: Frame): string {
  const { stdin } = followRedirections(redirects, state, frame);
  return pass(command, { ...state, stdin }, frame);
}
