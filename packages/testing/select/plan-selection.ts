import { lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fullHookName } from "../../../src/discover/candidate-names.ts";
import { type FoundCandidates, findCandidates, type HookFolder } from "../../../src/discover/find-candidates.ts";
import { findAllCandidates, hookFolders } from "../../../src/engine/hooks/candidates.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { isFolder, pathExists, realPathOrSame } from "../../../src/fs/paths.ts";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { GUARD_NAMES } from "../../../src/protocol/guard-settings.ts";
import type { SkippedFile } from "../../../src/protocol/hook.ts";
import { globMatches } from "../../../src/protocol/match.ts";
import type { UsageProblem } from "../../../src/protocol/problem.ts";
import { ProblemError } from "../../../src/protocol/result.ts";
import { unknownHook } from "../../../src/protocol/text/nearest.ts";
import { isPathArgument, quoteHookName } from "../../../src/protocol/text/shell-quote.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { unlessItThrows } from "../scratch/worker.ts";

/** The caller that selects hooks by arguments. */
export interface TestCaller {
  /** Paths are relative to it. */
  readonly cwd: string;
  /** Commands after `hookctl` that test everything again, and the prefix of the command for one hook. */
  readonly again: { readonly all: string; readonly one: string };
  /** Only these of the selected hooks, without cases of guards and of the whole chain; undefined: all. */
  readonly isIncluded?: ((entry: Entry) => boolean) | undefined;
  /** The agents with whose tools each `match` is compared. */
  readonly agents: readonly AgentName[];
  /** Warnings of the settings files. */
  readonly settingsWarnings: readonly Warning[];
}

export type Entry = Pick<SkippedFile, "name" | "path">;

/** Hooks selected by arguments. */
export interface Search {
  /**
   * Without arguments all hooks of the call are selected, and missing ones are reported. A path is an approval for this
   * call; a name is not.
   */
  readonly by: "nothing" | "names" | "folder path" | "file path";
  readonly folders: readonly HookFolder[];
  readonly found: FoundCandidates;
  /** Selects among them. */
  readonly isSelected: (entry: Entry) => boolean;
  /** The command that tests a hook again. */
  readonly again: (entry: Entry) => string;
}

/** The meaning of the arguments, before any hook declares its events. */
export interface TestPlan {
  readonly searches: readonly Search[];
  /** Every name in the searched folders. */
  readonly names: readonly string[];
  /** The built-in guards that arguments name; null if no argument is a name, so cases may be about any. */
  readonly guards: readonly string[] | null;
  /** The hooks of the call, whatever the arguments select. */
  readonly all: FoundCandidates;
  /** False if single hooks are named, so that the chain is not tested. */
  readonly isOfChain: boolean;
}

/** Resolves arguments to folders and names. An unapproved hook of the project is started only if a path names it. */
export function planSelection(
  words: readonly string[],
  context: RunContext,
  { cwd, again: { one: command }, isIncluded = () => true }: TestCaller,
): TestPlan {
  const all = findAllCandidates(context);
  const names = namesOf(all);
  const searches: Search[] = [];
  const wanted: string[] = [];
  const guards: string[] = [];
  for (const word of words) {
    const target = resolvePathArgument(word, context, cwd);
    if (target !== null) {
      const { folder, file, start } = target;
      searches.push({
        by: file === null ? "folder path" : "file path",
        folders: [folder],
        found: findCandidates([folder]),
        isSelected: (entry) => (file === null || entry.path === file) && isIncluded(entry),
        again: ({ path }) => `${command} ${quoteHookName(start + basename(path))}`,
      });
    } else if (names.includes(fullHookName(word, names))) wanted.push(fullHookName(word, names));
    else if (GUARD_NAMES.some((name) => name === word)) guards.push(word);
    else throw new ProblemError(unknownArgument(word, names, pathExists(resolve(cwd, word))));
  }
  const { only } = context.options;
  const isKnown = (glob: string): boolean => [...names, ...GUARD_NAMES].some((name) => globMatches(glob, name));
  if (words.length === 0 && only !== null && names.length > 0 && !isKnown(only))
    throw new ProblemError(unknownArgument(only, names, false));
  const namesHooks = wanted.length + guards.length > 0;
  // The folders of this call hold the cases of guards, too.
  if (words.length === 0 || namesHooks)
    searches.push({
      by: namesHooks ? "names" : "nothing",
      folders: hookFolders(context),
      found: all,
      isSelected: (entry) => (!namesHooks || wanted.includes(entry.name)) && isIncluded(entry),
      again: ({ name }) => `${command} ${quoteHookName(name)}`,
    });
  return {
    searches,
    names: searches.flatMap(({ found }) => namesOf(found)),
    guards: namesHooks ? guards : null,
    all,
    isOfChain: searches.every(({ by }) => by === "nothing" || by === "folder path"),
  };
}

const namesOf = ({ candidates, skipped }: FoundCandidates): readonly string[] =>
  [...candidates, ...skipped].map(({ name }) => name);

/** If a file has the name of an unknown argument, its path may be intended. */
function unknownArgument(word: string, names: readonly string[], isFile: boolean): UsageProblem {
  if (isPathArgument(word)) return { code: "USAGE_NO_SUCH_PATH", path: word };
  return isFile ? { code: "USAGE_UNKNOWN_HOOK", name: word, nearest: `./${word}` } : unknownHook(word, names);
}

interface PathArgument {
  readonly folder: HookFolder;
  /** Only this file of the folder; null if all. */
  readonly file: string | null;
  /** The argument that names a file of the folder, without the name of the file. */
  readonly start: string;
}

/** The file or folder that an argument names; null if it can only be the name of a hook. */
export function resolvePathArgument(word: string, context: RunContext, cwd: string): PathArgument | null {
  if (!isPathArgument(word)) return null;
  const path = resolve(cwd, word);
  if (isFolder(path)) {
    const inner = hooksBelow(path);
    const start = `${word.replace(/\/+$/, "")}/${inner}`;
    return { folder: folderAt(resolve(path, inner), context), file: null, start };
  }
  // A link that leads nowhere is there, too.
  if (unlessItThrows(() => lstatSync(path)) === null) return null;
  const folder = folderAt(dirname(path), context);
  return { folder, file: join(folder.path, basename(path)), start: `${dirname(word)}/` };
}

/** The hooks folder of a project, directly or in its .kodelet. */
const hooksBelow = (path: string): string =>
  [".kodelet/hooks/", ...(basename(path) === ".kodelet" ? ["hooks/"] : [])].find((way) => isFolder(join(path, way))) ??
  "";

/** A folder that belongs to this call anyway keeps its source and its trust rules; any other is treated as a project's. */
function folderAt(path: string, context: RunContext): HookFolder {
  const real = realPathOrSame(path);
  const known = hookFolders(context).find((folder) => realPathOrSame(folder.path) === real);
  return known ?? { path, source: "explicit", projectDir: context.scopes.projectDir, prefix: "" };
}
