import { posix } from "node:path";
import { UNKNOWN } from "./unknown.ts";
import { asPattern, isGlob, PROJECT, plain, type ShellScope } from "./word-values.ts";

const MOST_FOLDERS = 64;
const MOST_PATHS = 5000;

/** Files that a command may start or read, found in its text. */
export interface NamedFiles {
  /** The paths of the files; true for a path that is part of an approval even if the file does not exist yet. */
  readonly paths: ReadonlyMap<string, boolean>;
  /** The paths that are run or read as code. */
  readonly started: ReadonlySet<string>;
  /** Patterns of files that are started. */
  readonly globs: ReadonlySet<string>;
  /** What the text does not say, described for a person. */
  readonly notCovered: ReadonlySet<string>;
}

/** The directory and variables of a command. Paths may begin with PROJECT, the project's folder. */
export interface ShellPlace {
  readonly folder: string;
  readonly home: string;
  /** Values beside HOOKCTL_PROJECT_DIR and HOME. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** What was found while a command is followed. Order and conditions are ignored, because every part may run. */
export interface Findings extends ShellScope {
  readonly variables: Map<string, Set<string>>;
  readonly folders: Set<string>;
  readonly paths: Map<string, boolean>;
  readonly started: Set<string>;
  readonly globs: Set<string>;
  readonly notCovered: Set<string>;
  readonly functions: Set<string>;
  /** The depth of nested shell texts. */
  depth: number;
  /** Follows text that is run as a command. */
  readonly run: (text: string) => void;
  /** Follows text that may be a command: only the existing files that it starts are part of an approval. */
  readonly guess: (text: string) => void;
  /** Only existing files are part of an approval, because the text may be a message. */
  isGuess: boolean;
  /** A part may run more than once. */
  hasLoop: boolean;
}

/** The variables that are known at the beginning of a command. */
export function knownVariables({ home, variables = {} }: ShellPlace): Map<string, Set<string>> {
  const values = { HOME: home, HOOKCTL_PROJECT_DIR: PROJECT, ...variables };
  return new Map(Object.entries(values).map(([name, value]) => [name, new Set([asPattern(value)])]));
}

export function assign(name: string, value: string, found: Findings): void {
  if (name === "PATH") note(found, name, "it sets its own PATH, so its programs are known only at run time");
  const values = found.variables.get(name) ?? new Set();
  // The directory is tracked separately.
  if (values !== found.folders) found.variables.set(name, values.add(value));
}

/** Adds a file that is run or read as code, even if it does not exist yet. */
export function start(value: string, found: Findings): void {
  read(value, found);
  markStarted(value, found);
}

/** Marks the files that a command was given to run. */
export function markStarted(value: string, found: Findings): void {
  if (value.includes(UNKNOWN) || isGlob(value)) return;
  for (const path of placesOf(value, found)) found.started.add(plain(path));
}

/** Adds a file that is read, even if it does not exist yet. */
export function read(value: string, found: Findings): void {
  if (value.includes(UNKNOWN)) note(found, value, "its file is known only at run time");
  else if (isGlob(value)) for (const path of placesOf(value, found)) found.globs.add(path);
  else for (const path of placesOf(value, found)) take(plain(path), !found.isGuess, found);
}

/** Adds a word that may be a file: with a slash or an extension even if the file does not exist yet. */
export function mention(value: string, found: Findings): void {
  const text = plain(value);
  if (text === "" || text.length > 4096) return;
  const isPath = !found.isGuess && /[/.]\w/.test(text) && !/[\s:]/.test(text);
  for (const path of placesOf(value, found)) take(plain(path), isPath, found);
}

function take(path: string, isSure: boolean, { paths }: Findings): void {
  const before = paths.get(path);
  if (before !== undefined || paths.size < MOST_PATHS) paths.set(path, isSure || before === true);
}

/** The path relative to each possible directory. */
function placesOf(value: string, { folders }: Findings): readonly string[] {
  if (value.startsWith("/") || value.startsWith(PROJECT)) return [normal(value)];
  return [...folders].map((folder) => normal(`${folder}/${value}`));
}

const normal = (path: string): string =>
  path.startsWith(PROJECT)
    ? `${PROJECT}/${posix.normalize(path.slice(1) || ".")}`.replace("//", "/")
    : posix.normalize(path);

export function enter(value: string, found: Findings): void {
  if (value.includes(UNKNOWN) || isGlob(value)) note(found, value, "its folder is known only at run time");
  else for (const folder of placesOf(value, found)) if (found.folders.size < MOST_FOLDERS) found.folders.add(folder);
}

/** Notes what the text does not say. */
export function note(found: Findings, what: string, why: string): void {
  if (!found.isGuess) found.notCovered.add(`${shown(what)}: ${why}`);
}

const shown = (value: string): string =>
  plain(value).replaceAll(UNKNOWN, "").replaceAll(PROJECT, "$HOOKCTL_PROJECT_DIR");

export { PROJECT };
