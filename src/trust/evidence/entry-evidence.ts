import { isAbsolute, resolve } from "node:path";
import { entryFolder } from "../../fs/paths.ts";
import type { Evidence } from "../../protocol/approval.ts";
import { entryCommand, entryServer, type LocatedEntry } from "../../protocol/entry.ts";
import { ownValue } from "../../protocol/own-value.ts";
import { approvalFileName, findCommandFiles } from "../hook-files/command-files.ts";
import { fileListOf, isFileList, MISSING_FILE } from "../hook-files/file-patterns.ts";
import type { DeclaredCommand } from "../hook-files/hook-program.ts";
import { type HashContext, hashUsingSnapshot } from "../store/approved-snapshots.ts";
import { canonicalEntry } from "./canonical-entry.ts";

/**
 * The evidence for a declared hook: the entry itself, and every file of the project that its command starts or that is
 * listed in its `files`. With the approved state in `before` the shell parser is not loaded: the same entry names the
 * same files.
 */
export function entryEvidence(
  entry: LocatedEntry,
  realPath: string,
  projectDir: string,
  { before, ...context }: HashContext & { readonly before: Evidence | null },
): Evidence {
  const own = entry.files.map((file) => approvalFileName(projectDir, resolve(projectDir, file), isAbsolute(file)));
  const named =
    before === null ? commandStates(entry, projectDir, context) : currentStates(before, projectDir, context);
  const listed = own.map((name): [string, string] => {
    return [
      name,
      hashUsingSnapshot(resolve(projectDir, name), ownValue(before?.files ?? {}, name) ?? null, context) ?? "",
    ];
  });
  const files = { ...named, ...Object.fromEntries(listed) };
  // The entry's text and not its hash: it is short, and loading a hash function takes 3 ms of each call.
  return { realPath, sha256: canonicalEntry(entry), mode: 0, owner: 0, helpers: {}, files };
}

/**
 * The command of a declared hook, as the start of the search for the files that it loads. `files` are those of its
 * evidence, so that the command is not parsed again. Null if the entry starts no program.
 */
export function declaredCommand(entry: LocatedEntry, projectDir: string, files: States): DeclaredCommand | null {
  const server = entryServer(entry);
  const command = server === null ? entryCommand(entry) : [server.command, ...server.args];
  if (command === null) return null;
  const named = Object.keys(files).filter((name) => !isFileList(files[name] ?? ""));
  return {
    command: typeof command === "string" ? command : command.join(" "),
    folder: entryFolder(entry),
    project: projectDir,
    files: named.map((name) => resolve(projectDir, name)),
  };
}

type States = Readonly<Record<string, string>>;

/** The current state of the files that the command of an entry starts or names. */
function commandStates(entry: LocatedEntry, projectDir: string, context: HashContext): States {
  const { files, patterns } = findCommandFiles(entry, projectDir, context.read);
  const hashes = files.map(
    (name) => [name, hashUsingSnapshot(resolve(projectDir, name), null, context) ?? MISSING_FILE] as const,
  );
  return Object.fromEntries([...hashes, ...patterns.map((name) => [name, fileListOf(name, projectDir)] as const)]);
}

/** The current state of the approved files. */
function currentStates({ files }: Evidence, projectDir: string, context: HashContext): States {
  const now = Object.entries(files).map(([name, before]): [string, string] => {
    if (isFileList(before)) return [name, fileListOf(name, projectDir)];
    const expected = before === MISSING_FILE ? null : before;
    return [
      name,
      hashUsingSnapshot(resolve(projectDir, name), expected, context) ?? (before === MISSING_FILE ? MISSING_FILE : ""),
    ];
  });
  return Object.fromEntries(now);
}
