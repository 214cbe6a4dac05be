import { constants, type Stats } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { entryServer, type LocatedEntry } from "../protocol/entry.ts";
import { isPermissionErrno, pathErrno } from "../protocol/errno.ts";
import { isReynFile } from "../protocol/settings-file.ts";
import { disk } from "./disk.ts";

/** True if a path is the folder itself or below it. Compares text and does not follow links. */
export function isInside(folder: string, path: string): boolean {
  // The usual case, in a tenth of the time.
  if (isNormal(folder) && isNormal(path))
    return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("../") && way !== ".." && !isAbsolute(way));
}

/** True for an absolute path without `.`, `..`, `//` and, but for the root, a slash at its end. */
const isNormal = (path: string): boolean => path === "/" || (path.startsWith("/") && !/\/\.{0,2}(?:\/|$)/.test(path));

/** The folders above a path, the nearest first. */
export function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

/** The path with all links resolved, or unchanged if that fails. */
export const realPathOrSame = (path: string): string => realPathOrNull(path) ?? path;

export function realPathOrNull(path: string): string | null {
  try {
    return disk.realpathSync(path);
  } catch {
    return null;
  }
}

/** The path that a write to this path changes: resolves links, dangling ones too. A loop of links is left as it is. */
export function followLinks(path: string, steps = 40): string {
  const real = realPathOrNull(path);
  if (real !== null || steps === 0) return real ?? path;
  const above = dirname(path);
  const target = targetOf(path);
  if (target !== null) return followLinks(resolve(realPathOrSame(above), target), steps - 1);
  return above === path ? path : join(followLinks(above, steps), basename(path));
}

/** Null if it is not a link. */
function targetOf(path: string): string | null {
  try {
    return disk.readlinkSync(path);
  } catch {
    return null;
  }
}

/** True if the path exists. False for a dangling link. */
export const pathExists = (path: string): boolean => disk.existsSync(path);

/** True if nothing exists at the path, not even a link. False if that cannot be checked. */
export function isSurelyMissing(path: string): boolean {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** True if a path is in a folder, as text or with links resolved. For a missing path its nearest existing parent counts. */
export const resolvesInside = (folder: string, path: string): boolean =>
  isInside(folder, path) || isInside(folder, nearestRealPath(path));

function nearestRealPath(path: string): string {
  // Checked first: a store often does not exist yet, and a thrown error takes longer than this check.
  const real = disk.existsSync(path) ? realPathOrNull(path) : null;
  if (real !== null) return real;
  const above = dirname(path);
  return above === path ? path : join(nearestRealPath(above), basename(path));
}

/** Follows links; null if the path does not exist or cannot be read. */
export function statOrNull(path: string): Stats | null {
  try {
    // A missing file is common, and a thrown error takes longer than a null.
    return disk.statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Null if there is neither a regular file nor a folder. */
export function fileKind(path: string): "file" | "folder" | null {
  const stats = statOrNull(path);
  return stats?.isFile() ? "file" : stats?.isDirectory() ? "folder" : null;
}

export const isRegularFile = (path: string): boolean => fileKind(path) === "file";
export const isFolder = (path: string): boolean => fileKind(path) === "folder";

/** True for a folder itself, not for a link to a folder. Throws disk errors. */
export const isRealFolder = (path: string): boolean =>
  disk.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** True for a folder, and for a path that cannot be examined. Throws system faults. */
export const mayBeFolder = (path: string): boolean => isOrMayBe(path, (stats) => stats.isDirectory());

/** Why hookctl cannot work in this folder; null if it can, or if the path cannot be examined. */
export function whyNotFolder(path: string): string | null {
  if (mayBeFolder(path)) return null;
  return mayExist(path) ? "it is not a folder" : "there is no such folder";
}

/** False if nothing is there, also behind a link. True for a path that cannot be examined. Throws system faults. */
export const mayExist = (path: string): boolean => isOrMayBe(path, () => true);

/** For what decides which hooks run: a place that cannot be examined may hold a guard. */
function isOrMayBe(path: string, test: (stats: Stats) => boolean): boolean {
  try {
    const stats = disk.statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && test(stats);
  } catch (error) {
    return isPermissionErrno(pathErrno(error));
  }
}

/** True for a regular file that the user may execute. */
export function isProgram(file: string): boolean {
  try {
    disk.accessSync(file, constants.X_OK);
    return isRegularFile(file);
  } catch {
    return false;
  }
}

/** The names in a folder; none if it cannot be read. */
export function entryNames(folder: string): readonly string[] {
  try {
    return disk.readdirSync(folder);
  } catch {
    return [];
  }
}

/** The names in a folder, each folder read once. */
export type FolderNames = (folder: string) => ReadonlySet<string>;

export function createFolderNames(): FolderNames {
  const known = new Map<string, ReadonlySet<string>>();
  return (folder) => {
    const names = known.get(folder) ?? new Set(entryNames(folder));
    known.set(folder, names);
    return names;
  };
}

/** Hooks run in the agent's working directory, if it exists: relative paths in a hook mean files there. */
export const workingFolder = (requested: string, own: string): string => (isFolder(requested) ? requested : own);

/** Declared hooks run in the folder of their settings file, and an MCP server in its own `cwd`. */
export function entryFolder(entry: LocatedEntry): string {
  // Reyn runs the commands of all its files in the project's folder.
  const folder = isReynFile(entry.folder, entry.file) ? entry.folder : dirname(entry.file);
  return resolve(folder, entryServer(entry)?.cwd ?? ".");
}
