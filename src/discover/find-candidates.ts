import { isUtf8 } from "node:buffer";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { realPathOrSame } from "../fs/paths.ts";
import type { LocatedEntry } from "../protocol/entry.ts";
import { isPermissionErrno, pathErrno } from "../protocol/errno.ts";
import {
  type Candidate,
  DELETED_FILE_STAMP,
  type FileStamp,
  RANK,
  SKIP_REASONS,
  type SkippedFile,
  type SkipReason,
  type Source,
  UNKNOWN_STAMP,
} from "../protocol/hook.ts";
import { pluginPrefix } from "../protocol/pack-settings.ts";
import { isPathArgument } from "../protocol/text/shell-quote.ts";
import type { Warning } from "../protocol/warning.ts";
import { classifyFile } from "./classify.ts";

const CANDIDATE_LIMIT = 1000;

/** A hooks folder, and the prefix of the names of its files. */
export interface HookFolder {
  readonly path: string;
  readonly source: Source;
  readonly prefix: string;
  /** The project folder that its hooks belong to; null: they are the user's own. */
  readonly projectDir: string | null;
  /** Why it cannot be read, if that is known. */
  readonly problem?: FolderProblem;
  /** Why the folder is not a plugin; then it is not searched. */
  readonly noPlugin?: SkippedFile;
}

type FolderProblem = Extract<Warning, { readonly code: "FOLDER_UNREADABLE" }>;

/** A file or folder that may be or hold a hook, but cannot be examined. `name` is null for a folder. */
export interface UnreadablePlace {
  readonly name: string | null;
  readonly path: string;
  readonly source: Source;
  readonly rank: number;
  readonly cause: string;
}

export interface FoundCandidates {
  readonly candidates: readonly Candidate[];
  readonly skipped: readonly SkippedFile[];
  readonly unseen: readonly UnreadablePlace[];
  readonly searched: readonly string[];
  readonly warnings: readonly Warning[];
}

/** Reasons for which a file that was a hook cannot be started any more. */
export const CANNOT_RUN: ReadonlySet<SkipReason> = new Set(["not_executable", "broken_link", "link_loop"]);

/** Lists the candidates of each folder by names and modes. Opens only regular files and runs nothing. */
export function findCandidates(folders: readonly HookFolder[]): FoundCandidates {
  const found = folders.map(lookInto);
  return {
    candidates: found.flatMap((one) => one.candidates),
    skipped: found.flatMap((one) => one.skipped),
    unseen: found.flatMap((one) => one.unseen),
    searched: folders.flatMap(({ path, noPlugin }) => (noPlugin === undefined ? [path] : [])),
    warnings: found.flatMap((one) => one.warnings),
  };
}

/** A scope's own hooks folder, then those of its plugins. Each folder is one: `org@repo` has the prefix `org/repo/`. */
export function hookFoldersIn(scope: "project" | "user", root: string): readonly HookFolder[] {
  const path = join(root, ".kodelet", "plugins");
  const { files, notUtf8, problem } = entriesOf(path);
  const projectDir = scope === "project" ? root : null;
  const plugins = { path, source: `${scope}-plugin`, projectDir, prefix: "" } as const;
  return [
    { path: join(root, ".kodelet", "hooks"), source: scope, projectDir, prefix: "" },
    ...files.filter(({ isFile }) => !isFile).map(({ name }) => pluginFolder(plugins, name)),
    ...notUtf8.map((name) => ({ ...plugins, noPlugin: skip(plugins, name, "name_not_utf8") })),
    ...(problem === null ? [] : [{ ...plugins, problem }]),
  ];
}

/** A folder such as `.git` holds hooks of its own kind, and is no plugin. */
function pluginFolder(plugins: HookFolder, name: string): HookFolder {
  if (name.startsWith(".")) return { ...plugins, noPlugin: skip(plugins, name, "dotfile") };
  return { ...plugins, path: join(plugins.path, name, "hooks"), prefix: pluginPrefix(name) };
}

function lookInto(folder: HookFolder, index: number): Omit<FoundCandidates, "searched"> {
  if (folder.noPlugin !== undefined) return { candidates: [], skipped: [folder.noPlugin], unseen: [], warnings: [] };
  const { files, notUtf8, problem } =
    folder.problem === undefined ? entriesOf(folder.path) : { ...NOTHING, problem: folder.problem };
  if (problem !== null) return unreadable(folder, index, problem);
  const { source, projectDir } = folder;
  const realFolder = files.length === 0 ? folder.path : realPathOrSame(folder.path);
  const candidates: Candidate[] = [];
  const unseen: UnreadablePlace[] = [];
  const skipped: SkippedFile[] = notUtf8.map((name) => skip(folder, name, "name_not_utf8"));
  for (const { name, isLink } of files) {
    const path = `${folder.path}/${name}`;
    // Only links are resolved one by one; other files share the real path of their folder.
    const kind = classifyFile(path, name, isLink ? null : `${realFolder}/${name}`);
    if (typeof kind === "string") skipped.push(skip(folder, name, kind));
    else if ("unseenBecause" in kind) {
      skipped.push(skip(folder, name, "unreadable"));
      unseen.push({
        name: folder.prefix + name,
        path,
        source,
        rank: RANK.folder + index,
        cause: kind.unseenBecause,
      });
    } else if (candidates.length >= CANDIDATE_LIMIT) skipped.push(skip(folder, name, "too_many"));
    else
      candidates.push({
        ...kind,
        name: folder.prefix + name,
        path,
        source,
        projectDir,
        rank: RANK.folder + index,
        entry: null,
      });
  }
  const isOver = skipped.some((one) => one.reason === "too_many");
  return {
    candidates,
    skipped,
    unseen,
    warnings: isOver ? [{ code: "TOO_MANY_FILES", path: folder.path, limit: CANDIDATE_LIMIT }] : [],
  };
}

function unreadable(folder: HookFolder, index: number, problem: FolderProblem): Omit<FoundCandidates, "searched"> {
  const { path, source } = folder;
  const { cause } = problem;
  const unseen = isPermissionErrno(cause) ? [{ name: null, path, source, rank: RANK.folder + index, cause }] : [];
  return { candidates: [], skipped: [], unseen, warnings: [problem] };
}

const skip = (folder: HookFolder, name: string, reason: SkipReason): SkippedFile => ({
  name: folder.prefix + name,
  path: join(folder.path, name),
  reason,
  detail: SKIP_REASONS[reason],
});

interface Entries {
  /** In byte order. */
  readonly files: readonly { readonly name: string; readonly isLink: boolean; readonly isFile: boolean }[];
  readonly notUtf8: readonly string[];
  readonly problem: FolderProblem | null;
}

const NOTHING: Entries = { files: [], notUtf8: [], problem: null };

function entriesOf(path: string): Entries {
  try {
    // Most folders do not exist, and a thrown error costs more than this check.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return NOTHING;
    const entries = readdirSync(path, { encoding: "buffer", withFileTypes: true });
    const files = entries.filter(({ name }) => isUtf8(name));
    const odd = entries.filter(({ name }) => !isUtf8(name));
    return {
      files: files
        .sort((a, b) => Buffer.compare(a.name, b.name))
        .map((entry) => ({
          name: entry.name.toString("utf8"),
          isLink: entry.isSymbolicLink(),
          isFile: entry.isFile(),
        })),
      notUtf8: odd.map(({ name }) => name.toString("latin1")),
      problem: null,
    };
  } catch (error) {
    const code = pathErrno(error);
    // `.kodelet` itself is a file: then there is no folder either.
    if (code === "ENOTDIR" && !existsSync(path)) return NOTHING;
    return { ...NOTHING, problem: { code: "FOLDER_UNREADABLE", path, cause: code } };
  }
}

/** The entries of the settings files as candidates, with the owner and mode of their file. */
export function declaredCandidates(entries: readonly LocatedEntry[]): readonly Candidate[] {
  const taken = new Set<string>();
  return entries.map((entry): Candidate => {
    const path = freePath(entry, taken);
    taken.add(path);
    const place = {
      rank: RANK.declared + entry.position,
      projectDir: entry.scope === "project" ? entry.folder : null,
    };
    const source = entry.scope === "machine" ? "machine" : "config";
    return { name: entry.name, path, realPath: path, source, ...place, stamp: stampOf(entry.file), entry };
  });
}

/** A path for an entry, by which it is approved: unique, and safe for any name. */
function freePath({ file, name }: LocatedEntry, taken: ReadonlySet<string>): string {
  const path = `${file}${endOf(name)}`;
  if (!taken.has(path)) return path;
  let number = 2;
  while (taken.has(`${path}%${number}`)) number += 1;
  return `${path}%${number}`;
}

/** The settings file in the path of an entry, which ends with the entry's name and possibly a number. */
export function fileOfEntry({ name, path }: Pick<Candidate, "name" | "path">): string {
  const start = path.lastIndexOf(endOf(name));
  return start === -1 ? path : path.slice(0, start);
}

const endOf = (name: string): string => `#${name.replaceAll("%", "%25").replaceAll("/", "%2F")}`;

export function stampOf(file: string): FileStamp {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return DELETED_FILE_STAMP;
    const { dev, ino, size, mtimeMs, ctimeMs, mode, uid, gid } = stats;
    return { device: dev, inode: ino, size, modifiedMs: mtimeMs, changedMs: ctimeMs, mode, owner: uid, group: gid };
  } catch {
    // Writable by all and without an owner: a file that cannot be examined is not safe.
    return { ...UNKNOWN_STAMP, mode: 0o777, owner: -1, group: -1 };
  }
}

/** True if a command line argument names this hook: by its name, or by its path. */
export const matchesHookArgument = (
  word: string,
  hook: { readonly name: string; readonly path: string },
  cwd: string,
): boolean => (isPathArgument(word) ? resolve(cwd, word) === hook.path : word === hook.name);

/** The name of the hook that an argument names without its extension, if no hook has that name: `guard` for `guard.mts`. */
export function fullHookName(word: string, names: readonly string[]): string {
  if (names.includes(word)) return word;
  const longer = new Set(names.filter((name) => name.startsWith(word) && /^\.[a-z]+$/.test(name.slice(word.length))));
  const [only = word] = longer;
  return longer.size === 1 ? only : word;
}
