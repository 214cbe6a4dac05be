import { type Dirent, readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";

/** A regular file below a hooks folder. */
export interface FolderFile {
  /** Below the folder, with slashes. */
  readonly name: string;
  readonly path: string;
  readonly isExecutable: boolean;
}

/** Beyond this nobody can say what was approved; such a folder has no approved hooks. */
const MOST_FILES = 20_000;
const DEEPEST = 16;

/**
 * All regular files below a hooks folder in the order of their names, links to files included; null when they are too
 * many. A package in a sub-folder is drawn in as easily as a file, so sub-folders count.
 */
export function filesBelow(folder: string): readonly FolderFile[] | null {
  const files: FolderFile[] = [];
  const visit = (below: string, depth: number): boolean =>
    depth <= DEEPEST &&
    entriesOf(join(folder, below)).every((entry) => {
      const name = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) return visit(name, depth + 1);
      const mode = regularMode(join(folder, name));
      if (mode !== null) files.push({ name, path: join(folder, name), isExecutable: (mode & 0o111) !== 0 });
      return files.length <= MOST_FILES;
    });
  return visit("", 0) ? files.sort((a, b) => (a.name < b.name ? -1 : 1)) : null;
}

/**
 * May a file that is no hook be drawn in by a hook with this text? Every one may (SPEC 4), except notes, and except
 * two kinds whose names no interpreter looks for by itself: a program without an extension, which is most likely the
 * next hook, and what was switched off or saved by its name. Those count when the hook's text names them.
 */
export function mayBeDrawnIn(file: FolderFile, hookText: string): boolean {
  if (file.name.endsWith(".md")) return false;
  const isQuiet =
    (file.isExecutable && extname(file.name) === "") || /(\.disable|~|\.bak|\.sample|\.swp)$/.test(file.name);
  return !isQuiet || isNamedIn(hookText, file.name);
}

/** As a path or a quoted word: `./lib`, `"$dir/lib"`, `'lib'`. */
function isNamedIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (/[/"']/.test(text[at - 1] ?? "") && !/[\w-]/.test(text[at + name.length] ?? "")) return true;
  }
  return false;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function regularMode(path: string): number | null {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.mode : null;
  } catch {
    return null;
  }
}
