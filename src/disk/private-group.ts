import { readRegular } from "./read-regular.ts";

/**
 * Is a group one user's alone, so that its right to write gives nobody else anything? It is when it is the user's own by
 * number and by name, and nobody else is in it. Ubuntu and Fedora give each user such a group, and new files its rights.
 * Read from the system's own files: who is not in them has no group that could be known as private.
 */
export function isPrivateGroup(groupId: number, userId: number): boolean {
  const users = rowsOf("/etc/passwd");
  const user = users.find(([, , uid]) => Number(uid) === userId);
  const group = rowsOf("/etc/group").find(([, , gid]) => Number(gid) === groupId);
  if (user === undefined || group === undefined) return false;
  const [name, , , members = ""] = group;
  const isOthers = users.some(([, , uid, gid]) => Number(gid) === groupId && Number(uid) !== userId);
  return name === user[0] && Number(user[3]) === groupId && !isOthers && (members === "" || members === name);
}

let known: Readonly<Record<string, readonly (readonly string[])[]>> = {};

/** Read once: they are looked at only where a group may write, and do not change under a call. */
function rowsOf(file: string): readonly (readonly string[])[] {
  const rows = known[file] ?? linesOf(file).map((line) => line.split(":"));
  known = { ...known, [file]: rows };
  return rows;
}

function linesOf(file: string): readonly string[] {
  try {
    return readRegular(file)
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}
