import { basename, dirname, join } from "node:path";
import { entryNames, followLinks, isRealFolder, statOrNull } from "../../src/fs/paths.ts";
import { isWithin } from "../../src/protocol/text/text.ts";
import { UNKNOWN } from "../../src/shell/unknown.ts";
import type { FileAccess } from "../guards/command/files/file-access.ts";
import type { Examined } from "../guards/examine.ts";
import type { OwnFile } from "../guards/guard.ts";

/**
 * Other paths of the file that an access means: without links, by the name that hookctl knows it by, and of a hard link the
 * file of hookctl that it is. A program's access gets only those of hookctl's files.
 */
export function otherPaths(
  file: FileAccess,
  ownFiles: readonly OwnFile[],
  { folder }: Examined["place"],
): readonly string[] {
  const { path, kind, call, isGlob } = file;
  if (path.includes(UNKNOWN) || (isGlob && call !== null)) return [];
  const found = realPathsOf(file, folder).filter((one) => one !== path);
  const own = [path, ...found].flatMap((one) => ownPaths(one, ownFiles));
  const hard = kind === "read" || kind === "delete" ? [] : hardLinked(path, ownFiles);
  const named = [...new Set([...found, ...own, ...hard])].filter((one) => one !== path);
  return call === null ? named : named.filter((one) => ownFiles.some((file) => isOf(one, file)));
}

/** The paths without links that an access means: as most tools normalize its path, and as the kernel reads it. */
export function realPathsOf({ path, kind, source, call }: FileAccess, folder: string): readonly string[] {
  // Deleting a link leaves the file.
  const real = kind === "delete" ? join(followLinks(dirname(path)), basename(path)) : followLinks(path);
  const isPhysical = call === null && /\/\.\.(?:\/|$)/.test(source) && !source.startsWith("~");
  return [real, ...(isPhysical ? [physicalPath(source, folder)] : [])];
}

const isOf = (path: string, { path: own, isFolder }: OwnFile): boolean =>
  path === own || (isFolder && isWithin(path, own));

/** As the kernel reads it: `..` behind a link is the folder above the link's target. */
function physicalPath(source: string, folder: string): string {
  let at = source.startsWith("/") ? "/" : followLinks(folder);
  for (const part of source.split("/")) {
    if (part === "..") at = dirname(at);
    else if (part !== "" && part !== ".") at = followLinks(join(at, part));
  }
  return at;
}

/** Many file systems ignore case and the form of Unicode characters, and some drop dots and spaces at the end of a name. */
const folded = (path: string): string =>
  path
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[. ]+(?=\/|$)/g, "");

/** The names of hookctl's files are the same for every path of every call. */
const foldedOwn = new WeakMap<readonly OwnFile[], readonly string[]>();

function ownPaths(path: string, ownFiles: readonly OwnFile[]): readonly string[] {
  const name = folded(path);
  const ownNames = foldedOwn.get(ownFiles) ?? ownFiles.map(({ path: own }) => folded(own));
  foldedOwn.set(ownFiles, ownNames);
  return ownFiles.flatMap(({ path: own, isFolder }, index) => {
    const ownName = ownNames[index] ?? "";
    if (name === ownName) return [own];
    return isFolder && name.startsWith(`${ownName}/`) ? [`${own}${path.slice(own.length)}`] : [];
  });
}

/** The file of hookctl that has the same inode. */
function hardLinked(path: string, ownFiles: readonly OwnFile[]): readonly string[] {
  const stats = statOrNull(path);
  if (stats === null || !stats.isFile() || stats.nlink < 2) return [];
  const files = ownFiles.flatMap(({ path: own, isFolder }) => (isFolder ? filesBelow(own, MOST_FOLDERS) : [own]));
  const found = files.find((own) => {
    const other = own === path ? null : statOrNull(own);
    return other?.ino === stats.ino && other.dev === stats.dev;
  });
  return found === undefined ? [] : [found];
}

const MOST_FOLDERS = 4;

/** The files in a folder and in those below it, down to some depth. */
function filesBelow(folder: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  return entryNames(folder)
    .slice(0, 2000)
    .map((name) => join(folder, name))
    .flatMap((path) => (isRealFolder(path) ? filesBelow(path, depth - 1) : [path]));
}
