import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { statOrNull } from "../../fs/file-kind.ts";
import { isInside, realPathOrSame } from "../../fs/paths.ts";

/** A regular file below a hooks folder. */
export interface FolderFile {
  /** Below the folder, with slashes. */
  readonly name: string;
  readonly path: string;
  readonly isExecutable: boolean;
  readonly isLink: boolean;
}

/** More entries than this are no helpers of a hook; the hook is not approved then. */
const MOST_ENTRIES = 20_000;
const DEEPEST = 16;

/**
 * All regular files below a hooks folder in the order of their names, links to files and to folders included. A package
 * in a sub-folder is drawn in as easily as a file, so sub-folders count. Null: there are too many, or something that
 * cannot be looked at, so nobody can vouch for them.
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
    // A name that is not UTF-8 comes mangled and leads nowhere, but a hook may well find the file.
    if (left-- === 0 || entry.name.includes("\ufffd")) return false;
    const isLink = entry.isSymbolicLink();
    const stats = entry.isFile() || isLink ? statOrNull(path) : null;
    if (stats?.isFile()) files.push({ name, path, isExecutable: (stats.mode & 0o111) !== 0, isLink });
    if (stats?.isDirectory()) return !leadsUp(path, join(folder, below)) && visit(name, depth + 1);
    return entry.isDirectory() ? visit(name, depth + 1) : true;
  };
  return visit("", 0) ? files.sort((a, b) => (a.name < b.name ? -1 : 1)) : null;
}

/** A link to a folder that it lies in has no end. */
const leadsUp = (link: string, folder: string): boolean => isInside(realPathOrSame(link), realPathOrSame(folder));

/** No interpreter reads notes. */
export const isMarkdown = ({ name }: FolderFile): boolean => name.endsWith(".md");

function entriesOf(folder: string): readonly Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
}
