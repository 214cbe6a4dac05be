import { readTextFile } from "./read-file.ts";

/** The system's lists of its users and groups, as text. */
export interface Accounts {
  readonly passwd: string;
  readonly group: string;
}

/** Root's group on every system. */
const ROOT_GROUP = 0;

/**
 * Is a group one user's alone, so that its right to write gives nobody else anything? It is when it is the user's primary
 * group, has the user's name, and nobody else is in it. Ubuntu and Fedora give each user such a group, and new files its
 * rights. Group 0 never is: containers run users that are in no list with it.
 */
export function isPrivateGroup(groupId: number, userId: number, { passwd, group }: Accounts): boolean {
  if (groupId === ROOT_GROUP) return false;
  const users = rowsOf(passwd);
  const user = users.find(([, , uid]) => Number(uid) === userId);
  // A number may be listed twice, and each line can add members.
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

/** What the system lists. Who is in no file has no group that could be known as private. */
export const systemAccounts = (): Accounts => ({ passwd: textOf("/etc/passwd"), group: textOf("/etc/group") });

function textOf(file: string): string {
  try {
    return readTextFile(file);
  } catch {
    return "";
  }
}
