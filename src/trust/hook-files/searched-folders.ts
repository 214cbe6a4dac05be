import { dirname, extname, join, relative } from "node:path";
import { entryNames } from "../../fs/file-kind.ts";
import { isInside } from "../../fs/paths.ts";
import { moduleOf } from "./python-imports.ts";

/** The entries of the folders of one search, each folder read once. */
export class SearchedFolders {
  private readonly read = new Map<string, readonly string[]>();
  private readonly project: string;
  private readonly known: ReadonlySet<string>;
  private readonly itself: ReadonlySet<string>;

  constructor(project: string, known: ReadonlySet<string>, itself: ReadonlySet<string>) {
    this.project = project;
    this.known = known;
    this.itself = itself;
  }

  /** The modules that can be imported from a folder, each with its files. A folder is a package if it has an `__init__`. */
  modules(folder: string): ReadonlyMap<string, readonly string[]> {
    const modules = new Map<string, string[]>();
    for (const name of this.entries(folder)) {
      const module = moduleOf(name);
      if (module === null || this.itself.has(join(folder, name))) continue;
      const isBare = extname(name) === "";
      if (isBare && !this.entries(join(folder, name)).some((entry) => entry.startsWith("__init__."))) continue;
      modules.set(module, [...(modules.get(module) ?? []), name]);
    }
    return modules;
  }

  /** A folder of the project and those above it, up to the project's own. */
  above(from: string): readonly string[] {
    const folders: string[] = [];
    for (let folder = from; isInside(this.project, folder); folder = dirname(folder)) {
      folders.push(folder);
      if (folder === dirname(folder)) break;
    }
    return folders;
  }

  /** The names in a folder, including approved files that were deleted. */
  entries(folder: string): readonly string[] {
    const before = this.read.get(folder);
    if (before !== undefined) return before;
    const known = [...this.known].filter((path) => isInside(folder, path) && path !== folder);
    const names = [...entryNames(folder), ...known.map((path) => relative(folder, path).split("/")[0] ?? "")];
    const entries = [...new Set(names)];
    this.read.set(folder, entries);
    return entries;
  }
}
