import { type Dirent, readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import type { Candidate } from "../contract/hook.ts";
import { isInside } from "../disk/paths.ts";
import { readRegular } from "../disk/read-regular.ts";
import { filesBelow } from "./hooks-folder.ts";
import {
  ignoresVariables,
  isOldCompiled,
  isPython,
  isStandardModule,
  moduleOf,
  pythonImports,
  startsPython,
} from "./python-loads.ts";
import { type Reference, referencesIn } from "./references.ts";

/**
 * Does the Python that a text's first line names (`python3` without one) obey PYTHONSAFEPATH, which keeps it from looking into
 * the folder of its script? In doubt it does not.
 */
export type IsSafePython = (text: string) => boolean;

/** The endings that an interpreter puts behind the name of what it loads. */
const ENDINGS = new Set([
  ...["", ".js", ".mjs", ".cjs", ".json", ".node", ".ts", ".mts", ".cts", ".tsx", ".jsx"],
  ...[".rb", ".so", ".pm", ".pl", ".php", ".lua", ".py", ".sh"],
]);
const INDEX = ["package.json", ...[".js", ".mjs", ".cjs", ".json", ".ts", ".rb", ".lua"].map((end) => `index${end}`)];
/** What these read by themselves, in the folder of a script or above it. */
const AUTOMATIC: readonly (readonly [runs: RegExp, names: readonly string[]])[] = [
  [/\b(?:node|tsx|ts-node|npx)\b|\.[cm]?[jt]s\b/, ["package.json"]],
  [/\b(?:tsx|ts-node|bun)\b/, ["tsconfig.json"]],
  [/\bbun\b/, ["bunfig.toml"]],
  [/\bdeno\b/, ["deno.json", "deno.jsonc"]],
];
/** A longer text is data. */
const LONGEST_TEXT = 1024 * 1024;
const MOST_FILES = 5000;

type Place = Pick<Candidate, "path" | "realPath" | "source" | "projectDir">;

/** True if no Python program of a hook imports a module from its own folder: then Python need not look there. */
export function isPythonAlone(place: Place): boolean {
  const text = textOf(place.realPath);
  // Most hooks are no Python programs and start none.
  if (text === null || !startsPython(text)) return true;
  const search = new Search(place, [], () => true);
  search.follow();
  return search.isPythonAlone;
}

/**
 * The files of the project that a hook can load: those that its text names, and what its interpreter looks for by itself, and
 * so on for each of these; null: too many, or some that cannot be looked at. `known` are the files of its approval: one that was deleted since still counts as named.
 */
export function loadedFiles(
  place: Place,
  known: readonly string[],
  isSafePython: IsSafePython,
): readonly string[] | null {
  const search = new Search(place, known, isSafePython);
  search.follow();
  return search.isTooMuch ? null : [...search.found].sort();
}

/** One walk over the texts of a hook; a class because every step adds to what was found and to what is still to be read. */
class Search {
  readonly found = new Set<string>();
  isTooMuch = false;
  isPythonAlone = true;
  private readonly queue: string[];
  private readonly own: string;
  private readonly project: string;
  private readonly itself: ReadonlySet<string>;
  private readonly bases: readonly string[];
  private readonly folders = new Map<string, readonly string[]>();
  private readonly known: ReadonlySet<string>;
  private readonly isSafePython: IsSafePython;
  private readonly scripts = new Map<string, string>();

  constructor({ path, realPath, source, projectDir }: Place, known: readonly string[], isSafePython: IsSafePython) {
    this.isSafePython = isSafePython;
    const folder = dirname(path);
    this.project = source === "explicit" || projectDir === null ? folder : projectDir;
    const kodelet = join(this.project, ".kodelet");
    this.own = isInside(kodelet, path) ? kodelet : folder;
    this.itself = new Set([path, realPath]);
    this.bases = [...new Set([folder, dirname(realPath), this.project])];
    this.queue = [realPath];
    this.known = new Set(known);
  }

  follow(): void {
    do {
      this.followTexts();
      for (const [path, text] of this.scripts) this.addShadows(path, text);
    } while (this.queue.length > 0 && !this.isTooMuch);
  }

  private followTexts(): void {
    for (let path = this.queue.shift(); path !== undefined && !this.isTooMuch; path = this.queue.shift()) {
      const text = textOf(path);
      if (text === null) continue;
      for (const reference of referencesIn(text)) this.resolveReference(reference, path);
      if (isPython(path, text)) this.followPython(path, text);
      else if (startsPython(text) && /\bpython[\d.]*\s+(?:-\w+\s+)*-m\b/.test(text)) this.isPythonAlone = false;
      this.addAutomatic(path, text);
    }
  }

  private resolveReference({ word, isLoaded }: Reference, from: string): void {
    const words = word.startsWith("/") ? [word, `.${word}`] : [word];
    for (const base of new Set([...this.bases, dirname(from)])) {
      for (const one of words) this.addNamed(resolve(base, one), isLoaded);
    }
    if (isLoaded && /^[@\w]/.test(word)) this.addPackage(word, from);
  }

  /** In the `.kodelet` folder each named file counts; elsewhere a name may be data, such as the path that a guard protects. */
  private addNamed(path: string, isLoaded: boolean): void {
    if (!isInside(this.own, path) && !(isLoaded && isInside(this.project, path))) return;
    if (isInside(path, this.own) || [...this.itself].some((hook) => isInside(path, dirname(hook)))) return;
    this.addAll(path, (one) => this.add(one, isLoaded));
  }

  /** The file itself, and what an interpreter makes of its name by putting an ending behind it. */
  private addAll(path: string, add: (path: string) => void): void {
    const name = basename(path);
    for (const entry of this.entriesIn(dirname(path))) {
      const isMeant = entry === name || (entry.startsWith(`${name}.`) && ENDINGS.has(entry.slice(name.length)));
      if (isMeant) add(join(dirname(path), entry));
    }
  }

  private addIndex(path: string): void {
    if (kindOf(path) !== "folder") this.add(path);
    else for (const name of INDEX) if (this.entriesIn(path).includes(name)) this.add(join(path, name));
  }

  private add(path: string, isLoaded = true): void {
    if (this.itself.has(path) || this.found.has(path)) return;
    const kind = kindOf(path);
    if (kind === "folder" || (kind === null && this.holdsKnown(path))) this.addFolder(path, isLoaded);
    else if (kind === "file" || this.known.has(path)) this.addFile(path);
  }

  private addFile(path: string): void {
    this.found.add(path);
    this.queue.push(path);
    if (this.found.size > MOST_FILES) this.isTooMuch = true;
  }

  /** All of a folder that was made for hooks; of any other only what a loader takes when it is given a folder. */
  private addFolder(folder: string, isLoaded: boolean): void {
    if (!isInside(this.own, folder)) {
      if (isLoaded && kindOf(folder) === "folder") this.addIndex(folder);
      return;
    }
    const files = kindOf(folder) === null ? [] : filesBelow(folder);
    if (files === null) this.isTooMuch = true;
    for (const { path } of files ?? []) if (!/\/(?:__pycache__|\.git)\//.test(path)) this.add(path);
    for (const path of this.known) if (isInside(folder, path)) this.add(path);
  }

  private readonly holdsKnown = (folder: string): boolean =>
    [...this.known].some((path) => path !== folder && isInside(folder, path));

  /** A bare name in JavaScript: the nearest `node_modules` that has it decides. */
  private addPackage(name: string, from: string): void {
    if (!/\.[cm]?[jt]sx?$/.test(from) && !/^#![^\n]*\b(?:node|bun|deno|tsx)\b/.test(textOf(from) ?? "")) return;
    const parts = name.split("/").slice(0, name.startsWith("@") ? 2 : 1);
    for (const folder of this.foldersUp(dirname(from))) {
      const place = join(folder, "node_modules", ...parts);
      const before = this.found.size;
      this.addAll(place, (path) => this.addIndex(path));
      if (this.found.size > before) return;
    }
  }

  private addAutomatic(path: string, text: string): void {
    const shebang = /^#![^\n]*/.exec(text)?.[0] ?? "";
    for (const [runs, names] of AUTOMATIC) {
      if (!runs.test(`${shebang} ${basename(path)}`) && !(names[0] === "bunfig.toml" && runs.test(text))) continue;
      const isNeeded = names[0] !== "package.json" || /["'`]#\w/.test(text);
      for (const folder of this.foldersUp(dirname(path))) {
        // A project's package.json changes all the time, and says of a script in .kodelet only which kind of module it is.
        if (!isNeeded && !isInside(this.own, folder)) continue;
        for (const name of names) if (this.entriesIn(folder).includes(name)) this.add(join(folder, name));
      }
    }
  }

  private followPython(path: string, text: string): void {
    const folder = dirname(path);
    const { modules, isDynamic } = pythonImports(text);
    const inFolder = this.modulesIn(folder);
    const beside = modules.filter((module) => inFolder.has(module) && !isStandardModule(module));
    if (beside.length > 0 || isDynamic || /["'\s]-m["'\s]/.test(text)) this.isPythonAlone = false;
    for (const module of beside) this.addModules(folder, module, text);
    this.scripts.set(path, text);
  }

  /** Python looks into the folder of its script before all others, so a file there can take the place of any module. */
  private addShadows(path: string, text: string): void {
    if (this.isPythonAlone && this.isSafePython(text)) return;
    const folder = dirname(path);
    const { modules, isDynamic } = pythonImports(text);
    const inFolder = this.modulesIn(folder);
    // Nobody knows what a module that came from elsewhere imports in turn.
    const isOpen = isDynamic || modules.some((module) => !isStandardModule(module) && !inFolder.has(module));
    for (const module of inFolder.keys()) {
      if (isOpen || isStandardModule(module) || modules.includes(module)) this.addModules(folder, module, text);
    }
  }

  private addModules(folder: string, module: string, text: string): void {
    for (const name of this.modulesIn(folder).get(module) ?? []) this.addModule(join(folder, name));
    this.addCompiled(folder, module, ignoresVariables(text));
  }

  private addModule(path: string): void {
    if (kindOf(path) !== "folder") {
      this.add(path);
      return;
    }
    // Of a package the code alone: what lies there beside it is read by its own code, if at all.
    for (const { path: file } of filesBelow(path) ?? []) {
      if (/\.(?:py|pyc|pyd|so)$/.test(file) && (!file.includes("/__pycache__/") || isOldCompiled(file))) this.add(file);
    }
    for (const file of this.known) if (isInside(path, file)) this.add(file);
  }

  private addCompiled(folder: string, module: string, isAll: boolean): void {
    const cache = join(folder, "__pycache__");
    for (const name of this.entriesIn(cache)) {
      if (name.startsWith(`${module}.`) && (isAll || isOldCompiled(name))) this.add(join(cache, name));
    }
  }

  /** What can be imported from a folder: module -> the entries that have it. A folder is a package by its `__init__`. */
  private modulesIn(folder: string): ReadonlyMap<string, readonly string[]> {
    const modules = new Map<string, string[]>();
    for (const name of this.entriesIn(folder)) {
      const module = moduleOf(name);
      if (module === null || this.itself.has(join(folder, name))) continue;
      const isBare = extname(name) === "";
      if (isBare && !this.entriesIn(join(folder, name)).some((entry) => entry.startsWith("__init__."))) continue;
      modules.set(module, [...(modules.get(module) ?? []), name]);
    }
    return modules;
  }

  private foldersUp(from: string): readonly string[] {
    const folders: string[] = [];
    for (let folder = from; isInside(this.project, folder); folder = dirname(folder)) {
      folders.push(folder);
      if (folder === dirname(folder)) break;
    }
    return folders;
  }

  /** The names in a folder, with those that the approval knows from there. */
  private entriesIn(folder: string): readonly string[] {
    const before = this.folders.get(folder);
    if (before !== undefined) return before;
    const known = [...this.known].filter((path) => isInside(folder, path) && path !== folder);
    const names = [...namesIn(folder), ...known.map((path) => relative(folder, path).split("/")[0] ?? "")];
    const entries = [...new Set(names)];
    this.folders.set(folder, entries);
    return entries;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry: Dirent) => entry.name);
  } catch {
    return [];
  }
}

function kindOf(path: string): "file" | "folder" | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? "file" : stats?.isDirectory() ? "folder" : null;
  } catch {
    return null;
  }
}

/** Null: it is no text that could name anything. */
function textOf(path: string): string | null {
  try {
    if (statSync(path).size > LONGEST_TEXT) return null;
    const text = readRegular(path, "latin1");
    return text.slice(0, 512).includes("\0") ? null : text;
  } catch {
    return null;
  }
}
