import { nameSet } from "../../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Started } from "../analysis.ts";
import { type Call, plainWord, type Word } from "../call.ts";
import { hasOption, optionValues, parseOptions } from "../options.ts";
import type { ShellState } from "../script/shell-state.ts";
import { startInner } from "../start.ts";

const FD = nameSet("fd fdfind");
const FINDERS = nameSet("find gfind bfs fd fdfind");

/** Where a program searches, and for what. */
export interface Search {
  readonly roots: readonly Word[];
  /** True if it finds only some of the files, by name, age or another test than the type. */
  readonly isNarrow?: true;
  /** True if it finds all but some files. */
  readonly isExcluding?: true;
}

/** The call of find or fd that gives a call its arguments: `find -exec sudo rm`, `find | xargs rm`. */
export function finderOf({ parent }: Call): Call | null {
  if (parent === null) return null;
  const { call } = parent;
  if (FINDERS.has(call.program)) return call;
  const from = call.program === "xargs" && call.input.kind === "pipe" ? call.input.from.at(-1) : undefined;
  return from !== undefined && FINDERS.has(from.program) ? from : finderOf(call);
}

/** Each call that a search starts asks for it. */
const searches = new WeakMap<Call, Search>();

export function searchOf(call: Call): Search {
  const search = searches.get(call) ?? readSearch(call);
  searches.set(call, search);
  return search;
}

function readSearch({ program, args }: Call): Search {
  if (FD.has(program)) return fdSearch(args);
  const roots = findRoots(args);
  const tests = findExpression(args).filter(({ name, value }) => NARROWS.test(name) && value !== "*");
  if (tests.some(({ name, isNegated }) => !isNegated || !EXCLUDES.test(name))) return { roots, isNarrow: true };
  return tests.length > 0 ? { roots, isExcluding: true } : { roots };
}

/** The names that a search looks for, as they are written. */
export function searchedNames({ program, args }: Call): readonly string[] {
  if (FD.has(program))
    return fdOptions(args)
      .operands.slice(0, 1)
      .map(({ text }) => text.replace(/[\\^$]/g, ""));
  return findExpression(args).flatMap(({ name, value, isNegated }) =>
    /^-i?(?:name|path|wholename)$/.test(name) && value !== null && !isNegated ? [value] : [],
  );
}

/** The paths that a search may find: its starting points, and unknown names below them. */
export function foundBy(call: Call): readonly string[] {
  const isNarrow = FD.has(call.program) ? fdSearch(call.args).isNarrow === true : leavesOutRoots(call.args);
  const found = searchOf(call).roots.flatMap(({ text }) => {
    const below = `${text.replace(/\/$/, "")}/${UNKNOWN}`;
    return isNarrow ? [below] : [text, below];
  });
  return [...new Set(found)];
}

const FD_SPEC = {
  values:
    "-d -e -E -S -t -c -C -j -o --max-depth --min-depth --exact-depth --extension --exclude --size --type --color --threads --owner --changed-within --changed-before --search-path --base-directory --ignore-file --path-separator --max-results",
};
const FD_PROGRAM = /^(?:-x|-X|--exec|--exec-batch)$/;

function fdOptions(args: readonly Word[]) {
  const end = args.findIndex(({ text }) => FD_PROGRAM.test(text));
  return parseOptions(end === -1 ? args : args.slice(0, end), FD_SPEC);
}

function fdSearch(args: readonly Word[]): Search {
  const parsed = fdOptions(args);
  const [pattern, ...paths] = parsed.operands;
  const roots = [...paths, ...optionValues(parsed, "--search-path --base-directory")];
  const isNarrow =
    !/^(?:\.?\*?|\^)$/.test(pattern?.text ?? "") ||
    hasOption(parsed, "-e -S -o --extension --size --owner --changed-within --changed-before");
  return { roots: roots.length > 0 ? roots : [HERE], ...(isNarrow ? { isNarrow } : {}) };
}

const HERE = plainWord(".");

/** The folders that find searches. */
function findRoots(args: readonly Word[]): readonly Word[] {
  const options = args.filter(({ text }) => !/^-(?:[HLP]|O\d*|D.*)$/.test(text));
  const end = options.findIndex(({ text }) => /^[-(!]/.test(text));
  const roots = end === -1 ? options : options.slice(0, end);
  return roots.length > 0 ? roots : [HERE];
}

/** A test or action of find. */
interface Primary {
  readonly name: string;
  readonly value: string | null;
  /** True if it leaves out what passes it: `! -name x`, `-name x -prune -o …`. */
  readonly isNegated: boolean;
}

/** The tests and actions of find with their first value, without the words of programs that it starts. */
export function findExpression(args: readonly Word[]): readonly Primary[] {
  let primaries: Primary[] = [];
  const groups: boolean[] = [];
  let branch = 0;
  let isNegated = false;
  for (let at = 0; at < args.length; at++) {
    const name = args[at]?.text ?? "";
    const isOuter = groups.at(-1) ?? false;
    if (name === "!" || name === "-not") isNegated = !isNegated;
    else if (name === "(") groups.push(isOuter !== isNegated);
    else if (name === ")") groups.pop();
    else if (/^-or?$/.test(name) && groups.length === 0) {
      primaries = [...primaries.slice(0, branch), ...pruned(primaries.slice(branch))];
      branch = primaries.length;
    }
    if (name === "(") isNegated = false;
    if (!name.startsWith("-") || name === "-not") continue;
    const takes = STARTS.test(name) ? programAt(args, at).length + 1 : TAKES_VALUE.test(name) ? 1 : 0;
    const value = takes > 0 ? (args[at + 1]?.text ?? null) : null;
    primaries.push({ name, value, isNegated: isOuter !== isNegated });
    isNegated = false;
    at += name === "-fprintf" ? 2 : takes;
  }
  return primaries;
}

const STARTS = /^-(?:exec|execdir|ok|okdir)$/;

/** The paths that `-prune -o` excludes, unless an action applies to them. */
function pruned(branch: readonly Primary[]): readonly Primary[] {
  const isLeftOut =
    branch.some(({ name }) => name === "-prune") &&
    !branch.some(({ name }) => STARTS.test(name) || /^-(?:print|delete|fprint|ls)/.test(name));
  return isLeftOut ? branch.map((one) => ({ ...one, isNegated: true })) : branch;
}

/** The words behind an action up to `;` or `{} +`. */
function programAt(args: readonly Word[], action: number): readonly Word[] {
  let end = action + 1;
  while (end < args.length && args[end]?.text !== ";" && !(args[end]?.text === "+" && args[end - 1]?.text === "{}"))
    end++;
  return args.slice(action + 1, end);
}

const TAKES_VALUE =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|[acm]?newer|newer..|[acm](?:time|min)|used|size|perm|user|group|uid|gid|inum|links|samefile|x?type|fstype|context|maxdepth|mindepth|regextype|f?printf|fprint0?|fls|files0-from)$/;

const NARROWS =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|[acm]?newer|newer..|[acm](?:time|min)|empty|size|perm|user|uid|inum|samefile)$/;

/** Tests whose contrary nearly every file passes. */
const EXCLUDES = /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|empty|inum|samefile)$/;

/** Tests that a starting point itself hardly passes. */
const LEAVES_OUT_ROOTS =
  /^-(?:i?name|i?path|wholename|i?regex|size|empty|[acm](?:time|min)|newer|mindepth|inum|links|perm|user|group|gid|nouser|nogroup)$/;

/** True if the tests leave out the starting points; `.` fits some patterns, so that `! -name '.*'` leaves it out. */
const leavesOutRoots = (args: readonly Word[]): boolean =>
  args.some(({ text }, at) => text === "f" && args[at - 1]?.text === "-type") ||
  findExpression(args).some(
    ({ name, value, isNegated }) => LEAVES_OUT_ROOTS.test(name) && (!isNegated || /^\*?\.?\*?$/.test(value ?? "")),
  );

/** Follows the programs of `find … -exec` with the paths that it may find, and the output of find. */
export function followFind(call: Call, started: Started): readonly ShellState[] {
  const found = foundBy(call);
  for (const [at, { text }] of call.args.entries()) {
    if (!STARTS.test(text)) continue;
    const isInFolder = text.endsWith("dir");
    const state = { ...started.state, folder: isInFolder ? null : started.state.folder };
    const words = programAt(call.args, at);
    for (const path of isInFolder ? [`./${UNKNOWN}`] : found)
      startInner(call, filled(words, "{}", path), { ...started, state });
  }
  return printing(found, started.state);
}

const printing = (found: readonly string[], state: ShellState): readonly ShellState[] => [
  { ...state, output: `${state.output + found.join("\n")}\n`, status: "either" },
];

const filled = (words: readonly Word[], mark: string | RegExp, path: string): readonly Word[] =>
  words.map((word) => ({ ...word, text: word.text.replaceAll(mark, () => path) }));

/** Follows the programs of `fd … -x` with the paths that it may find. */
export function followFd(call: Call, started: Started): readonly ShellState[] {
  const { args } = call;
  const at = args.findIndex(({ text }) => FD_PROGRAM.test(text));
  const found = foundBy(call);
  if (at === -1) return printing(found, started.state);
  const end = args.findIndex(({ text }, index) => index > at && text === ";");
  const words = args.slice(at + 1, end === -1 ? undefined : end);
  return found.flatMap((path) => {
    const withPath = filled(words, /\{(?:\/\/?|\.|\/\.)?\}/g, path);
    const isFilled = withPath.some(({ text }, index) => text !== words[index]?.text);
    // Without a mark, the path is the last argument.
    return startInner(call, isFilled ? withPath : [...withPath, plainWord(path, "…")], started);
  });
}
