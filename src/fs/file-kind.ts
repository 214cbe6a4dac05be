import { accessSync, constants, readdirSync, type Stats, statSync } from "node:fs";
import { isPermissionErrno, pathErrno } from "../protocol/errno.ts";

/** Follows links; null if the path does not exist or cannot be read. */
export function statOrNull(path: string): Stats | null {
  try {
    // A missing file is common, and a thrown error takes longer than a null.
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Null: there is neither a regular file nor a folder. */
export function fileKind(path: string): "file" | "folder" | null {
  const stats = statOrNull(path);
  return stats?.isFile() ? "file" : stats?.isDirectory() ? "folder" : null;
}

export const isRegularFile = (path: string): boolean => fileKind(path) === "file";
export const isFolder = (path: string): boolean => fileKind(path) === "folder";

/** True for a folder, and for a path that cannot be examined. */
export function mayBeFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    return isPermissionErrno(pathErrno(error));
  }
}

/** True for a regular file that the user may execute. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return isRegularFile(file);
  } catch {
    return false;
  }
}

/** The names in a folder; none if it cannot be read. */
export function entryNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
