import { constants, type Stats } from "node:fs";
import { dirname } from "node:path";
import { pathErrno } from "../protocol/errno.ts";
import {
  GROUP_OR_WORLD_WRITABLE,
  ownedByAnother,
  type UnsafePath,
  WRITABLE_BY_OTHERS_AND_ROOT_OWNED,
} from "../protocol/unsafe-path.ts";
import { disk } from "./disk.ts";
import { readTextFile, withRegularFile } from "./read-file.ts";

/** True if somebody else than the user may write to it. */
export type IsWritableByOthers = (stats: Pick<Stats, "mode" | "gid">) => boolean;

const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;

/**
 * The one rule for hooks, settings, the trust store and every other file of the user. A group in which the user is alone
 * counts as the user. The lists of users and groups are read only when a group may write, and once.
 */
export function writableByOthers(userId: number, read: () => Accounts = systemAccounts): IsWritableByOthers {
  let accounts: Accounts | null = null;
  return ({ mode, gid }) => {
    if ((mode & WRITABLE_BY_ALL) !== 0) return true;
    if ((mode & WRITABLE_BY_GROUP) === 0) return false;
    accounts ??= read();
    return !isPrivateGroup(gid, userId, accounts);
  };
}

/** True if it belongs to the user or to root, and nobody else may write to it. */
export function isUsersOwn(stats: Pick<Stats, "uid" | "gid" | "mode">): boolean {
  const userId = process.getuid?.() ?? -1;
  return (stats.uid === userId || stats.uid === 0) && !writableByOthers(userId)(stats);
}

/** Reads a file that only the user or root can have written, not through a link. Throws for any other file. */
export const readOwnFile = (file: string): string =>
  withRegularFile(
    file,
    ({ descriptor, stats }) => {
      if (!isUsersOwn(stats)) throw new Error(`${file} can be written by others`);
      return disk.readFileSync(descriptor, "utf8");
    },
    constants.O_NOFOLLOW,
  );

/** The text of the system's user and group lists. */
export interface Accounts {
  readonly passwd: string;
  readonly group: string;
}

/** The group of root on every system. */
const ROOT_GROUP = 0;

/**
 * True if a group has one user as its only member, so that its write permission gives nobody else access: it is the user's
 * primary group, has the user's name, and has no other members. Ubuntu and Fedora create such groups. Group 0 never
 * counts, because containers run unlisted users with it.
 */
export function isPrivateGroup(groupId: number, userId: number, { passwd, group }: Accounts): boolean {
  if (groupId === ROOT_GROUP) return false;
  const users = rowsOf(passwd);
  const user = users.find(([, , uid]) => Number(uid) === userId);
  // A group id may be listed twice, and each line can add members.
  const groups = rowsOf(group).filter(([, , gid]) => Number(gid) === groupId);
  if (user === undefined || groups.length === 0 || Number(user[3]) !== groupId) return false;
  const isOthers = users.some(([, , uid, gid]) => Number(gid) === groupId && Number(uid) !== userId);
  const isAlone = groups.every(([name, , , members = ""]) => name === user[0] && (members === "" || members === name));
  return isAlone && !isOthers;
}

/** The home directory of a user; null if the user is not listed. */
export const homeOf = (userId: string, { passwd }: Pick<Accounts, "passwd">): string | null =>
  rowsOf(passwd).find(([, , uid]) => uid === userId)?.[5] || null;

const rowsOf = (text: string): readonly (readonly string[])[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(":"));

/** Users who are in neither file have no private group. */
export const systemAccounts = (): Accounts => ({ passwd: textOf("/etc/passwd"), group: textOf("/etc/group") });

function textOf(file: string): string {
  try {
    return readTextFile(file);
  } catch {
    return "";
  }
}

/** A path with its links resolved, and the parts of it that somebody else could change. */
export interface ResolvedPath {
  /** Missing parts are appended unchanged. */
  readonly real: string;
  /** It passes through `/proc` or the like, where a path means something else for each process. */
  readonly isOfSystem: boolean;
  /** Empty if only the user and root can change where the path leads. */
  readonly unsafe: readonly UnsafePath[];
}

/** True if others may write to it. Ownership is checked separately. */
type IsWritable = (stats: Stats) => boolean;

const SAFE: readonly UnsafePath[] = [];
const STICKY = 0o1000;
const MOST_LINKS = 40;

const OF_THE_SYSTEM = ["/proc", "/dev", "/sys"];

/**
 * Resolves paths step by step from `/`, each step once. Each folder and link must belong to the user, to root, or to the
 * owner of `/` (root has another id in a user namespace), and no folder may be writable by others. A sticky folder may be,
 * because nobody can replace another's file there, unless the next step is missing and anybody could create it.
 */
export function pathResolver(userId: number, isOpen: IsWritable): (path: string) => ResolvedPath {
  const known = new Map<string, Stage>([["", { real: "/", isOfSystem: false, unsafe: SAFE, stats: lookAt("/") }]]);
  const system = known.get("")?.stats;
  const owners = [userId, 0, typeof system === "object" ? system.uid : 0];
  const stageOf = (path: string, links: number): Stage => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const end = path.lastIndexOf("/");
    const found = next(stageOf(path.slice(0, Math.max(0, end)), links), path.slice(end + 1), links);
    known.set(path, found);
    return found;
  };
  const next = (above: Stage, name: string, links: number): Stage => {
    if (name === "" || name === ".") return above;
    if (name === "..") return stageOf(dirname(above.real), links);
    const real = above.real === "/" ? `/${name}` : `${above.real}/${name}`;
    // Nothing exists below a missing folder, and that folder was checked already.
    if (typeof above.stats === "string") return { ...above, real };
    const stats = lookAt(real);
    const isOfSystem = above.isOfSystem || OF_THE_SYSTEM.includes(real);
    const cause =
      typeof stats === "string" ? unsafeMissing(above, stats, isOpen) : unsafeItself(real, stats, { owners, isOpen });
    const stage = { real, isOfSystem, unsafe: cause === null ? above.unsafe : [...above.unsafe, cause], stats };
    if (typeof stats === "string" || !stats.isSymbolicLink()) return stage;
    if (links === MOST_LINKS)
      return { ...stage, unsafe: [...stage.unsafe, { place: real, cause: "is a link loop" }], stats: "ELOOP" };
    const target = disk.readlinkSync(real);
    const led = stageOf(target.startsWith("/") ? target : `${above.real}/${target}`, links + 1);
    return { ...led, isOfSystem: isOfSystem || led.isOfSystem, unsafe: [...stage.unsafe, ...led.unsafe] };
  };
  return (path) => stageOf(path, 0);
}

/** A path resolved so far, with its stats or the errno. */
interface Stage extends ResolvedPath {
  readonly stats: Stats | string;
}

interface Rule {
  readonly owners: readonly number[];
  readonly isOpen: IsWritable;
}

function unsafeItself(place: string, stats: Stats, { owners, isOpen }: Rule): UnsafePath | null {
  if (!owners.includes(stats.uid)) return { place, cause: ownedByAnother(stats.uid) };
  const isShared = !stats.isSymbolicLink() && (stats.mode & STICKY) === 0 && isOpen(stats);
  if (!isShared) return null;
  return { place, cause: stats.uid === owners[0] ? GROUP_OR_WORLD_WRITABLE : WRITABLE_BY_OTHERS_AND_ROOT_OWNED };
}

/**
 * A missing file can be created by whoever may write to its folder. Any other error does not concern others, and is
 * reported by whoever reads or writes the file.
 */
function unsafeMissing({ real, stats }: Stage, code: string, isOpen: IsWritable): UnsafePath | null {
  const isShared = code === "ENOENT" && typeof stats !== "string" && isOpen(stats);
  return isShared ? { place: real, cause: "lets other users create the missing folder" } : null;
}

function lookAt(path: string): Stats | string {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false }) ?? "ENOENT";
  } catch (error) {
    return pathErrno(error);
  }
}
