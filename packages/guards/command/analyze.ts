import { parseShell } from "../../../src/shell/load-parser.ts";
import { type Analysis, addGap, type Frame } from "./analysis.ts";
import { type CommandAnalysis, type CommandPlace, plainWord } from "./call.ts";
import { startWords } from "./script/run-command.ts";
import { runNode, runScript, runStatements } from "./script/run-script.ts";
import { NO_INPUT, type ShellState } from "./script/shell-state.ts";

const MOST_CHARACTERS = 1024 * 1024;

/** What a command starts: shell text, or a program and its arguments. It never throws and takes time linear in its length. */
export function analyzeCommand(command: string | readonly string[], place: CommandPlace): CommandAnalysis {
  const text = typeof command === "string" ? command : command.join(" ");
  const analysis: Analysis = {
    text,
    place,
    shell: { runScript, runStatements, runNode, startWords },
    calls: new Map(),
    started: [],
    gaps: new Map(),
    numbers: new Map(),
    processes: 0,
    characters: 0,
    steps: 0,
    limits: { isReached: false },
  };
  const frame: Frame = {
    analysis,
    source: text,
    parent: null,
    isRemote: false,
    isCaptured: false,
    depth: 0,
    active: [],
    isParallel: false,
    isBackground: false,
    isRepeated: false,
    loops: 0,
  };
  if (text.length > MOST_CHARACTERS) addGap(frame, "size", text);
  else follow(command, place, frame);
  if (analysis.limits.isReached) addGap(frame, "size", text);
  return { text, calls: [...analysis.calls.values()], gaps: [...analysis.gaps.values()] };
}

function follow(command: string | readonly string[], place: CommandPlace, frame: Frame): void {
  try {
    if (typeof command === "string") runScript(parseShell(command), firstState(place, frame), frame);
    else startProgram(command, place, frame);
  } catch (error) {
    // The tree is too deep for the stack: calls found before are still reported.
    if (!(error instanceof RangeError)) throw error;
    addGap(frame, "depth", frame.source);
  }
}

function startProgram(words: readonly string[], place: CommandPlace, frame: Frame): void {
  startWords({
    words: words.map((text) => plainWord(text)),
    state: firstState(place, frame),
    frame,
    source: frame.source,
    own: new Map(),
    level: "program",
    redirections: [],
    stdin: NO_INPUT,
    printsTo: null,
  });
}

const firstState = ({ folder, home }: CommandPlace, { analysis }: Frame): ShellState => ({
  folder,
  oldFolder: null,
  stack: [],
  variables: new Map([["HOME", [home]]]),
  locals: new Map(),
  exported: new Set(),
  functions: new Map(),
  aliases: new Map(),
  name: "bash",
  positional: null,
  stdin: NO_INPUT,
  output: "",
  files: new Map(),
  status: "success",
  flow: "next",
  isUnlikely: false,
  limits: analysis.limits,
});
