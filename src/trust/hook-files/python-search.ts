import { join } from "node:path";
import { fileKind } from "../../fs/file-kind.ts";
import { isInside } from "../../fs/paths.ts";
import { filesBelow } from "./files-below.ts";
import {
  ignoresVariables,
  isOldCompiled,
  isStandardModule,
  mayDropVariables,
  pythonImports,
  pythonsIn,
} from "./python-imports.ts";
import type { SearchedFolders } from "./searched-folders.ts";

/**
 * True if the Python in the first line of a text (`python3` without one) supports PYTHONSAFEPATH, which keeps it from
 * loading modules from the folder of its script. False in doubt.
 */
export type SupportsSafePath = (text: string) => boolean;

/** What the search for Python modules takes from the search through a hook's texts, and adds to it. */
interface SurroundingSearch {
  readonly folders: SearchedFolders;
  /** Texts that start programs and so choose the interpreter. */
  readonly starters: readonly string[];
  /** The files of a declared command. */
  readonly first: ReadonlySet<string>;
  /** The approved files. */
  readonly known: ReadonlySet<string>;
  readonly supportsSafePath: SupportsSafePath;
  readonly add: (path: string) => void;
}

/** The modules that the Python programs of a hook can import. A class, because it remembers the programs. */
export class PythonSearch {
  /** True while no program imports a module from its own folder. */
  isAlone = true;
  private readonly search: SurroundingSearch;
  /** Python programs, each with the folder in which Python looks first. */
  private readonly scripts = new Map<string, { readonly folder: string; readonly text: string }>();

  constructor(search: SurroundingSearch) {
    this.search = search;
  }

  follow(folder: string, { key, text }: { readonly key: string; readonly text: string }): void {
    const { modules, isDynamic } = pythonImports(text);
    const inFolder = this.search.folders.modules(folder);
    const beside = modules.filter((module) => inFolder.has(module) && !isStandardModule(module));
    if (beside.length > 0 || isDynamic || /["'\s]-m["'\s]/.test(text)) this.isAlone = false;
    for (const module of beside) this.addModules(folder, module, text);
    this.scripts.set(key, { folder, text });
  }

  addShadows(): void {
    for (const script of this.scripts.values()) this.addShadowsOf(script);
  }

  /** Python looks in the folder of its script first, so a file there can replace any module. */
  private addShadowsOf({ folder, text }: { readonly folder: string; readonly text: string }): void {
    if (this.isAlone && this.isSafe(text)) return;
    const { modules, isDynamic } = pythonImports(text);
    const inFolder = this.search.folders.modules(folder);
    // The imports of a module from elsewhere are unknown.
    const isOpen = isDynamic || modules.some((module) => !isStandardModule(module) && !inFolder.has(module));
    for (const module of inFolder.keys()) {
      if (isOpen || isStandardModule(module) || modules.includes(module)) this.addModules(folder, module, text);
    }
  }

  /** The command that starts a script chooses the Python; the script's first line counts only without such a command. */
  private isSafe(text: string): boolean {
    const pythons = this.search.starters.flatMap(pythonsIn);
    if (this.search.starters.some(mayDropVariables)) return false;
    if (pythons.length === 0 && this.search.first.size > 0 && !text.startsWith("#!")) return false;
    return [...pythons.map((one) => `#!${one}`), text].every((one) => this.search.supportsSafePath(one));
  }

  private addModules(folder: string, module: string, text: string): void {
    for (const name of this.search.folders.modules(folder).get(module) ?? []) this.addModule(join(folder, name));
    this.addCompiled(folder, module, ignoresVariables(text) || this.search.starters.some(mayDropVariables));
  }

  private addModule(path: string): void {
    if (fileKind(path) !== "folder") {
      this.search.add(path);
      return;
    }
    // Of a package only code counts: its data is read by its own code, if at all.
    for (const { path: file } of filesBelow(path) ?? []) {
      if (/\.(?:py|pyc|pyd|so)$/.test(file) && (!file.includes("/__pycache__/") || isOldCompiled(file)))
        this.search.add(file);
    }
    for (const file of this.search.known) if (isInside(path, file)) this.search.add(file);
  }

  private addCompiled(folder: string, module: string, isAll: boolean): void {
    const cache = join(folder, "__pycache__");
    for (const name of this.search.folders.entries(cache)) {
      if (name.startsWith(`${module}.`) && (isAll || isOldCompiled(name))) this.search.add(join(cache, name));
    }
  }
}
