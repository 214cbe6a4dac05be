import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { type Accounts, isPrivateGroup, systemAccounts } from "./private-group.ts";

/** May somebody else than the user write to it? */
export type IsWritableByOthers = (stats: Pick<Stats, "mode" | "gid">) => boolean;

const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;

/**
 * The one rule for hooks, settings, the trust store and every other place of the user's. The right of a group that is the
 * user's alone gives nobody else anything. The lists of users and groups are read at the first such right, and once.
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

/** Does it belong to the user or to root, and may nobody else write to it? */
export function isUsersOwn(stats: Pick<Stats, "uid" | "gid" | "mode">): boolean {
  const userId = process.getuid?.() ?? -1;
  return (stats.uid === userId || stats.uid === 0) && !writableByOthers(userId)(stats);
}

/**
 * The text of a file that is the user's alone: nobody else may have written it, and no link leads to it. Throws for
 * anything else, and what the disk says.
 */
export function readOwnFile(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isUsersOwn(stats)) throw new Error(`${file} is not the user's alone`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}
