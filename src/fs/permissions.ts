import { constants, readFileSync, type Stats } from "node:fs";
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
      return readFileSync(descriptor, "utf8");
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
