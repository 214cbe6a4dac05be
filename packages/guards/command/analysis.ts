import type { ParsedScript, PipelineNode, Statement } from "unbash";
import {
  type Call,
  type CommandGap,
  type CommandPlace,
  type GapKind,
  type Input,
  plainWord,
  type Redirection,
  type Relation,
  type Word,
} from "./call.ts";
import type { Limits, ShellState, Stdin } from "./script/shell-state.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The results of one analysis so far. */
export interface Analysis {
  /** The whole command. */
  readonly text: string;
  readonly place: CommandPlace;
  readonly shell: Interpreter;
  /** Each distinct call, by its identity. */
  readonly calls: Map<string, Mutable<Call>>;
  /** All calls in the order of their start, including repeated ones. */
  readonly started: Mutable<Call>[];
  readonly gaps: Map<string, CommandGap>;
  readonly numbers: Map<Call, number>;
  /** The number of process substitutions, from which their paths are made. */
  processes: number;
  /** The number of characters that values have had. */
  characters: number;
  /** The number of commands that were followed. */
  steps: number;
  mostSteps: number;
  readonly mostDepth: number;
  readonly limits: Limits;
}

/** The functions of the shell that call each other through many files: no file needs to import another one in a circle. */
export interface Interpreter {
  readonly runScript: (script: ParsedScript, state: ShellState, frame: Frame) => ShellState[];
  readonly runStatements: (
    statements: readonly Statement[],
    states: readonly ShellState[],
    frame: Frame,
  ) => ShellState[];
  readonly runNode: (node: PipelineNode, state: ShellState, frame: Frame) => readonly ShellState[];
  readonly startWords: (started: Started) => readonly ShellState[];
}

/** The effects of a command's redirections. */
export interface Redirected {
  readonly redirections: readonly Redirection[];
  readonly stdin: Stdin;
  /** The target of redirected standard output; null if it is not redirected. */
  readonly printsTo: { readonly target: Word; readonly isAppended: boolean } | null;
}

/** A command as words, before the program is resolved. */
export interface Started extends Redirected {
  readonly words: readonly Word[];
  readonly state: ShellState;
  readonly frame: Frame;
  readonly source: string;
  /** Variables that only this command gets. */
  readonly own: ReadonlyMap<string, string>;
  /** What the first word may resolve to. `command x`: no function; `sudo x`: only a program. */
  readonly level: "any" | "builtin" | "program";
}

/** The position of the analysis in a command. */
export interface Frame {
  readonly analysis: Analysis;
  /** The text that positions refer to. */
  readonly source: string;
  readonly parent: Call["parent"];
  readonly isRemote: boolean;
  readonly isCaptured: boolean;
  readonly depth: number;
  /** The functions that are being called. */
  readonly active: readonly string[];
  /** The number of loops around it. */
  readonly loops: number;
  /** True if the command itself may use the output: in a substitution, in a pipeline, with a redirection. */
  readonly keepsOutput: boolean;
  /** True in a pipeline or in the background. */
  readonly isParallel: boolean;
  readonly isBackground: boolean;
  /** True in a loop without an end, and in a loop in the background. */
  readonly isRepeated: boolean;
}

const MOST_CALLS = 20_000;
export const MOST_STEPS = 10_000;
/** From here on loops are followed with an unknown value, so that the rest of the command is still followed. */
const MOST_STEPS_OF_LOOPS = 2000;
const MOST_GAPS = 100;
const MOST_SOURCE = 500;

/** Counts a command; false if there were too many. */
export function takeStep(frame: Frame): boolean {
  const { analysis } = frame;
  if (analysis.steps++ < analysis.mostSteps && analysis.calls.size < MOST_CALLS) return true;
  if (analysis.gaps.size === 0 || !analysis.gaps.has("size")) addGap(frame, "size", analysis.text);
  return false;
}

const LEAST_STEPS = 64;

/** Lets a command of this length take steps of its own, whatever other commands took. */
export function allowSteps({ analysis }: Frame, length: number): void {
  analysis.mostSteps = analysis.steps + LEAST_STEPS + length;
  analysis.characters = 0;
}

/** True if loops may still be followed item by item. */
export const followsItems = ({ analysis }: Frame): boolean => analysis.steps < MOST_STEPS_OF_LOOPS;

/** The frame of a text or program that a call starts; null if it is too deep. */
export function innerFrame(frame: Frame, call: Call, relation: Relation): Frame | null {
  if (frame.depth >= frame.analysis.mostDepth) {
    addGap(frame, "depth", call.source);
    return null;
  }
  if (!takeStep(frame)) return null;
  const isRemote = frame.isRemote || relation === "remote";
  return { ...frame, parent: { call, relation }, depth: frame.depth + 1, isRemote };
}

const WHY: Readonly<Record<GapKind, string>> = {
  syntax: "it is not valid shell syntax",
  size: "it is too long to be followed",
  depth: "it is nested too deeply to be followed",
  recursion: "the function calls itself",
  "fork bomb": "it starts processes without end",
  reference: "a variable stands for another one",
};

/**
 * Records a part that was not followed. At a limit the part is the whole command: cut, the rest after it would not be
 * judged.
 */
export function addGap({ analysis }: Frame, kind: GapKind, source: string): void {
  const isLimit = kind === "size" || kind === "depth" || analysis.gaps.size >= MOST_GAPS;
  const why = WHY[kind];
  if (isLimit) analysis.gaps.set(kind, { kind, source: analysis.text, why });
  else analysis.gaps.set(kind + source, { kind, source, why });
}

/** A program about to start. */
export interface Start {
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  readonly input: Input;
  readonly folder: string | null;
  readonly variables: ReadonlyMap<string, string>;
  readonly source: string;
}

/** Adds a call, or returns the earlier call with the same words at the same position. */
export function addCall(frame: Frame, start: Start): Call {
  const { analysis, parent, isRemote, isCaptured, isRepeated } = frame;
  const [name = EMPTY_WORD, ...args] = start.words;
  const { words, ...rest } = start;
  const source = oneLine(start.source);
  const call = { ...rest, source, program: baseName(name.text), name, args, parent, isRemote, isCaptured, isRepeated };
  const key = keyOf(call, analysis);
  const known = analysis.calls.get(key);
  const added = known ?? call;
  if (known === undefined) {
    analysis.calls.set(key, call);
    analysis.numbers.set(call, analysis.numbers.size);
  }
  analysis.started.push(added);
  return added;
}

const EMPTY_WORD = plainWord("");

/** The name of a program; `RM` starts `rm` where names of files have no case, `C:\\git.exe` starts `git`. */
function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const plain = name.replace(/\.exe$/i, "");
  return plain !== name || /^[A-Z]{2,}$/.test(plain) ? plain.toLowerCase() : plain;
}

function keyOf(
  { parent, source, folder, name, args, redirections, input, isCaptured, isRepeated }: Call,
  { numbers }: Analysis,
): string {
  const above = parent === null ? "" : `${numbers.get(parent.call)} ${parent.relation}`;
  const words = [name, ...args].map(({ text }) => text).join("\u0002");
  const files = redirections.map(({ kind, target }) => kind + target.text).join("\u0002");
  const text = input.kind === "text" ? input.text : input.kind === "pipe" ? numbers.get(input.from[0] as Call) : "";
  return [above, source, folder, words, files, text, isCaptured, isRepeated].join("\u0003");
}

const oneLine = (text: string): string => {
  const line = text.length > MOST_SOURCE ? `${text.slice(0, MOST_SOURCE)}…` : text;
  return line.replace(/\s*\n\s*/g, " ").trim();
};
