import type {
  ArithmeticFor,
  Case,
  CompoundCommand,
  CompoundList,
  Coproc,
  For,
  If,
  PipelineNode,
  Select,
  Function as ShellFunctionNode,
  Statement,
  SyntaxNode,
  While,
  Word,
} from "unbash";
import { shellParser } from "../../../../src/shell/load-parser.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { addGap, type Frame, followsItems, takeStep } from "../analysis.ts";
import type { Call } from "../call.ts";
import { expandValue, expandWords } from "../words/expand-word.ts";
import {
  GLOBBED,
  inEach,
  mergeStates,
  runSubshell,
  type ShellState,
  setVariable,
  widened,
  withoutLocals,
} from "./shell-state.ts";

/** The number of loop words that are followed individually. */
const MOST_ITEMS = 256;
const MOST_FUNCTIONS = 256;
/** Rounds of a loop before its changes are treated as unknown. */
const MOST_ROUNDS = 4;

type Compound = CompoundCommand | ShellFunctionNode | Coproc;

export function runCompound(node: Compound, state: ShellState, frame: Frame): readonly ShellState[] {
  // Loops in loops would run very often, even if there is no command in them.
  if (!takeStep(frame)) return [{ ...state, flow: "exit" }];
  if ((node.type === "While" || node.type === "ArithmeticFor") && isForkingLoop(node))
    addGap(frame, "fork bomb", frame.source.slice(node.pos, node.end));
  switch (node.type) {
    case "Subshell":
      return runSubshell(runList(node.body, [{ ...state }], frame), state);
    case "BraceGroup":
      return runList(node.body, [state], frame);
    case "If":
      return runIf(node, state, frame);
    case "For":
    case "Select":
      return runFor(node, state, frame);
    case "While":
      return runLoop(node, state, frame);
    case "ArithmeticFor":
      runSubstitutions(node, { ...state }, frame);
      return rounds(state, frame, (one) => runList(node.body, [one], inLoop(frame, node.test === undefined)));
    case "Case":
      return runCase(node, state, frame);
    case "TestCommand":
    case "ArithmeticCommand":
      runSubstitutions(node, state, frame);
      return [{ ...state, status: "either" }];
    case "Function":
      // Each definition copies the others.
      if (state.functions.size >= MOST_FUNCTIONS) addGap(frame, "size", frame.source);
      else state.functions = new Map(state.functions).set(node.name.value, { body: node.body, source: frame.source });
      // The shell calls it by itself.
      if (/^command_not_found_handler?$/.test(node.name.value))
        runFunction(node.name.value, { state: { ...state, output: "" }, frame }, { args: [], source: node.name.value });
      return [{ ...state, status: "success" }];
    case "Coproc":
      return runSubshell(runBody(node.body, { ...state }, frame), state);
  }
}

const runBody = (body: CompoundList | PipelineNode, state: ShellState, frame: Frame): readonly ShellState[] =>
  body.type === "CompoundList" ? runList(body, [state], frame) : frame.analysis.shell.runNode(body, state, frame);

function runIf({ clause, then, elif, else: last }: If, state: ShellState, frame: Frame): readonly ShellState[] {
  const done: ShellState[] = [];
  let open = [state];
  for (const branch of [{ clause, then }, ...elif]) {
    const tested = runList(branch.clause, open, frame);
    const taken = tested.filter(({ status, flow }) => flow === "next" && status !== "failure");
    done.push(...tested.filter(({ flow }) => flow !== "next"), ...runList(branch.then, taken.map(copy), frame));
    open = tested.filter(({ status, flow }) => flow === "next" && status !== "success").map(copy);
  }
  const rest =
    last === undefined ? open.map((one) => ({ ...one, status: "success" as const })) : runList(last, open, frame);
  return [...done, ...rest];
}

const copy = (state: ShellState): ShellState => ({ ...state, isUnlikely: false });

/** The body runs for each word, one after the other. */
function runFor({ name, wordlist, body }: For | Select, state: ShellState, frame: Frame): readonly ShellState[] {
  const lists = wordlist === undefined ? [] : expandWords(wordlist, state, frame);
  const known = wordlist === undefined ? [state.positional ?? [UNKNOWN]] : lists.map((words) => words.map(loopValue));
  const inner = inLoop(frame);
  return known.flatMap((items) => {
    let current: ShellState[] = [{ ...state, status: "success" }];
    const run = (item: string): void => {
      current = inEach(current, (one) => {
        setVariable(one, name.value, [item]);
        return runList(body, [one], inner);
      });
    };
    let at = 0;
    for (; at < items.length && at < MOST_ITEMS && followsItems(frame); at++) run(items[at] ?? UNKNOWN);
    const rest = items.slice(at);
    // A number is neither a path nor a program; any other item that is not followed may be either.
    if (rest.some((item) => item !== UNKNOWN && !/^-?\d+$/.test(item))) state.limits.isReached = true;
    if (rest.length > 0) run(UNKNOWN);
    // An unknown list may be empty, so that the body does not run.
    const skipped = items.length > 0 && items.every((item) => item === UNKNOWN) ? [{ ...state }] : [];
    return [...current.map(afterLoop), ...skipped];
  });
}

const loopValue = ({ text, isGlob }: { text: string; isGlob: boolean }): string => (isGlob ? GLOBBED + text : text);

const afterLoop = (state: ShellState): ShellState => (state.flow === "loop end" ? { ...state, flow: "next" } : state);

const inLoop = (frame: Frame, isWithoutEnd = false): Frame => ({
  ...frame,
  loops: frame.loops + 1,
  isRepeated: frame.isRepeated || isWithoutEnd || frame.isBackground,
});

/** The body runs unless the condition certainly ends the loop. */
function runLoop(node: While, state: ShellState, frame: Frame): readonly ShellState[] {
  const { kind, clause, body } = node;
  const inner = inLoop(frame, isEndless(node) || isAlwaysTrue(node));
  const end = kind === "while" ? "failure" : "success";
  return rounds(state, frame, (one) =>
    inEach(runList(clause, [one], inner), (tested) =>
      tested.status === end ? [tested] : runList(body, [tested], inner),
    ),
  );
}

/** Repeats a body until the state is stable; after some rounds its changes are treated as unknown. */
function rounds(
  state: ShellState,
  frame: Frame,
  run: (state: ShellState) => readonly ShellState[],
): readonly ShellState[] {
  const ends: ShellState[] = [{ ...state }];
  let current: readonly ShellState[] = [{ ...state }];
  for (let round = 0; round < MOST_ROUNDS && followsItems(frame); round++) {
    const next = mergeStates(current.flatMap((one) => run({ ...one })));
    ends.push(...next);
    const fresh = next.filter((one) => one.flow === "next" && mergeStates([...current, one]).length > current.length);
    if (fresh.length === 0) return mergeStates(ends).map(afterRounds);
    current = fresh;
  }
  const wide = current.map((one) => widened(state, one));
  return mergeStates([...ends, ...wide.flatMap((one) => run({ ...one }))]).map(afterRounds);
}

const afterRounds = (state: ShellState): ShellState => ({ ...afterLoop(state), status: "either" });

/** Any branch may run, or none. */
function runCase({ word, items }: Case, state: ShellState, frame: Frame): readonly ShellState[] {
  expandValue(word, state, frame);
  const ends: ShellState[] = [];
  let falling: ShellState[] = [];
  for (const { pattern, body, terminator } of items) {
    for (const one of pattern) expandValue(one, state, frame);
    const results = runList(body, [copy(state), ...falling], frame);
    falling = terminator === ";&" ? results : [];
    if (terminator !== ";&") ends.push(...results);
  }
  const hasDefault = items.some(({ pattern }) => pattern.some(({ text }) => text === "*"));
  return [...ends, ...falling, ...(hasDefault ? [] : [{ ...state, status: "success" as const }])];
}

/** Follows a call of a function of the command itself. */
export function runFunction(
  name: string,
  { state, frame }: { readonly state: ShellState; readonly frame: Frame },
  call: Pick<Call, "args" | "source">,
): readonly ShellState[] {
  const target = state.functions.get(name);
  if (target === undefined) return [state];
  if (frame.active.includes(name)) {
    addGap(frame, frame.isParallel ? "fork bomb" : "recursion", call.source);
    return [{ ...state, status: "either" }];
  }
  const inner = { ...frame, source: target.source, active: [...frame.active, name] };
  const start: ShellState = { ...state, positional: call.args.map(({ text }) => text), locals: new Map() };
  return runBody(target.body, start, inner).map((one) => ({
    ...one,
    variables: withoutLocals(one),
    locals: state.locals,
    positional: state.positional,
    flow: one.flow === "return" || one.flow === "loop end" ? "next" : one.flow,
  }));
}

/** True if a loop never ends and each round only leaves jobs in the background: a fork bomb without a function. */
const isForkingLoop = (loop: While | ArithmeticFor): boolean =>
  (loop.type === "While" ? isEndless(loop) : loop.test === undefined) && forks(loop.body);

function isEndless({ kind, clause }: While): boolean {
  const [only, ...others] = clause.commands;
  if (only === undefined || others.length > 0) return false;
  return constantOf(only) === (kind === "while");
}

/** True for a condition that ends with a command which practically never fails: `while sleep 1`. */
function isAlwaysTrue({ kind, clause }: While): boolean {
  const command = clause.commands.at(-1)?.command;
  if (kind !== "while" || command === undefined) return false;
  if (command.type === "Command" && /^(?:.*\/)?(?:sleep|usleep|echo|printf|date)$/.test(command.name?.value ?? ""))
    return true;
  return constantOf({ command }) === true;
}

/** True or false for a constant condition; null if it is not known. */
function constantOf({ command }: Pick<Statement, "command">): boolean | null {
  if (command.type === "ArithmeticCommand") return /^\s*[1-9]\d*\s*$/.test(command.body) ? true : null;
  if (command.type === "TestCommand") {
    const { expression } = command;
    return expression.type === "TestUnary" && isConstant(expression.operand) ? true : null;
  }
  if (command.type !== "Command" || command.name === undefined) return null;
  const name = command.name.value.slice(command.name.value.lastIndexOf("/") + 1);
  const [first, ...rest] = command.args;
  if (name === "[" || name === "test")
    return first?.type === "Word" && isConstant(first) && rest.length <= 1 ? true : null;
  return name === "true" || name === ":" ? true : name === "false" ? false : null;
}

/** True if a word is constant text that is not empty, with or without quotes. */
const isConstant = ({ text, value }: Word): boolean => !/[$`]/.test(text) && /^\w+$/.test(value);

const leavesJob = ({ command, background }: Statement): boolean =>
  background === true || ((command.type === "Subshell" || command.type === "BraceGroup") && hasJobsOnly(command.body));

const hasJobsOnly = ({ commands }: CompoundList): boolean => commands.length > 0 && commands.every(leavesJob);

/** True if a list leaves jobs and waits for none: `wait` waits for the jobs of its own shell that are not disowned. */
function forks({ commands }: CompoundList): boolean {
  const isDisowned = commands.some(({ command }) => nameOf(command) === "disown");
  const waits = !isDisowned && commands.some(({ background }) => background === true);
  return commands.some(leavesJob) && commands.every((one) => leavesJob(one) || isBrief(one.command, waits));
}

/** True for a command that takes no time and has no effect on the jobs of a loop. */
function isBrief(command: Statement["command"], waits: boolean): boolean {
  if (command.type === "Subshell") return command.body.commands.every((one) => isBrief(one.command, false));
  if (command.type === "If") return command.clause.commands.every((one) => constantOf(one) === false);
  return /^(?:echo|printf|true|:|disown)$/.test(nameOf(command)) || (!waits && nameOf(command) === "wait");
}

const nameOf = (command: Statement["command"]): string =>
  command.type === "Command" ? (command.name?.value ?? "") : "";

/** Follows the substitutions in a condition, an arithmetic command or an unused word. */
function runSubstitutions(node: SyntaxNode, state: ShellState, frame: Frame): void {
  shellParser().forEachChild(node, (child) => {
    if (child.type === "Script")
      frame.analysis.shell.runScript(
        child,
        { ...state, output: "" },
        { ...frame, source: child.source ?? frame.source, isCaptured: true, keepsOutput: true },
      );
    else runSubstitutions(child, state, frame);
  });
}

const runList = (list: CompoundList, states: readonly ShellState[], frame: Frame): ShellState[] =>
  frame.analysis.shell.runStatements(list.commands, states, frame);
