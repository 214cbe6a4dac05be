import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import { isRegularFile } from "../../fs/file-kind.ts";
import { isInside } from "../../fs/paths.ts";
import { entryFolder } from "../../fs/working-folder.ts";
import { entryCommand, entryServer, type LocatedEntry } from "../../protocol/entry.ts";
import { type NamedFiles, PROJECT } from "../../shell/findings.ts";
import { namedFiles } from "../../shell/named-files.ts";
import { filesMatching } from "./file-patterns.ts";
import { filesNamedInScripts } from "./script-files.ts";
import { isWrittenByHooks } from "./written-files.ts";

/** Names are absolute if the entry has absolute paths, which mean the same file in every checkout; else relative to the project. */
export interface CommandFiles {
  /** Existing files, files that they name, and missing files that would be started. */
  readonly files: readonly string[];
  readonly patterns: readonly string[];
  /** Messages about parts of the command whose files cannot be found. */
  readonly notCovered: readonly string[];
}

const NOTHING: CommandFiles = { files: [], patterns: [], notCovered: [] };

/** Finds the files of the project that the command of an entry starts or names. */
export function findCommandFiles(entry: LocatedEntry, projectDir: string): CommandFiles {
  const server = entryServer(entry);
  const command = server === null ? entryCommand(entry) : [server.command, ...server.args];
  if (command === null) return NOTHING;
  const folder = entryFolder(entry);
  const isWhole = isAbsolute(server?.cwd ?? "") || !isInside(projectDir, folder);
  const start = isWhole ? folder : `${PROJECT}/${relative(projectDir, folder)}`;
  const home = homedir();
  const text = typeof command === "string" ? command : command.join(" ");
  const found = placed(namedFiles(command, { folder: start, home }), projectDir, text);
  return { ...found, files: filesNamedInScripts(found.files, { projectDir, folder, home }) };
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
    const counts = isRegularFile(place) || (isSure && !existsSync(place));
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
