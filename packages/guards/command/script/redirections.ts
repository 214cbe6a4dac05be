import type { HereDoc, Redirection as ShellRedirection } from "unbash";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { addCall, type Frame, type Redirected } from "../analysis.ts";
import type { Redirection, Word } from "../call.ts";
import { expandValue, joinedPieces } from "../words/expand-word.ts";
import { exportedVariables, type ShellState, type Stdin } from "./shell-state.ts";

export function readRedirections(nodes: readonly ShellRedirection[], state: ShellState, frame: Frame): Redirected {
  const redirections: Redirection[] = [];
  let { stdin } = state;
  let printsTo: Redirected["printsTo"] = null;
  for (const node of nodes) {
    const descriptor = node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : null;
    if (node.type === "HereDoc") {
      if (descriptor === null || descriptor === 0) stdin = textInput(bodyOf(node, state, frame));
      continue;
    }
    if (node.target === undefined) continue;
    const target = expandValue(node.target, state, frame);
    if (node.type === "HereString") {
      if (descriptor === null || descriptor === 0) stdin = textInput(`${target.text}\n`);
      continue;
    }
    const kind = KINDS[node.operator];
    if (/^(?:\d+|-|\d+-)$/.test(target.text) && node.operator.endsWith("&")) {
      if (node.operator === ">&" && descriptor !== 2 && target.text !== "1") printsTo = { target, isAppended: true };
      continue;
    }
    redirections.push({ kind, target, descriptor });
    if (kind === "read" && (descriptor === null || descriptor === 0)) stdin = fileInput(target, state);
    if (
      kind !== "read" &&
      descriptor !== 2 &&
      (descriptor === null || descriptor === 1 || node.operator.startsWith("&"))
    )
      printsTo = { target, isAppended: kind === "append" };
  }
  return { redirections, stdin, printsTo };
}

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

const fileInput = (file: Word, { files }: ShellState): Stdin => ({
  input: { kind: "file", file },
  text: files.get(file.text) ?? UNKNOWN,
});

function bodyOf({ body }: HereDoc, state: ShellState, frame: Frame): string {
  if (body.parts === undefined) return body.text;
  const [pieces = [], ...others] = joinedPieces(body.parts, { state, frame, isQuoted: true });
  return others.length === 0 ? pieces.map(({ text }) => text).join("") : UNKNOWN;
}

/** The redirections of a compound command, which are a call without a program. */
export function followRedirections(nodes: readonly ShellRedirection[], state: ShellState, frame: Frame): Redirected {
  const found = readRedirections(nodes, state, frame);
  const [first] = nodes;
  if (found.redirections.length > 0 && first !== undefined)
    addCall(frame, {
      words: [],
      redirections: found.redirections,
      input: found.stdin.input,
      folder: state.folder,
      variables: exportedVariables(state),
      source: frame.source.slice(first.pos, nodes.at(-1)?.end),
    });
  return found;
}
