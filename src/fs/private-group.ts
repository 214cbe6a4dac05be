import { readTextFile } from "./read-file.ts";

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
