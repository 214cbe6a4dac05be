import { basename, dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import { disk } from "../../fs/disk.ts";
import { entryFolder, isInside, isRegularFile } from "../../fs/paths.ts";
import { createFileReader, type FileReader } from "../../fs/read-file.ts";
import { entryCommand, entryServer, type LocatedEntry } from "../../protocol/entry.ts";
import type { Candidate, Hook } from "../../protocol/hook.ts";
import { type NamedFiles, PROJECT } from "../../shell/findings.ts";
import { namedFiles } from "../../shell/named-files.ts";
import { writtenFiles } from "../../shell/written-files.ts";
import { filesMatching } from "./file-patterns.ts";
import { findReferences, isShellText } from "./program-text.ts";

/** Names are absolute if the entry has absolute paths, which mean the same file in every checkout; else relative to the project. */
interface CommandFiles {
  /** Existing files, files that they name, and missing files that would be started. */
  readonly files: readonly string[];
  readonly patterns: readonly string[];
  /** Messages about parts of the command whose files cannot be found. */
  readonly notCovered: readonly string[];
}

const NOTHING: CommandFiles = { files: [], patterns: [], notCovered: [] };

/** Finds the files of the project that the command of an entry starts or names. */
export function findCommandFiles(entry: LocatedEntry, projectDir: string, read = createFileReader()): CommandFiles {
  const server = entryServer(entry);
  const command = server === null ? entryCommand(entry) : [server.command, ...server.args];
  if (command === null) return NOTHING;
  const folder = entryFolder(entry);
  const isWhole = isAbsolute(server?.cwd ?? "") || !isInside(projectDir, folder);
  const start = isWhole ? folder : `${PROJECT}/${relative(projectDir, folder)}`;
  const home = process.getBuiltinModule("node:os").homedir();
  const text = typeof command === "string" ? command : command.join(" ");
  const found = placed(namedFiles(command, { folder: start, home }), projectDir, text);
  return { ...found, files: filesNamedInScripts(found.files, { projectDir, folder, home, read }) };
}

/** Keeps the files inside the project: existing ones, and missing ones that would be started. */
function placed({ paths, started, globs, notCovered }: NamedFiles, projectDir: string, text: string): CommandFiles {
  const patterns = [...globs].map(nameOf).filter((pattern) => isOurs(pattern, projectDir));
  const meant = patterns.flatMap((pattern) =>
    filesMatching(pattern, projectDir).map((path) => approvalFileName(projectDir, path, isAbsolute(pattern))),
  );
  const named = [...paths].flatMap(([path, isSure]) => {
    const name = nameOf(path);
    const place = resolve(projectDir, name);
    if (isWrittenByHooks(place, { projectDir, text, word: basename(name), isLoaded: started.has(path) })) return [];
    const counts = isRegularFile(place) || (isSure && !disk.existsSync(place));
    return counts && isOurs(name, projectDir) ? [name] : [];
  });
  return { files: [...new Set([...named, ...meant])], patterns, notCovered: [...notCovered] };
}

/** Absolute if the entry has it so; else relative, so that the approval also fits another checkout. */
export const approvalFileName = (projectDir: string, path: string, isWhole: boolean): string =>
  isWhole || !isInside(projectDir, path) ? path : relative(projectDir, path);

const nameOf = (path: string): string => (path.startsWith(PROJECT) ? path.slice(1).replace(/^\/+/, "") : path);

const isOurs = (name: string, projectDir: string): boolean =>
  name !== "" && (isAbsolute(name) ? isInside(projectDir, name) : isInside(projectDir, join(projectDir, name)));

interface ScriptContext {
  readonly projectDir: string;
  /** Where the command runs. */
  readonly folder: string;
  readonly home: string;
  readonly read: FileReader;
}

const MOST_FILES = 500;
const LARGEST_TEXT_BYTES = 256 * 1024;

/** Returns scripts with the files that they name, and the files that those name in turn. */
function filesNamedInScripts(files: readonly string[], place: ScriptContext): readonly string[] {
  const all = new Set(files);
  for (const name of all) {
    if (all.size > MOST_FILES) break;
    for (const file of namedInText(name, place)) all.add(file);
  }
  return [...all];
}

function namedInText(name: string, place: ScriptContext): readonly string[] {
  const { projectDir } = place;
  const path = resolve(projectDir, name);
  const found = place.read(path);
  if (!found.ok || found.value === null || found.value.length > LARGEST_TEXT_BYTES || found.value.includes(0))
    return [];
  const text = found.value.toString("utf8");
  const paths = isShellText(path, text) ? namedByShell(text, path, place) : namedByProgram(text, path, place);
  const isOurs = (one: string): boolean => one !== path && isInside(projectDir, one) && isRegularFile(one);
  return [...new Set(paths)].filter(isOurs).map((one) => (isAbsolute(name) ? one : relative(projectDir, one)));
}

function namedByShell(text: string, path: string, { projectDir, folder, home }: ScriptContext): readonly string[] {
  const variables = { "0": path, BASH_SOURCE: path };
  const { paths, started } = namedFiles(text, { folder, home, variables });
  const whole = (one: string): string => (one.startsWith(PROJECT) ? join(projectDir, one.slice(1)) : one);
  const isMeant = (one: string): boolean => {
    return !isWrittenByHooks(whole(one), { projectDir, text, word: basename(one), isLoaded: started.has(one) });
  };
  return [...paths.keys()].filter(isMeant).map(whole);
}

/** Finds quoted paths and Python imports, relative to the script and to the working directory. */
function namedByProgram(text: string, path: string, { projectDir, folder }: ScriptContext): readonly string[] {
  const words = new Set<string>();
  for (const [, word] of text.matchAll(/["'`]([\w@./+-]{1,200})["'`]/g)) if (word !== undefined) words.add(word);
  const modules = new Set<string>();
  if (extname(path) === ".py" || /^#!.*\bpython/.test(text)) {
    for (const [, from, names] of text.matchAll(
      /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+([\w., \t]{1,500})/gm,
    )) {
      const each = (names ?? "").split(",").map((name) => name.trim().split(/\s/)[0] ?? "");
      for (const name of each) modules.add(from === undefined ? name : `${from}.${name}`);
      if (from !== undefined) modules.add(from);
    }
  }
  const loaded = new Set(
    findReferences(text, false).flatMap(({ word, isSurelyLoaded }) => (isSurelyLoaded ? word : [])),
  );
  const imported = [...modules].flatMap((module) => {
    const file = module.replaceAll(".", "/").replace(/^\/+/, "");
    return file === "" ? [] : [`${file}.py`, `${file}/__init__.py`];
  });
  return [dirname(path), folder].flatMap((base) => {
    const named = [...words].flatMap((word) => {
      const naming = { projectDir, text, word, isLoaded: loaded.has(word) };
      const ends = ENDINGS.map((ending) => resolve(base, word + ending));
      return ends.filter((one) => !isWrittenByHooks(one, naming));
    });
    return [...named, ...imported.map((one) => resolve(base, one))];
  });
}

const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".json", ".rb", ".pl", ".pm", ".lua", "/index.js", "/index.ts"];

/** A file name in a text. */
interface FileMention {
  readonly projectDir: string;
  readonly text: string;
  readonly word: string;
  /** The text loads or starts the file. */
  readonly isLoaded: boolean;
}

const CODE = /\.(?:[cm]?[jt]sx?|py[cdw]?|rb|p[lm]|php|lua|(?:ba|da|z|k|a)?sh|so|node|wasm|jar|exe)$/i;
const ASSIGNED = /^\s*(?:(?:export|const|let|var|local|readonly|my|our)\s+)*\$?(\w+)\s*(?::[^=]*)?=/;
const APPENDS = />>|\btee\s+(?:-a|--append)\b|append|["'`]a[bt+]{0,2}["'`]/i;

/**
 * True for a data file that hooks write themselves, such as a log. It is not part of an approval, or a hook would change
 * itself by writing it. Code is always part of the approval, and so is every file that a text loads or starts.
 */
export function isWrittenByHooks(path: string, { projectDir, text, word, isLoaded }: FileMention): boolean {
  if (isLoaded || CODE.test(path)) return false;
  if (isInside(join(projectDir, ".kodelet", "state"), path) || /\.log$/i.test(path)) return true;
  // A JSON Lines file may also hold rules, so it is a log only if the text appends to it.
  return /\.(?:jsonl|ndjson)$/i.test(path) && appends(text, word);
}

/** True if a text appends to the file, by its name or by a variable that holds the name. */
function appends(text: string, word: string): boolean {
  const lines = text.split("\n");
  const named = lines.filter((line) => line.includes(word));
  const variables = new Set(named.flatMap((line) => ASSIGNED.exec(line)?.[1] ?? []));
  const isMeant = (line: string): boolean => line.includes(word) || line.split(/\W+/).some((one) => variables.has(one));
  return lines.some((line) => APPENDS.test(line) && isMeant(line));
}

type DeclaredHook = Pick<Candidate | Hook, "entry" | "projectDir">;

/** The shell text of an entry that may redirect output. */
export function redirectingCommand({ entry }: Pick<DeclaredHook, "entry">): string | null {
  const command = entry === null ? null : entryCommand(entry);
  return typeof command === "string" && command.includes(">") ? command : null;
}

/** The files to which the command of a hook redirects its output, as it names them. */
export function redirectedFiles(hook: Pick<DeclaredHook, "entry">): readonly string[] {
  const command = redirectingCommand(hook);
  return command === null ? [] : writtenFiles(command).filter((file) => !isInside("/dev", file));
}

/** Those outside its project. A sandbox grants them, so a person who approves the command must see them. */
export function filesOutsideProject(hook: DeclaredHook): readonly string[] {
  const { entry, projectDir } = hook;
  if (entry === null || projectDir === null) return [];
  const paths = redirectedFiles(hook).map((file) => resolve(entryFolder(entry), file));
  return paths.filter((path) => !isInside(projectDir, path));
}
