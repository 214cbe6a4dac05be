import { statSync } from "node:fs";
import { dirname } from "node:path";
import { isUsersOwn, pathResolver, writableByOthers } from "../../../src/fs/permissions.ts";
import { combineUnsafePaths, describeUnsafePaths } from "../../../src/protocol/unsafe-path.ts";

/** Why other users could replace this file, or a folder or link on the way to it; null if they cannot. */
export function folderFault(path: string): string | null {
  const folder = dirname(path);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isDirectory()) return "its folder does not exist";
  const userId = process.getuid?.() ?? -1;
  const unsafe = combineUnsafePaths(pathResolver(userId, writableByOthers(userId))(folder).unsafe);
  if (unsafe !== null) return describeUnsafePaths(unsafe);
  return isUsersOwn(stats) ? null : "other users may write to its folder";
}
