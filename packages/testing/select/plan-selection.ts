import { lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fullHookName } from "../../../src/discover/candidate-names.ts";
import { type FoundCandidates, findCandidates, type HookFolder } from "../../../src/discover/find-candidates.ts";
import { findAllCandidates, hookFolders } from "../../../src/engine/hooks/candidates.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { isFolder, pathExists, realPathOrSame } from "../../../src/fs/paths.ts";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { pathErrno } from "../../../src/protocol/errno.ts";
import { GUARD_NAMES } from "../../../src/protocol/guard-settings.ts";
import type { SkippedFile } from "../../../src/protocol/hook.ts";
import { globMatches } from "../../../src/protocol/match.ts";
import type { UsageProblem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { unknownHook } from "../../../src/protocol/text/nearest.ts";
import { isPathArgument, quoteHookName } from "../../../src/protocol/text/shell-quote.ts";
import type { Warning } from "../../../src/protocol/warning.ts";

/** The caller that selects hooks by arguments. */
export interface TestCaller {
  /** Paths are relative to it. */
  readonly cwd: string;
  /** Commands after `hookctl` that test everything again, and the prefix of the command for one hook. */
  readonly again: { readonly all: string; readonly one: string };
  /** Only these of the selected hooks, without cases of guards and of the whole chain; undefined: all. */
  readonly isIncluded?: (entry: Entry) => boolean;
  /** The agents with whose tools each `match` is compared. */
  readonly agents: readonly AgentName[];
  /** Warnings of the settings files. */
  readonly settingsWarnings: readonly Warning[];
}

export type Entry = Pick<SkippedFile, "name" | "path">;

/** Hooks selected by arguments. */
export interface Search {
  readonly found: FoundCandidates;
  /** Selects among them. */
  readonly isSelected: (entry: Entry) => boolean;
  /** The folders of this call, for hooks with the same name. */
  readonly all: FoundCandidates;
  readonly context: RunContext;
  readonly again: (entry: Entry) => string;
  readonly folders: readonly HookFolder[];
  /** The one file that a path names; null for all of the folder. */
  readonly file: string | null;
  /** True: a path named it, which is an approval for this call. */
  readonly isPath: boolean;
  /** True: no argument names a hook, so that those that are missing count, too. */
  readonly isWhole: boolean;
}

/** The meaning of the arguments, before any hook declares its events. */
export interface TestPlan {
  /** The folders that the arguments name, and every name in them. */
  readonly folders: readonly HookFolder[];
  readonly names: readonly string[];
  /** The built-in guards that arguments name; null if no argument is a name, so cases may be about any. */
  readonly guards: readonly string[] | null;
  readonly allFound: FoundCandidates;
  readonly searches: readonly Search[];
  /** False if single hooks are named, so that the chain is not tested. */
  readonly isOfChain: boolean;
}

/**
 * Resolves arguments to folders and names. A path approves the hooks there for this call; a name does not, so an
 * unapproved hook of the project is not started. Without arguments: every hook in `list`.
 */
export function planSelection(
  words: readonly string[],
  context: RunContext,
  { cwd, again: { one: command }, isIncluded = () => true }: TestCaller,
): Result<TestPlan, UsageProblem> {
  const allFound = findAllCandidates(context);
  const names = namesOf(allFound);
  const searches: Search[] = [];
  const inCommand = (wordsOf: Search["again"]) => (entry: Entry) => `${command} ${wordsOf(entry)}`;
  const wanted: string[] = [];
  const guards: string[] = [];
  for (const word of words) {
    const target = resolvePathArgument(word, context, cwd);
    if (target !== null)
      searches.push(searchAt({ ...target, again: inCommand(target.again), isIncluded }, allFound, context));
    else if (names.includes(fullHookName(word, names))) wanted.push(fullHookName(word, names));
    else if (GUARD_NAMES.some((name) => name === word)) guards.push(word);
    else return fail(unknownArgument(word, names, pathExists(resolve(cwd, word))));
  }
  const { only } = context.options;
  const fits =
    only === null || names.length === 0 || [...names, ...GUARD_NAMES].some((name) => globMatches(only, name));
  if (words.length === 0 && only !== null && !fits) return fail(unknownArgument(only, names, false));
  const namesHooks = wanted.length + guards.length > 0;
  const isOfChain = !namesHooks && searches.every(({ file }) => file === null);
  // The folders of this call hold the cases of guards, too.
  if (words.length === 0 || namesHooks) {
    const isSelected = (entry: Entry): boolean =>
      (words.length === 0 || wanted.includes(entry.name)) && isIncluded(entry);
    const again = inCommand(hookArgument);
    const folders = hookFolders(context);
    const isWhole = words.length === 0;
    const all = { found: allFound, all: allFound, context, folders, isWhole };
    searches.push({ ...all, isSelected, again, file: null, isPath: false });
  }
  return ok({
    allFound,
    searches,
    isOfChain,
    guards: namesHooks ? guards : null,
    names: searches.flatMap(({ found }) => namesOf(found)),
    folders: searches.flatMap(({ folders }) => folders),
  });
}

const namesOf = ({ candidates, skipped }: FoundCandidates): readonly string[] =>
  [...candidates, ...skipped].map(({ name }) => name);

/** If a file has the name of an unknown argument, its path may be intended. */
function unknownArgument(word: string, names: readonly string[], isFile: boolean): UsageProblem {
  if (isPathArgument(word)) return { code: "USAGE_NO_SUCH_PATH", path: word };
  return isFile ? { code: "USAGE_UNKNOWN_HOOK", name: word, nearest: `./${word}` } : unknownHook(word, names);
}

function searchAt(
  { folder, file, again, isIncluded }: PathArgument & { readonly isIncluded: (entry: Entry) => boolean },
  all: FoundCandidates,
  context: RunContext,
): Search {
  const isSelected = (entry: Entry): boolean => (file === null || entry.path === file) && isIncluded(entry);
  const trusting: RunContext = { ...context, options: { ...context.options, isTrustedForOneCall: true } };
  const found = findCandidates([folder]);
  return { found, isSelected, all, context: trusting, again, folders: [folder], file, isPath: true, isWhole: false };
}

/** A place that was named on the command line. */
interface PathArgument {
  readonly folder: HookFolder;
  /** Only this file of the folder; null if all. */
  readonly file: string | null;
  readonly again: (entry: { readonly name: string; readonly path: string }) => string;
}

/** The file or folder that an argument names; null if it can only be the name of a hook. */
export function resolvePathArgument(word: string, context: RunContext, cwd: string): PathArgument | null {
  if (!isPathArgument(word)) return null;
  const path = resolve(cwd, word);
  const isAll = isFolder(path);
  if (!isAll && !exists(path)) return null;
  const inner = isAll ? hooksBelow(path) : "";
  const folder = folderAt(isAll ? resolve(path, inner) : dirname(path), context);
  const start = isAll ? `${word.replace(/\/+$/, "")}/${inner}` : `${dirname(word)}/`;
  return {
    folder,
    file: isAll ? null : join(folder.path, basename(path)),
    again: (entry) => quoteHookName(start + basename(entry.path)),
  };
}

/** The hooks folder of a project, directly or in its .kodelet. */
const hooksBelow = (path: string): string =>
  [".kodelet/hooks/", ...(basename(path) === ".kodelet" ? ["hooks/"] : [])].find((way) => isFolder(join(path, way))) ??
  "";

/**
 * A folder that belongs to this call anyway keeps its source and its trust rules; any other is treated as a project's.
 */
function folderAt(path: string, context: RunContext): HookFolder {
  const real = realPathOrSame(path);
  const known = hookFolders(context).find((folder) => realPathOrSame(folder.path) === real);
  return known ?? { path, source: "explicit", projectDir: context.scopes.projectDir, prefix: "" };
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    pathErrno(error);
    return false;
  }
}

const hookArgument = ({ name }: { readonly name: string }): string => quoteHookName(name);
