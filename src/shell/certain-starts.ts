import { posix } from "node:path";
import type { AndOr, Assignment, Command, PipelineNode, Script, Word } from "unbash";
import { nameSet, namesIn } from "../protocol/json/table.ts";
import { knownVariables, PROJECT, type ShellPlace } from "./findings.ts";
import { shellParser } from "./load-parser.ts";
import { programRow, SHELL_BUILTINS } from "./programs.ts";
import { UNKNOWN } from "./unknown.ts";
import { asPattern, isGlob, plain, valuesOf } from "./word-values.ts";

/** A program that is found through PATH, or a file at one of these paths. */
export type CertainStart =
  | { readonly kind: "program"; readonly name: string }
  | {
      readonly kind: "file";
      readonly word: string;
      readonly places: readonly string[];
      /** True if another program reads it, so that it needs no execute permission. */
      readonly isRead: boolean;
    };

interface Walk {
  readonly home: string;
  readonly variables: Map<string, Set<string>>;
  readonly functions: Set<string>;
  readonly starts: CertainStart[];
  /** The current directory; null if it is known only at run time. */
  folder: string | null;
  /** The command sets its own PATH. */
  hasOwnPath: boolean;
  /** Nothing after this is certain. */
  isOver: boolean;
}

/**
 * What a command starts in any case. It is followed up to the first condition, loop or block, because a file that may never
 * be started is not missed.
 */
export function certainStarts(command: string | readonly string[], place: ShellPlace): readonly CertainStart[] {
  const walk: Walk = {
    home: place.home,
    variables: knownVariables(place),
    functions: new Set(),
    starts: [],
    folder: place.folder,
    hasOwnPath: false,
    isOver: false,
  };
  if (typeof command !== "string") startProgram(command, walk);
  else {
    const script = shellParser().parse(command);
    if ((script.errors?.length ?? 0) === 0) followScript(script, walk);
  }
  return walk.starts;
}

function followScript({ commands }: Script, walk: Walk): void {
  for (const { command } of commands) {
    if (walk.isOver) return;
    if (command.type === "AndOr") followAndOr(command, walk);
    else followNode(command, walk);
  }
}

function followNode(node: PipelineNode, walk: Walk): void {
  if (node.type === "Command") followCommand(node, walk);
  else if (node.type === "Function") walk.functions.add(node.name.value);
  // Each part of a pipeline is a separate process, so variables that it sets are local.
  else if (node.type === "Pipeline" && node.commands.every(({ type }) => type === "Command"))
    for (const one of node.commands) followNode(one, { ...walk, variables: new Map(walk.variables) });
  else walk.isOver = true;
}

/** `a && b` certainly reaches `b` if `a` always succeeds; `a || exit 1` requires that `a` succeeds. */
function followAndOr({ commands, operators }: AndOr, walk: Walk): void {
  for (const [at, node] of commands.entries()) {
    const next = commands[at + 1];
    if (next === undefined || operators[at] === "&&") {
      followNode(node, walk);
      if (next !== undefined && !isOf(node, SUCCEEDS)) walk.isOver = true;
    } else {
      // A fallback suggests that the file may be missing.
      if (isOf(next, ["exit"]) && !isOf(next, ["exit"], /^0+$/)) followNode(node, walk);
      else walk.isOver = true;
      return;
    }
    if (walk.isOver) return;
  }
}

const SUCCEEDS = ["cd", "export", "set", "umask", ":", "true", "mkdir", "unset"];

/** True if it is a command of one of these names, whose first argument matches `first`. */
function isOf(node: PipelineNode, names: readonly string[], first?: RegExp): boolean {
  if (node.type !== "Command" || node.name === undefined || !names.includes(node.name.value)) return false;
  const [word] = node.args;
  return first === undefined || first.test(word?.type === "Word" ? word.value : "");
}

function followCommand(command: Command, walk: Walk): void {
  const set = [...command.prefix, ...command.args].filter((one): one is Assignment => one.type === "Assignment");
  for (const one of set) assign(one, walk);
  if (command.name === undefined) return;
  const words = [command.name, ...command.args.filter((one): one is Word => one.type === "Word")];
  const values = words.map((word) => onlyValue(word, walk));
  const [name, operand] = values;
  if (name == null || walk.functions.has(name)) return;
  switch (name) {
    case "cd":
      walk.folder = operand == null || operand.startsWith("-") ? null : placeOf(operand, walk);
      return;
    case "exit":
    case "return":
      walk.isOver = true;
      return;
    case ".":
    case "source":
      if (operand?.includes("/")) startFile(operand, walk, [""]);
      // The sourced file may change the directory or exit.
      walk.isOver = true;
      return;
    case "eval":
      walk.isOver = true;
      return;
    default:
      if (!SHELL_BUILTINS.has(name)) startProgram(values, walk);
      if (SETS_VARIABLES.has(name)) walk.variables.clear();
      if (name === "exec" && values.length > 1) {
        startProgram(values.slice(1), walk);
        walk.isOver = true;
      }
  }
}

const SETS_VARIABLES = nameSet("read mapfile readarray getopts unset printf");

/** The value of a word; null if it has several or is known only at run time. */
function onlyValue(word: Word, { variables, home, folder }: Walk): string | null {
  const folders = new Set(folder === null ? [] : [asPattern(folder)]);
  const values = valuesOf(word, { variables, home, folders, follow: () => undefined });
  const [value] = values;
  return value === undefined || values.length > 1 || value.includes(UNKNOWN) || isGlob(value) ? null : plain(value);
}

function assign({ name, value, append }: Assignment, walk: Walk): void {
  if (name === "PATH") walk.hasOwnPath = true;
  const only = append !== true && value.type === "Word" ? onlyValue(value, walk) : null;
  if (only === null) walk.variables.delete(name);
  else walk.variables.set(name, new Set([asPattern(only)]));
}

/** Follows a program and its arguments; null is an unknown argument. */
function startProgram([name, ...rest]: readonly (string | null)[], walk: Walk): void {
  if (name == null || name === "") return;
  const base = posix.basename(name);
  if (name.includes("/")) startFile(name, walk);
  else if (!walk.hasOwnPath) walk.starts.push({ kind: "program", name });
  if (base === "env" || base === "nohup") {
    const own = rest.findIndex((word) => word === null || !/^\w+=/.test(word));
    if (rest.slice(0, own).some((word) => word?.startsWith("PATH="))) walk.hasOwnPath = true;
    if (own >= 0 && !rest[own]?.startsWith("-")) startProgram(rest.slice(own), walk);
    return;
  }
  const { switches, endings = "" } = programRow(base) ?? {};
  if (switches === undefined) return;
  const script = rest.find((word) => word === null || !new RegExp(switches).test(word));
  if (script != null && !script.startsWith("-")) startFile(script, walk, ["", ...namesIn(endings)]);
}

/** With `endings` the file is read by a program that may append one of them. */
function startFile(word: string, walk: Walk, endings?: readonly string[]): void {
  const place = placeOf(word, walk);
  if (place === null) return;
  const places = (endings ?? [""]).map((ending) => place + ending);
  walk.starts.push({ kind: "file", word, places, isRead: endings !== undefined });
}

/** Null if the directory is not known. */
function placeOf(word: string, { folder }: Walk): string | null {
  if (word.startsWith("/") || word.startsWith(PROJECT)) return word;
  return folder === null ? null : `${folder}/${word}`;
}
