import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { disk } from "../fs/disk.ts";
import { realPathOrSame } from "../fs/paths.ts";
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
import { pluginPrefix } from "../protocol/settings-file.ts";
import type { Warning } from "../protocol/warning.ts";

const CANDIDATE_LIMIT = 1000;

/** A hooks folder, and the prefix of the names of its files. */
export interface HookFolder {
  readonly path: string;
  readonly source: Source;
  readonly prefix: string;
  /** The project folder that its hooks belong to; null for the user's hooks. */
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

type Collected = {
  readonly [Key in keyof Omit<FoundCandidates, "searched">]: FoundCandidates[Key][number][];
};

/** Lists the candidates of each folder by names and modes. Opens only regular files and runs nothing. */
export function findCandidates(folders: readonly HookFolder[]): FoundCandidates {
  const found: Collected = { candidates: [], skipped: [], unseen: [], warnings: [] };
  for (const [index, folder] of folders.entries()) {
    if (folder.noPlugin === undefined) searchFolder(folder, RANK.folder + index, found);
    else found.skipped.push(folder.noPlugin);
  }
  return { ...found, searched: folders.flatMap(({ path, noPlugin }) => (noPlugin === undefined ? [path] : [])) };
}

/** The hooks folder of a scope, then those of its plugins. Each folder is a plugin: `org@repo` has the prefix `org/repo/`. */
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

function searchFolder(folder: HookFolder, rank: number, found: Collected): void {
  const { source, projectDir } = folder;
  const { files, notUtf8, problem } = folder.problem === undefined ? entriesOf(folder.path) : failed(folder.problem);
  if (problem !== null) {
    found.warnings.push(problem);
    if (isPermissionErrno(problem.cause))
      found.unseen.push({ name: null, path: folder.path, source, rank, cause: problem.cause });
  }
  found.skipped.push(...notUtf8.map((name) => skip(folder, name, "name_not_utf8")));
  const realFolder = files.length === 0 ? folder.path : realPathOrSame(folder.path);
  const before = found.candidates.length;
  let isOver = false;
  for (const { name, isLink } of files) {
    const path = `${folder.path}/${name}`;
    const at = { name: folder.prefix + name, path, source, rank };
    // Only links are resolved one by one; other files share the real path of their folder.
    const kind = classifyFile(path, name, isLink ? null : `${realFolder}/${name}`);
    if (typeof kind === "string") found.skipped.push(skip(folder, name, kind));
    else if ("unseenBecause" in kind) {
      found.skipped.push(skip(folder, name, "unreadable"));
      found.unseen.push({ ...at, cause: kind.unseenBecause });
    } else if (found.candidates.length - before < CANDIDATE_LIMIT)
      found.candidates.push({ ...kind, ...at, projectDir, entry: null });
    else {
      found.skipped.push(skip(folder, name, "too_many"));
      isOver = true;
    }
  }
  if (isOver) found.warnings.push({ code: "TOO_MANY_FILES", path: folder.path, limit: CANDIDATE_LIMIT });
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

const failed = (problem: FolderProblem | null): Entries => ({ files: [], notUtf8: [], problem });

function entriesOf(path: string): Entries {
  try {
    // Most folders do not exist, and a thrown error costs more than this check.
    if (disk.statSync(path, { throwIfNoEntry: false }) === undefined) return failed(null);
    // One character per byte, so that no name is lost.
    const entries = disk.readdirSync(path, { encoding: "latin1", withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    return {
      files: entries.flatMap((entry) => {
        const name = nameInUtf8(entry.name);
        return name === null ? [] : [{ name, isLink: entry.isSymbolicLink(), isFile: entry.isFile() }];
      }),
      notUtf8: entries.map(({ name }) => name).filter((name) => nameInUtf8(name) === null),
      problem: null,
    };
  } catch (error) {
    const code = pathErrno(error);
    // `.kodelet` itself is a file: then there is no folder either.
    if (code === "ENOTDIR" && !disk.existsSync(path)) return failed(null);
    return failed({ code: "FOLDER_UNREADABLE", path, cause: code });
  }
}

/** The name of these bytes, one character each; null if they are not UTF-8. */
function nameInUtf8(name: string): string | null {
  if (!/[\x80-\xff]/.test(name)) return name;
  const bytes = Buffer.from(name, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : null;
}

/** A candidate; a file that cannot be examined, so that it may be a hook; or why the file is skipped. */
type FileKind = Pick<Candidate, "realPath" | "stamp"> | { readonly unseenBecause: string } | SkipReason;

const BACKUP = /(~|\.bak|\.sample|\.swp)$/;

/**
 * Decides whether an entry of a hooks folder is a candidate, or why it is skipped. Never opens a FIFO, socket or device.
 * `ownRealPath` is null for a link, which is followed.
 */
export function classifyFile(path: string, name: string, ownRealPath: string | null): FileKind {
  if (name.endsWith(".disable")) return "disabled";
  if (BACKUP.test(name)) return "backup";
  if (name.startsWith(".")) return "dotfile";
  try {
    const stats = disk.statSync(path);
    if (stats.isDirectory()) return "sub_folder";
    if (!stats.isFile()) return "not_regular";
    if ((stats.mode & 0o111) === 0) return "not_executable";
    return { realPath: ownRealPath ?? disk.realpathSync(path), stamp: stampOf(stats) };
  } catch (error) {
    const code = pathErrno(error);
    if (isPermissionErrno(code)) return { unseenBecause: code };
    if (code === "ELOOP") return "link_loop";
    return ownRealPath === null && code === "ENOENT" ? "broken_link" : "unreadable";
  }
}

const stampOf = (stats: Stats): FileStamp => ({
  device: stats.dev,
  inode: stats.ino,
  size: stats.size,
  modifiedMs: stats.mtimeMs,
  changedMs: stats.ctimeMs,
  mode: stats.mode,
  owner: stats.uid,
  group: stats.gid,
});

export function stampOfFile(file: string): FileStamp {
  try {
    const stats = disk.statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? DELETED_FILE_STAMP : stampOf(stats);
  } catch {
    // Writable by all and without an owner: a file that cannot be examined is not safe.
    return { ...UNKNOWN_STAMP, mode: 0o777, owner: -1, group: -1 };
  }
}
