import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { FileStamp } from "../contract/hook.ts";
import { keepsUnseen, placeError } from "../contract/place-error.ts";
import { isPrivateGroup } from "../disk/private-group.ts";

/** A place where somebody else could change what is run. */
export interface UnsafePlace {
  readonly place: string;
  readonly cause: string;
  /** The errno, where nobody could look at the place at all. */
  readonly unseenBecause?: string;
}

/** Finds the first unsafe place on the way from a file up to a root, or null. */
export type Walk = (file: string, stamp: Owned, root: string) => UnsafePlace | null;

/** Whose it is and what others may do with it. */
export type Owned = Pick<FileStamp, "owner" | "mode">;

const STICKY = 0o1000;
const WRITABLE_BY_OTHERS = 0o022;
const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;

/**
 * The ownership walk of SPEC 4: the file and each folder above it, up to `root`, must belong to the user or to root
 * and must not be writable by group or others. Sticky folders are excepted: nobody can replace another's file there.
 * Outside `root` (a link that leads away) the walk goes up to `/`. Folders are looked at once per walker.
 */
export function walker(userId: number): Walk {
  const known = new Map<string, UnsafePlace | null>();
  const unsafeFolder = (folder: string, root: string): UnsafePlace | null => {
    // Safe up to one root says nothing about what lies above it.
    const key = `${root}\0${folder}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const isTop = folder === root || folder === dirname(folder);
    const unsafe = unsafeFolderItself(folder, userId) ?? (isTop ? null : unsafeFolder(dirname(folder), root));
    known.set(key, unsafe);
    return unsafe;
  };
  return (file, stamp, root) => unsafeItself(file, stamp, userId) ?? unsafeFolder(dirname(file), root);
}

function unsafeFolderItself(folder: string, userId: number): UnsafePlace | null {
  const stats = statOrCode(folder);
  if (typeof stats === "string") {
    const unseen = { place: folder, cause: "cannot be looked at" };
    return keepsUnseen(stats) ? { ...unseen, unseenBecause: stats } : unseen;
  }
  const isSticky = (stats.mode & STICKY) !== 0;
  return unsafeItself(
    folder,
    { owner: stats.uid, mode: isSticky ? stats.mode & ~WRITABLE_BY_OTHERS : stats.mode },
    userId,
  );
}

function unsafeItself(path: string, { owner, mode }: Owned, userId: number): UnsafePlace | null {
  if (owner !== userId && owner !== 0) return { place: path, cause: `belongs to another user (uid ${owner})` };
  return (mode & WRITABLE_BY_OTHERS) === 0 ? null : { place: path, cause: "is writable by group or others" };
}

/** May somebody else than this user write to it? A group of the user's alone gives nobody else anything. */
export const isOpenToOthers =
  (userId: number) =>
  ({ mode, gid }: Pick<Stats, "mode" | "gid">): boolean =>
    (mode & WRITABLE_BY_ALL) !== 0 || ((mode & WRITABLE_BY_GROUP) !== 0 && !isPrivateGroup(gid, userId));

/** Of a file that was not found by a search, and so is not known yet. What cannot be looked at is not safe. */
export function ownedAt(path: string): Owned {
  const stats = statOrCode(path);
  return typeof stats === "string" ? { owner: -1, mode: 0o777 } : { owner: stats.uid, mode: stats.mode };
}

function statOrCode(path: string): Stats | string {
  try {
    return statSync(path);
  } catch (error) {
    return placeError(error);
  }
}
