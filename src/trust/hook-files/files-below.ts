import type { Dirent } from "node:fs";
import { join } from "node:path";
import { disk } from "../../fs/disk.ts";
import { isInside, realPathOrSame, statOrNull } from "../../fs/paths.ts";

/** A regular file below a hooks folder. */
export interface FolderFile {
  /** Below the folder, with slashes. */
  readonly name: string;
  readonly path: string;
  readonly isExecutable: boolean;
  readonly isLink: boolean;
}

/** A hook with more files than this cannot be approved. */
const MOST_ENTRIES = 20_000;
const DEEPEST = 16;

/**
 * All regular files below a hooks folder sorted by name, including links and sub-folders, because a package in a sub-folder
 * can be imported like a file. Null if there are too many, or some cannot be read.
 */
export function filesBelow(folder: string): readonly FolderFile[] | null {
  const files: FolderFile[] = [];
  let left = MOST_ENTRIES;
  const visit = (below: string, depth: number): boolean => {
    const entries = entriesOf(join(folder, below));
    return entries !== null && depth <= DEEPEST && entries.every((entry) => take(entry, below, depth));
  };
  const take = (entry: Dirent, below: string, depth: number): boolean => {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    const path = join(folder, name);
    // A name that is not UTF-8 cannot be opened here, but a hook may be able to open it.
    if (left-- === 0 || entry.name.includes("\ufffd")) return false;
    const isLink = entry.isSymbolicLink();
    const stats = entry.isFile() || isLink ? statOrNull(path) : null;
    if (stats?.isFile()) files.push({ name, path, isExecutable: (stats.mode & 0o111) !== 0, isLink });
    if (stats?.isDirectory()) return !leadsUp(path, join(folder, below)) && visit(name, depth + 1);
    return entry.isDirectory() ? visit(name, depth + 1) : true;
  };
  return visit("", 0) ? files.sort((a, b) => (a.name < b.name ? -1 : 1)) : null;
}

/** True for a link to a folder above it, which would recurse without end. */
const leadsUp = (link: string, folder: string): boolean => isInside(realPathOrSame(link), realPathOrSame(folder));

/** No interpreter loads Markdown. */
export const isMarkdown = ({ name }: FolderFile): boolean => name.endsWith(".md");

function entriesOf(folder: string): readonly Dirent[] | null {
  try {
    return disk.readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
}
