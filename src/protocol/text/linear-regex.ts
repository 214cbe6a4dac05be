import { fail, ok, type Result } from "../result.ts";
import {
  type CharTest,
  PatternFault,
  parseRegex,
  type RegexEdge,
  type RegexNode,
  type RegexRepeat,
} from "./parse-regex.ts";

/**
 * Compiles a regular expression whose search takes time proportional to the text: all possible matches are followed at
 * once, without backtracking. The syntax is JavaScript's, without backreferences and lookaround.
 */
export function compileLinearRegex(source: string, ignoreCase: boolean): Result<(text: string) => boolean, string> {
  try {
    const program: Program = { instructions: [], size: 0 };
    emit(parseRegex(source, ignoreCase), program);
    program.instructions.push({ op: "match" });
    const word = ignoreCase ? /^\w$/iu : /^\w$/u;
    return ok((text) => search(program.instructions, text, word));
  } catch (error) {
    if (error instanceof PatternFault) return fail(error.message);
    throw error;
  }
}

type Instruction =
  | { readonly op: "char"; readonly test: CharTest }
  | { readonly op: "edge"; readonly edge: RegexEdge }
  | Fork
  | { readonly op: "match" };

/** Continues at every target. */
interface Fork {
  readonly op: "fork";
  targets: readonly number[];
}

interface Program {
  readonly instructions: Instruction[];
  /** The number of translated nodes; a repeated empty node adds no instruction. */
  size: number;
}

const MAX_SIZE = 4000;

function emit(node: RegexNode, program: Program): void {
  program.size += 1;
  if (program.size > MAX_SIZE) throw new PatternFault("it is too large");
  if (node.kind === "char") program.instructions.push({ op: "char", test: node.test });
  else if (node.kind === "edge") program.instructions.push({ op: "edge", edge: node.edge });
  else if (node.kind === "repeat") emitRepeat(node, program);
  else if (node.kind === "either") emitEither(node.nodes, program);
  else for (const one of node.nodes) emit(one, program);
}

function emitEither(nodes: readonly RegexNode[], program: Program): void {
  const { instructions } = program;
  const fork = addFork(program);
  const starts: number[] = [];
  const ends = nodes.map((node) => {
    starts.push(instructions.length);
    emit(node, program);
    return addFork(program);
  });
  fork.targets = starts;
  for (const end of ends) end.targets = [instructions.length];
}

function emitRepeat({ node, least, most }: RegexRepeat, program: Program): void {
  const { instructions } = program;
  for (let count = 0; count < least; count++) emit(node, program);
  const isEndless = most === Number.POSITIVE_INFINITY;
  const start = instructions.length;
  const forks = Array.from({ length: isEndless ? 1 : most - least }, () => {
    const fork = addFork(program);
    const next = instructions.length;
    emit(node, program);
    return { fork, next };
  });
  if (isEndless) addFork(program).targets = [start];
  for (const { fork, next } of forks) fork.targets = [next, instructions.length];
}

function addFork({ instructions }: Program): Fork {
  const fork: Fork = { op: "fork", targets: [] };
  instructions.push(fork);
  return fork;
}

/** Follows every path through the program at once, from every character of the text; `word` is what `\b` takes for one. */
function search(program: readonly Instruction[], text: string, word: RegExp): boolean {
  const chars = [...text];
  let active: readonly number[] = [];
  for (let at = 0; at <= chars.length; at++) {
    const reached = reachable(program, [...active, 0], edgesAt(chars, at, word));
    if (reached === "match") return true;
    const char = chars[at];
    if (char === undefined) return false;
    active = reached.filter((index) => {
      const instruction = program[index];
      return instruction?.op === "char" && instruction.test(char);
    });
    active = active.map((index) => index + 1);
  }
  return false;
}

/** The character tests that can be reached without a character; "match": the end can. */
function reachable(
  program: readonly Instruction[],
  from: readonly number[],
  edges: Readonly<Record<RegexEdge, boolean>>,
): readonly number[] | "match" {
  const seen = new Set<number>();
  const tests: number[] = [];
  const stack = [...from];
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    const instruction = program[index];
    if (seen.has(index) || instruction === undefined) continue;
    seen.add(index);
    if (instruction.op === "match") return "match";
    if (instruction.op === "char") tests.push(index);
    else if (instruction.op === "fork") stack.push(...instruction.targets);
    else if (edges[instruction.edge]) stack.push(index + 1);
  }
  return tests;
}

function edgesAt(chars: readonly string[], at: number, word: RegExp): Readonly<Record<RegexEdge, boolean>> {
  const isBoundary = word.test(chars[at - 1] ?? "") !== word.test(chars[at] ?? "");
  return { start: at === 0, end: at === chars.length, boundary: isBoundary, inside: !isBoundary };
}
