import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";

/** A place where somebody else could change what is run. */
export interface UnsafePlace {
  readonly place: string;
  readonly cause: string;
}

/** Finds the first unsafe place on the way from a file up to a root, or null. */
export type Walk = (file: string, root: string) => UnsafePlace | null;

const STICKY = 0o1000;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * The ownership walk of SPEC 4: the file and each folder above it, up to `root`, must belong to the user or to root
 * and must not be writable by group or others. Sticky folders are excepted: nobody can replace another's file there.
 * Outside `root` (a link that leads away) the walk goes up to `/`. Folders are looked at once per walker.
 */
export function walker(userId: number): Walk {
  const known = new Map<string, UnsafePlace | null>();
  const unsafeFolder = (folder: string, root: string): UnsafePlace | null => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const isTop = folder === root || folder === dirname(folder);
    const unsafe = unsafeItself(folder, userId) ?? (isTop ? null : unsafeFolder(dirname(folder), root));
    known.set(folder, unsafe);
    return unsafe;
  };
  return (file, root) => unsafeItself(file, userId) ?? unsafeFolder(dirname(file), root);
}

function unsafeItself(path: string, userId: number): UnsafePlace | null {
  const stats = statOrNull(path);
  if (stats === null) return { place: path, cause: "cannot be looked at" };
  const isOurs = stats.uid === userId || stats.uid === 0;
  if (!isOurs) return { place: path, cause: `belongs to another user (uid ${stats.uid})` };
  if (stats.isDirectory() && (stats.mode & STICKY) !== 0) return null;
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0) return { place: path, cause: "is writable by group or others" };
  return null;
}

function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
