import { dirname, extname, join, relative } from "node:path";
import { entryNames, isInside } from "../../fs/paths.ts";
import { moduleOf } from "./python-search.ts";

/** The entries of the folders of one search, each folder read once. */
export interface SearchedFolders {
  /** The names in a folder, including approved files that were deleted. */
  readonly entries: (folder: string) => readonly string[];
  /** The modules that can be imported from a folder, each with its files. A folder is a package if it has an `__init__`. */
  readonly modules: (folder: string) => ReadonlyMap<string, readonly string[]>;
  /** A folder of the project and those above it, up to the project's own. */
  readonly above: (folder: string) => readonly string[];
}

/** `known` are the approved files, and `itself` the paths of the hook, which is not a module of its own. */
export function searchedFolders(
  project: string,
  known: ReadonlySet<string>,
  itself: ReadonlySet<string>,
): SearchedFolders {
  const read = new Map<string, readonly string[]>();
  const entries = (folder: string): readonly string[] => {
    const before = read.get(folder);
    if (before !== undefined) return before;
    const approved = [...known].filter((path) => isInside(folder, path) && path !== folder);
    const names = [...entryNames(folder), ...approved.map((path) => relative(folder, path).split("/")[0] ?? "")];
    const unique = [...new Set(names)];
    read.set(folder, unique);
    return unique;
  };
  const modules = (folder: string): ReadonlyMap<string, readonly string[]> => {
    const found = new Map<string, string[]>();
    for (const name of entries(folder)) {
      const module = moduleOf(name);
      if (module === null || itself.has(join(folder, name))) continue;
      const isPackage = (): boolean => entries(join(folder, name)).some((entry) => entry.startsWith("__init__."));
      if (extname(name) === "" && !isPackage()) continue;
      found.set(module, [...(found.get(module) ?? []), name]);
    }
    return found;
  };
  return { entries, modules, above: (folder) => foldersUpTo(project, folder) };
}

function foldersUpTo(project: string, from: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = from; isInside(project, folder); folder = dirname(folder)) {
    folders.push(folder);
    if (folder === dirname(folder)) break;
  }
  return folders;
}
