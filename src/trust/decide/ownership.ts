import type { Stats } from "node:fs";
import { dirname } from "node:path";
import { disk } from "../../fs/disk.ts";
import { type IsWritableByOthers, writableByOthers } from "../../fs/permissions.ts";
import { isPermissionErrno, pathErrno } from "../../protocol/errno.ts";
import type { FileStamp } from "../../protocol/hook.ts";
import {
  GROUP_OR_WORLD_WRITABLE,
  ownedByAnother,
  type UnsafePath,
  WRITABLE_BY_OTHERS_AND_ROOT_OWNED,
} from "../../protocol/unsafe-path.ts";

/** A path that lets somebody else change what is run. */
export interface UnsafePlace extends UnsafePath {
  /** The errno, if the path could not be read at all. */
  readonly unreadableBecause?: string;
}

/** Finds the unsafe paths from a file up to a root, the file first. */
export type OwnershipCheck = (file: string, stamp: Ownership, root: string) => readonly UnsafePlace[];

/** The owner of a file, and what others may do with it. */
export type Ownership = Pick<FileStamp, "owner" | "group" | "mode">;

interface Rule {
  readonly userId: number;
  readonly isOpen: IsWritableByOthers;
}

const STICKY = 0o1000;
const WRITABLE_BY_OTHERS = 0o022;
const SAFE: readonly UnsafePlace[] = [];

/**
 * Checks who could change a file: it and each folder above it, up to `root`, must belong to the user or to root, and
 * nobody else may write to them. Sticky folders are excepted: nobody can replace another's file there.
 * Outside `root` (after a link) all folders up to `/` are checked. Each folder is checked once per call of this function.
 */
export function createOwnershipCheck(
  userId: number,
  isOpen: IsWritableByOthers = writableByOthers(userId),
): OwnershipCheck {
  const rule = { userId, isOpen };
  const known = new Map<string, readonly UnsafePlace[]>();
  const unsafeFolders = (folder: string, root: string): readonly UnsafePlace[] => {
    // The result depends on the root: folders above it are not checked.
    const key = `${root}\0${folder}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const isTop = folder === root || folder === dirname(folder);
    const unsafe = both(unsafeFolderItself(folder, rule), isTop ? SAFE : unsafeFolders(dirname(folder), root));
    known.set(key, unsafe);
    return unsafe;
  };
  return (file, stamp, root) => both(unsafeItself(file, stamp, rule), unsafeFolders(dirname(file), root));
}

const both = (unsafe: UnsafePlace | null, above: readonly UnsafePlace[]): readonly UnsafePlace[] =>
  unsafe === null ? above : [unsafe, ...above];

function unsafeFolderItself(folder: string, rule: Rule): UnsafePlace | null {
  const stats = statOrCode(folder);
  if (typeof stats === "string") {
    const unseen = { place: folder, cause: "cannot be checked" };
    return isPermissionErrno(stats) ? { ...unseen, unreadableBecause: stats } : unseen;
  }
  const isSticky = (stats.mode & STICKY) !== 0;
  const mode = isSticky ? stats.mode & ~WRITABLE_BY_OTHERS : stats.mode;
  return unsafeItself(folder, { owner: stats.uid, group: stats.gid, mode }, rule);
}

function unsafeItself(place: string, { owner, group, mode }: Ownership, { userId, isOpen }: Rule): UnsafePlace | null {
  if (owner !== userId && owner !== 0) return { place, cause: ownedByAnother(owner) };
  if (!isOpen({ mode, gid: group })) return null;
  return { place, cause: owner === userId ? GROUP_OR_WORLD_WRITABLE : WRITABLE_BY_OTHERS_AND_ROOT_OWNED };
}

/** Reads the ownership of a file that no search has found. An unreadable file is unsafe. */
export function ownershipAt(path: string): Ownership {
  const stats = statOrCode(path);
  if (typeof stats === "string") return { owner: -1, group: -1, mode: 0o777 };
  return { owner: stats.uid, group: stats.gid, mode: stats.mode };
}

function statOrCode(path: string): Stats | string {
  try {
    return disk.statSync(path);
  } catch (error) {
    return pathErrno(error);
  }
}
