import { dirname, join, relative } from "node:path";
import { type FolderNames, isInside } from "../../fs/paths.ts";
import { type FolderModules, modulesAmong, modulesIn } from "./python-text.ts";

/** The folders of one search, as listed and as approved: a deleted file that was approved is still covered. */
export interface SearchedFolders {
  /** The names in a folder, including approved files that were deleted. */
  readonly entries: FolderNames;
  /** The Python modules that can be imported from a folder. */
  readonly modules: (folder: string) => FolderModules;
  /** The files and folders of a module; none if there are only the hook's own. */
  readonly moduleFiles: (folder: string, module: string) => readonly string[];
  /** The compiled files of a module, in `__pycache__`. */
  readonly compiled: (folder: string, module: string) => readonly string[];
  /** The approved files below a folder. */
  readonly approvedBelow: (folder: string) => readonly string[];
  /** A folder of the project and those above it, up to the project's own. */
  readonly above: (folder: string) => readonly string[];
}

interface SearchedPaths {
  readonly project: string;
  /** The approved files. */
  readonly known: readonly string[];
  /** The paths of the hook, which is not a module of its own. */
  readonly itself: ReadonlySet<string>;
  readonly namesIn: FolderNames;
}

export function searchedFolders({ project, known, itself, namesIn }: SearchedPaths): SearchedFolders {
  const sorted = [...known].sort();
  const approvedBelow = (folder: string): readonly string[] => pathsBelow(folder, sorted);
  const approvedNames = (folder: string): ReadonlySet<string> =>
    new Set(approvedBelow(folder).map((path) => relative(folder, path).split("/")[0] ?? ""));
  const entries = remember((folder): ReadonlySet<string> => {
    const names = namesIn(folder);
    const gone = [...approvedNames(folder)].filter((name) => !names.has(name));
    return gone.length === 0 ? names : new Set([...names, ...gone]);
  });
  const modules = remember((folder): FolderModules => {
    const present = modulesIn(folder, namesIn);
    const approved = modulesAmong(approvedNames(folder), folder, entries);
    return [...approved.all].every(([module, names]) => includesAll(present.all.get(module), names))
      ? present
      : modulesAmong(entries(folder), folder, entries);
  });
  const compiledIn = remember((folder) => byModule(entries(folder)));
  return {
    entries,
    modules,
    approvedBelow,
    moduleFiles: (folder, module) =>
      (modules(folder).all.get(module) ?? []).map((name) => join(folder, name)).filter((path) => !itself.has(path)),
    compiled: (folder, module) => {
      const cache = join(folder, "__pycache__");
      return (compiledIn(cache).get(module) ?? []).map((name) => join(cache, name));
    },
    above: (folder) => foldersUpTo(project, folder),
  };
}

const includesAll = (names: readonly string[] | undefined, wanted: readonly string[]): boolean =>
  wanted.every((name) => names?.includes(name));

/** The compiled files of each module: `rules.cpython-312.pyc` is one of `rules`. */
function byModule(names: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const name of names) {
    const module = name.split(".", 1).join("");
    const files = found.get(module);
    if (files === undefined) found.set(module, [name]);
    else files.push(name);
  }
  return found;
}

/** The paths below a folder, out of sorted ones: a hook may have thousands of files. */
function pathsBelow(folder: string, sorted: readonly string[]): readonly string[] {
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? "") < prefix) from = middle + 1;
    else to = middle;
  }
  const found: string[] = [];
  for (let path = sorted[from]; path?.startsWith(prefix); path = sorted[++from]) found.push(path);
  return found;
}

function remember<T>(compute: (folder: string) => T): (folder: string) => T {
  const known = new Map<string, T>();
  return (folder) => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const value = compute(folder);
    known.set(folder, value);
    return value;
  };
}

function foldersUpTo(project: string, from: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = from; isInside(project, folder); folder = dirname(folder)) {
    folders.push(folder);
    if (folder === dirname(folder)) break;
  }
  return folders;
}
