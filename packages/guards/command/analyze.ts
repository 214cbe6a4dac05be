import { parseShell } from "../../../src/shell/load-parser.ts";
import { type Analysis, addGap, type Frame, MOST_STEPS } from "./analysis.ts";
import { type CommandAnalysis, type CommandPlace, plainWord } from "./call.ts";
import { LINEAR_PASS } from "./script/linear-pass.ts";
import { startWords } from "./script/run-command.ts";
import { runNode, runScript, runStatements } from "./script/run-script.ts";
import { NO_INPUT, type ShellState } from "./script/shell-state.ts";

/** A longer text is not followed; each of its commands is still read as it is written. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const MOST_DEPTH = 16;
const MOST_DEPTH_OF_PASS = 64;

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
    mostSteps: MOST_STEPS,
    mostDepth: MOST_DEPTH,
    limits: { isReached: false, unread: new Set() },
  };
  if (text.length > MOST_CHARACTERS) addGap(firstFrame(analysis), "size", text);
  else follow(command, place, firstFrame(analysis));
  if (analysis.limits.isReached) addGap(firstFrame(analysis), "size", text);
  if (analysis.gaps.has("size") || analysis.gaps.has("depth")) passOver(command, analysis);
  const { unread } = analysis.limits;
  const found = { text, calls: [...analysis.calls.values()], gaps: [...analysis.gaps.values()] };
  return unread.size === 0 ? found : { ...found, unread: [...unread] };
}

/** Follows what a limit has left out. */
function passOver(command: string | readonly string[], analysis: Analysis): void {
  const { text, place } = analysis;
  const counts = { characters: 0, steps: 0, mostSteps: MOST_STEPS, mostDepth: MOST_DEPTH_OF_PASS };
  const pass = { ...analysis, ...counts, started: [], shell: LINEAR_PASS };
  const changesFolder = /\b(?:cd|chdir|pushd|popd)\b/.test(text);
  follow(command, { ...place, folder: changesFolder ? null : place.folder }, firstFrame(pass));
}

const firstFrame = (analysis: Analysis): Frame => ({
  analysis,
  source: analysis.text,
  parent: null,
  isRemote: false,
  isCaptured: false,
  keepsOutput: false,
  depth: 0,
  active: [],
  isParallel: false,
  isBackground: false,
  isRepeated: false,
  loops: 0,
});

/** The place of a shell whose folder may be unknown. */
type Start = Pick<CommandPlace, "home"> & Pick<ShellState, "folder">;

function follow(command: string | readonly string[], start: Start, frame: Frame): void {
  const { shell } = frame.analysis;
  try {
    if (typeof command === "string") shell.runScript(parseShell(command), firstState(start, frame), frame);
    else startProgram(command, start, frame);
  } catch (error) {
    // The tree is too deep for the stack: calls found before are still reported.
    if (!(error instanceof RangeError)) throw error;
    addGap(frame, "depth", frame.source);
  }
}

function startProgram(words: readonly string[], start: Start, frame: Frame): void {
  startWords({
    words: words.map((text) => plainWord(text)),
    state: firstState(start, frame),
    frame,
    source: frame.source,
    own: new Map(),
    level: "program",
    redirections: [],
    stdin: NO_INPUT,
    printsTo: null,
  });
}

const firstState = ({ folder, home }: Start, { analysis }: Frame): ShellState => ({
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
  files: analysis.place.scripts ?? new Map(),
  status: "success",
  flow: "next",
  isUnlikely: false,
  limits: analysis.limits,
});
