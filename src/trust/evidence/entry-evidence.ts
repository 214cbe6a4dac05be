import { isAbsolute, resolve } from "node:path";
import { createRedactor, redactJson } from "../../audit/redact.ts";
import { sha256Of } from "../../fs/hash.ts";
import { entryFolder } from "../../fs/working-folder.ts";
import type { Evidence } from "../../protocol/approval.ts";
import {
  canonicalEntryText,
  entryCommand,
  entryServer,
  type LocatedEntry,
  type ResolvedEntry,
} from "../../protocol/entry.ts";
import { jsonText } from "../../protocol/json/write.ts";
import { approvalFileName, findCommandFiles } from "../hook-files/command-files.ts";
import { ABSENT, fileListOf, isFileList } from "../hook-files/file-patterns.ts";
import type { DeclaredCommand } from "../hook-files/hook-program.ts";
import { hashUsingSnapshot } from "../store/approved-snapshots.ts";

/**
 * What an approval of a declared hook is bound to: the entry itself, and every file of the project that its command
 * starts or that stands in its `files`. `before` is the approved state, if there is one: as long as the entry is the
 * same it names the same files, and the shell parser is not loaded.
 */
export function entryEvidence(
  entry: LocatedEntry,
  realPath: string,
  projectDir: string,
  { before, trustFile }: { readonly before: Evidence | null; readonly trustFile: string | null },
): Evidence {
  const own = entry.files.map((file) => approvalFileName(projectDir, resolve(projectDir, file), isAbsolute(file)));
  const named =
    before === null ? commandStates(entry, projectDir, trustFile) : currentStates(before, projectDir, trustFile);
  const listed = own.map((name): [string, string] => {
    return [name, hashUsingSnapshot(resolve(projectDir, name), before?.files[name] ?? null, trustFile) ?? ""];
  });
  const files = { ...named, ...Object.fromEntries(listed) };
  // The entry's own text stands for its hash: it is short, and a rule must not cost a hash function on each call.
  return { realPath, sha256: canonicalEntry(entry), mode: 0, owner: 0, helpers: {}, files };
}

/**
 * How a declared hook begins, for the search of what its programs load. `files` are the states of its approval, or those of now:
 * in a call the words of the command are not parsed again. Null: it starts nothing.
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

/** What the command of an entry starts or names, as it is found now. */
function commandStates(entry: LocatedEntry, projectDir: string, trustFile: string | null): States {
  const { files, patterns } = findCommandFiles(entry, projectDir);
  const hashes = files.map(
    (name) => [name, hashUsingSnapshot(resolve(projectDir, name), null, trustFile) ?? ABSENT] as const,
  );
  return Object.fromEntries([...hashes, ...patterns.map((name) => [name, fileListOf(name, projectDir)] as const)]);
}

/** The files of the approved state as they are now. */
function currentStates({ files }: Evidence, projectDir: string, trustFile: string | null): States {
  const now = Object.entries(files).map(([name, before]): [string, string] => {
    if (isFileList(before)) return [name, fileListOf(name, projectDir)];
    const expected = before === ABSENT ? null : before;
    return [
      name,
      hashUsingSnapshot(resolve(projectDir, name), expected, trustFile) ?? (before === ABSENT ? ABSENT : ""),
    ];
  });
  return Object.fromEntries(now);
}

/** The entry as an approval keeps and shows it: a secret of its MCP server stands there as its hash. */
export function canonicalEntry(entry: ResolvedEntry): string {
  if (entry.scheme !== "tool") return canonicalEntryText(entry);
  const { server } = entry;
  const env = Object.entries(server.env).map(([name, value]): [string, string] => {
    return [name, isSecret(name, value) ? `sha256:${sha256Of(value)}` : value];
  });
  return canonicalEntryText({ ...entry, server: { ...server, env: Object.fromEntries(env) } });
}

function isSecret(name: string, value: string): boolean {
  const written = jsonText({ [name]: value });
  return redactJson(written, createRedactor({})) !== written;
}
