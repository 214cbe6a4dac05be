import { basename, dirname, extname, join, resolve } from "node:path";
import { isFromLoader } from "../../discover/node-loader.ts";
import { createFolderNames, type FolderNames, fileKind, isInside } from "../../fs/paths.ts";
import { createFileReader, type FileReader } from "../../fs/read-file.ts";
import { isWrittenByHooks } from "./command-files.ts";
import { filesBelow } from "./files-below.ts";
import {
  AUTOMATIC,
  ENDINGS,
  type HookProgram,
  INDEX,
  JAVASCRIPT,
  type LoadedFiles,
  MOST_FILES,
  Starters,
} from "./hook-program.ts";
import { type FileReference, findReferences, isShellText, packageFields, readProgramText } from "./program-text.ts";
import { PythonSearch, type SupportsSafePath } from "./python-search.ts";
import {
  foldersEntered,
  inlinePython,
  isPython,
  isStandardModule,
  pythonImports,
  startsPython,
} from "./python-text.ts";
import { type SearchedFolders, searchedFolders } from "./searched-folders.ts";

/** False for a file that hooks write themselves. */
type IsMeant = (path: string) => boolean;

/** True if no Python program of a hook imports a module from its own folder, so that PYTHONSAFEPATH can be set. */
export function importsNothingLocal(place: HookProgram): boolean {
  const { declared, realPath } = place;
  const read = createFileReader();
  const texts = [
    declared?.command ?? "",
    ...(declared === null ? [realPath] : declared.files).map((path) => readProgramText(path, read) ?? ""),
  ];
  // Most hooks neither are nor start Python programs.
  if (!texts.some(startsPython) && !declared?.files.some((path) => isPython(path, ""))) return true;
  const search = new Search(place, [], { supportsSafePath: () => true, read, namesIn: createFolderNames() });
  search.follow();
  return search.python.isAlone;
}

/**
 * Finds the files of the project that a hook can load: those that its text names and those that its interpreter looks
 * for, and so on for each of these. Null if they are too many or some cannot be read. `known` are the approved files: one
 * of them that was deleted is still treated as named.
 */
export function findLoadedFiles(
  place: HookProgram,
  known: readonly string[],
  context: SearchContext,
): LoadedFiles | null {
  const search = new Search(place, known, context);
  search.follow();
  const first = new Set(place.declared?.files);
  const files = [...search.found].filter((path) => !first.has(path)).sort();
  return search.isTooMuch ? null : { files, types: search.types };
}

/** A word of a text, and the files that it may mean. */
interface ResolvedReference extends FileReference {
  readonly paths: readonly string[];
}

interface SearchContext {
  readonly supportsSafePath: SupportsSafePath;
  readonly read: FileReader;
  readonly namesIn: FolderNames;
}

/** The search through the texts of a hook. A class, because each step adds to the files found and to the texts to read. */
class Search {
  readonly found = new Set<string>();
  readonly types = new Map<string, string>();
  isTooMuch = false;
  private readonly queue: string[];
  /** The hooks folder; null for a declared command, which is in none. */
  private readonly own: string | null;
  private readonly project: string;
  private readonly itself: ReadonlySet<string>;
  private readonly bases: readonly string[];
  private readonly folders: SearchedFolders;
  private readonly known: ReadonlySet<string>;
  readonly python: PythonSearch;
  private readonly read: FileReader;
  private readonly texts = new Map<string, string>();
  private readonly starters = new Starters();
  private readonly first: ReadonlySet<string>;
  private readonly command: string | null;

  constructor(place: HookProgram, known: readonly string[], { supportsSafePath, read, namesIn }: SearchContext) {
    this.read = read;
    const { path, realPath, source, projectDir, declared } = place;
    const folder = dirname(path);
    this.project = declared?.project ?? (source === "explicit" || projectDir === null ? folder : projectDir);
    const kodelet = join(this.project, ".kodelet");
    this.own = declared !== null ? null : isInside(kodelet, path) ? kodelet : folder;
    this.itself = new Set(declared === null ? [path, realPath] : []);
    const from = declared === null ? [folder, dirname(realPath)] : [declared.folder];
    this.bases = [...new Set([...from, this.project])];
    this.queue = declared === null ? [realPath] : [...declared.files];
    this.first = new Set(declared?.files);
    this.known = new Set(known);
    this.folders = searchedFolders({ project: this.project, known, itself: this.itself, namesIn });
    const { folders, starters, first } = this;
    const add = (file: string): void => this.add(file);
    this.python = new PythonSearch({ folders, starters, first, supportsSafePath, add });
    this.command = declared?.command ?? null;
  }

  follow(): void {
    if (this.command !== null) this.followInline(this.command);
    do {
      this.followTexts();
      this.python.addShadows();
      for (const [path, text] of this.texts) this.addAutomatic(path, text);
    } while (this.queue.length > 0 && !this.isTooMuch);
  }

  private followTexts(): void {
    for (let path = this.queue.shift(); path !== undefined && !this.isTooMuch; path = this.queue.shift()) {
      const text = this.texts.has(path) ? null : readProgramText(path, this.read);
      if (text === null) continue;
      this.texts.set(path, text);
      const references = this.resolveAll(findReferences(text, isShellText(path, text)), path);
      for (const reference of references) this.addReferenced(reference, path, text);
      if (this.isPythonText(path, text)) this.python.follow(dirname(path), { key: path, text });
      else this.followInline(text);
    }
  }

  /** In `python3 check` neither the name nor the first line of `check` shows that it is Python. */
  private isPythonText(path: string, text: string): boolean {
    if (isPython(path, text)) return true;
    return this.isUnnamed(path, text) && this.starters.startsPython;
  }

  private readonly isUnnamed = (path: string, text: string): boolean =>
    extname(path) === "" && !text.startsWith("#!") && (this.first.has(path) || this.found.has(path));

  /** Python inside a text of another language runs in the folder of the surrounding command. */
  private followInline(text: string): void {
    this.starters.add(text);
    if (!startsPython(text)) return;
    const code = inlinePython(text);
    if (code === null) return;
    const entered = foldersEntered(text).flatMap((one) => this.bases.map((base) => resolve(base, one)));
    for (const folder of new Set([...this.bases, ...entered])) {
      if (isInside(this.project, folder)) this.python.follow(folder, { key: `${folder}\0${text}`, text: code });
    }
    // It may run in another folder and import from there.
    if (pythonImports(code).modules.some((module) => !isStandardModule(module))) this.python.isAlone = false;
  }

  private addReferenced(
    { word, isLoaded, isSurelyLoaded, paths }: ResolvedReference,
    from: string,
    text: string,
  ): void {
    const naming = { projectDir: this.project, text, word, isLoaded: isSurelyLoaded };
    const isMeant = (path: string): boolean => !isWrittenByHooks(path, naming);
    for (const path of paths) this.addAll(path, (one) => this.add(one, isLoaded, isMeant));
    if (isLoaded && /^[@\w]/.test(word)) this.addPackage(word, from);
  }

  /** In `.kodelet` every named file is covered; elsewhere a name may be data, such as a path that a guard protects. */
  private resolveAll(references: readonly FileReference[], from: string): readonly ResolvedReference[] {
    const bases = [...new Set([...this.bases, dirname(from)])];
    const around = [this.own ?? this.project, ...[...this.itself].map((hook) => dirname(hook))];
    return references.map((reference) => {
      const { word, isLoaded } = reference;
      const words = word.startsWith("/") ? [word, `.${word}`] : [word];
      const paths = bases.flatMap((base) => words.map((one) => resolve(base, one)));
      const named = paths.filter((path) => this.isOwn(path) || (isLoaded && isInside(this.project, path)));
      return { ...reference, paths: named.filter((path) => !around.some((folder) => isInside(path, folder))) };
    });
  }

  private readonly isOwn = (path: string): boolean => this.own !== null && isInside(this.own, path);

  /** Adds the file itself, and the files that an interpreter finds by appending an extension. */
  private addAll(path: string, add: (path: string) => void): void {
    const entries = this.folders.entries(dirname(path));
    for (const ending of ENDINGS) {
      const entry = basename(path) + ending;
      if (entries.has(entry)) add(join(dirname(path), entry));
    }
  }

  private addIndex(path: string): void {
    if (fileKind(path) !== "folder") this.add(path);
    else {
      for (const name of INDEX) if (this.folders.entries(path).has(name)) this.add(join(path, name));
      if (!this.folders.entries(path).has("package.json")) return;
      for (const entry of packageFields(join(path, "package.json"), this.read).entries) {
        if (isInside(path, join(path, entry))) this.addAll(join(path, entry), (one) => this.add(one));
      }
    }
  }

  private add(path: string, isLoaded = true, isMeant: IsMeant = () => true): void {
    if (this.itself.has(path) || this.found.has(path)) return;
    const kind = fileKind(path);
    if (kind === "folder" || (kind === null && this.holdsKnown(path))) this.addFolder(path, isLoaded, isMeant);
    else if ((kind === "file" || this.known.has(path)) && isMeant(path)) this.addFile(path);
  }

  private addFile(path: string): void {
    this.found.add(path);
    this.queue.push(path);
    if (this.found.size > MOST_FILES) this.isTooMuch = true;
  }

  /** Adds all files of a hooks folder; of any other folder only the files that a loader takes for it. */
  private addFolder(folder: string, isLoaded: boolean, isMeant: IsMeant): void {
    if (!this.isOwn(folder)) {
      if (isLoaded && fileKind(folder) === "folder") this.addIndex(folder);
      return;
    }
    const files = fileKind(folder) === null ? [] : filesBelow(folder);
    if (files === null) this.isTooMuch = true;
    for (const { path } of files ?? []) if (!/\/(?:__pycache__|\.git)\//.test(path)) this.add(path, true, isMeant);
    for (const path of this.folders.approvedBelow(folder)) this.add(path, true, isMeant);
  }

  private readonly holdsKnown = (folder: string): boolean => this.folders.approvedBelow(folder).length > 0;

  /** Resolves a bare name in JavaScript in the nearest `node_modules` that has it. */
  private addPackage(name: string, from: string): void {
    const text = this.texts.get(from) ?? "";
    if (!this.isJavaScript(from, text)) return;
    if (this.itself.has(from) && isFromLoader(name, from, text)) return;
    const parts = name.split("/").slice(0, name.startsWith("@") ? 2 : 1);
    for (const folder of this.folders.above(dirname(from))) {
      const place = join(folder, "node_modules", ...parts);
      const before = this.found.size;
      this.addAll(place, (path) => this.addIndex(path));
      if (this.found.size > before) return;
    }
  }

  private isJavaScript(path: string, text: string): boolean {
    if (/\.[cm]?[jt]sx?$/.test(path) || JAVASCRIPT.test(/^#![^\n]*/.exec(text)?.[0] ?? "")) return true;
    return this.isUnnamed(path, text) && this.starters.startsJavaScript;
  }

  private addAutomatic(path: string, text: string): void {
    const shebang = /^#![^\n]*/.exec(text)?.[0] ?? "";
    const isJavaScript = this.isJavaScript(path, text);
    const runner = `${shebang} ${basename(path)}`;
    if (isJavaScript && !/\.[cm][jt]s$/.test(path)) this.addType(path);
    for (const [runs, names] of AUTOMATIC) {
      const isRun = runs.test(runner) || (isJavaScript && this.starters.matches(runs));
      if (!isRun && !(names[0] === "bunfig.toml" && runs.test(text))) continue;
      const isNeeded = names[0] !== "package.json" || /["'`]#\w/.test(text);
      for (const folder of this.folders.above(dirname(path))) {
        // A project's package.json changes often, and only its `type` matters to a script.
        if (!isNeeded && !this.isOwn(folder)) continue;
        for (const name of names) if (this.folders.entries(folder).has(name)) this.add(join(folder, name));
      }
    }
  }

  /** The nearest `package.json` chooses the module format of a script, and a script fails in the wrong one. */
  private addType(path: string): void {
    const nearest = this.folders
      .above(dirname(path))
      .find((folder) => fileKind(join(folder, "package.json")) === "file");
    if (nearest === undefined || this.isOwn(nearest)) return;
    const { type } = packageFields(join(nearest, "package.json"), this.read);
    if (type !== null) this.types.set(join(nearest, "package.json"), type);
  }
}
