import { nameSet, namesIn } from "../../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { type Call, plainWord, type Word } from "../call.ts";
import { hasOption, optionValues, parseOptions } from "../options.ts";

const FIND = nameSet("find gfind bfs");
const FD = nameSet("fd fdfind");

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
  if (isFinder(call)) return call;
  const from = call.program === "xargs" && call.input.kind === "pipe" ? call.input.from.at(-1) : undefined;
  return from !== undefined && isFinder(from) ? from : finderOf(call);
}

const isFinder = ({ program }: Call): boolean => FIND.has(program) || FD.has(program);

export const searchOf = ({ program, args }: Call): Search =>
  FD.has(program) ? fdSearch(args) : { roots: findRoots(args), ...narrow(args) };

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
  const roots: Word[] = [];
  for (const word of args) {
    if (/^-(?:[HLP]|O\d*|D.*)$/.test(word.text)) continue;
    if (/^[-(!]/.test(word.text)) break;
    roots.push(word);
  }
  return roots.length > 0 ? roots : [HERE];
}

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
    const takes = PROGRAM.test(name) ? lengthOfProgram(args, at + 1) : VALUES(name);
    const value = takes > 0 ? (args[at + 1]?.text ?? null) : null;
    primaries.push({ name, value, isNegated: isOuter !== isNegated });
    isNegated = false;
    at += takes;
  }
  return primaries;
}

const PROGRAM = /^-(?:exec|execdir|ok|okdir)$/;

/** The paths that `-prune -o` excludes, unless an action applies to them. */
function pruned(branch: readonly Primary[]): readonly Primary[] {
  const isLeftOut =
    branch.some(({ name }) => name === "-prune") &&
    !branch.some(({ name }) => PROGRAM.test(name) || /^-(?:print|delete|fprint|ls)/.test(name));
  return isLeftOut ? branch.map((one) => ({ ...one, isNegated: true })) : branch;
}

/** The number of words up to `;` or `{} +`. */
function lengthOfProgram(args: readonly Word[], from: number): number {
  const end = args.findIndex(
    ({ text }, at) => at >= from && (text === ";" || (text === "+" && args[at - 1]?.text === "{}")),
  );
  return end < 0 ? args.length - from : end - from + 1;
}

const VALUES = (name: string): number => (name === "-fprintf" ? 2 : TAKES_VALUE.test(name) ? 1 : 0);

const TAKES_VALUE =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|[acm]?newer|newer..|[acm](?:time|min)|used|size|perm|user|group|uid|gid|inum|links|samefile|x?type|fstype|context|maxdepth|mindepth|regextype|printf|fprint0?|fls|files0-from)$/;

const NARROWS =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|[acm]?newer|newer..|[acm](?:time|min)|empty|size|perm|user|uid|inum|samefile)$/;

/** Tests whose contrary nearly every file passes. */
const EXCLUDES = /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|empty|inum|samefile)$/;

function narrow(args: readonly Word[]): Omit<Search, "roots"> {
  const tests = findExpression(args).filter(({ name, value }) => NARROWS.test(name) && value !== "*");
  if (tests.some(({ name, isNegated }) => !isNegated || !EXCLUDES.test(name))) return { isNarrow: true };
  return tests.length > 0 ? { isExcluding: true } : {};
}

/** Tests that a starting point itself hardly passes. */
const NARROWING: ReadonlySet<string> = new Set(
  namesIn(
    "-name -iname -path -ipath -wholename -regex -iregex -size -empty -mtime -mmin -newer -atime -ctime -amin -cmin -mindepth -inum -links -perm -user",
  ),
);

/** Patterns that `.` fits, so that `! -name '.*'` leaves it out. */
const ITSELF = /^\*?\.?\*?$/;

/** The paths that find may find: its starting points, and names below them. */
export function foundBy(args: readonly Word[]): readonly string[] {
  const first = args.findIndex(({ text }) => !/^-(?:[HLP]|O\d*|D)$/.test(text));
  const rest = first === -1 ? [] : args.slice(first);
  const end = rest.findIndex(({ text }) => /^[-(!]/.test(text));
  const starts = (end === -1 ? rest : rest.slice(0, end)).map(({ text }) => text);
  const isNarrow =
    findExpression(rest).some(
      ({ name, value, isNegated }) => NARROWING.has(name) && (!isNegated || ITSELF.test(value ?? "")),
    ) || hasType(rest, "f");
  return pathsBelow(starts.length === 0 ? ["."] : starts, isNarrow);
}

/** Starting points of a search and unknown names below them; a narrow search hardly finds the starting points. */
export const pathsBelow = (starts: readonly string[], isNarrow: boolean): readonly string[] =>
  starts.flatMap((start) => {
    const below = `${start.replace(/\/$/, "")}/${UNKNOWN}`;
    return isNarrow ? [below] : [start, below];
  });

const hasType = (args: readonly Word[], type: string): boolean =>
  args.some(({ text }, at) => text === type && args[at - 1]?.text === "-type");
