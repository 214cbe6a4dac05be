import { fileKind } from "../../fs/paths.ts";
import { filesBelow } from "./files-below.ts";
import type { Starters } from "./hook-program.ts";
import { ignoresVariables, isOldCompiled, isStandardModule, type PythonImports, pythonImports } from "./python-text.ts";
import type { SearchedFolders } from "./searched-folders.ts";

/**
 * True if the Python in the first line of a text (`python3` without one) supports PYTHONSAFEPATH, which keeps it from
 * loading modules from the folder of its script. False in doubt.
 */
export type SupportsSafePath = (text: string) => boolean;

/** What the search for Python modules takes from the search through a hook's texts, and adds to it. */
interface SurroundingSearch {
  readonly folders: SearchedFolders;
  readonly starters: Starters;
  /** The files of a declared command. */
  readonly first: ReadonlySet<string>;
  readonly supportsSafePath: SupportsSafePath;
  readonly add: (path: string) => void;
}

/** The modules that the Python programs of a hook can import. A class, because it remembers the programs. */
export class PythonSearch {
  /** True while no program imports a module from its own folder. */
  isAlone = true;
  private readonly search: SurroundingSearch;
  /** Python programs, each with the folder in which Python looks first. */
  private readonly scripts = new Map<string, Script>();
  /** What was added already: many programs of one folder import the same modules. */
  private readonly added = new Set<string>();

  constructor(search: SurroundingSearch) {
    this.search = search;
  }

  follow(folder: string, { key, text }: { readonly key: string; readonly text: string }): void {
    const imports = pythonImports(text);
    const script = { folder, text, ...imports };
    const beside = imports.modules.filter((module) => !isStandardModule(module) && this.isIn(folder, module));
    if (beside.length > 0 || imports.isDynamic || /["'\s]-m["'\s]/.test(text)) this.isAlone = false;
    this.addModules(beside, script);
    this.scripts.set(key, script);
  }

  addShadows(): void {
    for (const script of this.scripts.values()) this.addShadowsOf(script);
  }

  /** Python looks in the folder of its script first, so a file there can replace any module. */
  private addShadowsOf(script: Script): void {
    const { folder, text, modules, isDynamic } = script;
    if (this.isAlone && this.isSafe(text)) return;
    const { all, standard } = this.search.folders.modules(folder);
    // The imports of a module from elsewhere are unknown.
    const isOpen = isDynamic || modules.some((module) => !isStandardModule(module) && !this.isIn(folder, module));
    if (!isOpen) this.addModules([...standard, ...modules], script);
    else if (this.isNew("*", script)) this.addModules([...all.keys()], script);
  }

  private readonly isIn = (folder: string, module: string): boolean =>
    this.search.folders.moduleFiles(folder, module).length > 0;

  /** The command that starts a script chooses the Python; the script's first line matters only without such a command. */
  private isSafe(text: string): boolean {
    const { pythons, mayDropVariables } = this.search.starters;
    if (mayDropVariables) return false;
    if (pythons.size === 0 && this.search.first.size > 0 && !text.startsWith("#!")) return false;
    return [...[...pythons].map((one) => `#!${one}`), text].every((one) => this.search.supportsSafePath(one));
  }

  private addModules(modules: readonly string[], script: Script): void {
    for (const module of modules) if (this.isNew(module, script)) this.addModule(script.folder, module, script.text);
  }

  /** False if it was added from this folder already, with the same compiled files. */
  private isNew(module: string, { folder, text }: Script): boolean {
    const key = `${folder}\0${module}\0${this.isAllCompiled(text)}`;
    if (this.added.has(key)) return false;
    this.added.add(key);
    return true;
  }

  private addModule(folder: string, module: string, text: string): void {
    const files = this.search.folders.moduleFiles(folder, module);
    for (const file of files) this.addModuleFile(file);
    if (files.length === 0) return;
    const isAll = this.isAllCompiled(text);
    for (const file of this.search.folders.compiled(folder, module))
      if (isAll || isOldCompiled(file)) this.search.add(file);
  }

  private readonly isAllCompiled = (text: string): boolean =>
    this.search.starters.mayDropVariables || ignoresVariables(text);

  private addModuleFile(path: string): void {
    if (fileKind(path) !== "folder") {
      this.search.add(path);
      return;
    }
    // Of a package only code is covered: its data is read by its own code, if at all.
    for (const { path: file } of filesBelow(path) ?? []) {
      if (/\.(?:py|pyc|pyd|so)$/.test(file) && (!file.includes("/__pycache__/") || isOldCompiled(file)))
        this.search.add(file);
    }
    for (const file of this.search.folders.approvedBelow(path)) this.search.add(file);
  }
}

interface Script extends PythonImports {
  readonly folder: string;
  readonly text: string;
}
