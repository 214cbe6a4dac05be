import { constants, readFileSync, type Stats } from "node:fs";
import { type Accounts, isPrivateGroup, systemAccounts } from "./private-group.ts";
import { withRegularFile } from "./read-file.ts";

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
