import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errnoCode, isPermissionErrno } from "../protocol/errno.ts";

const REMOVAL = { recursive: true, force: true, maxRetries: 3, retryDelay: 20 } as const;

/**
 * Removes a file or a folder with all that is in it. Only root can empty a folder whose permissions were removed; anybody
 * else gives them back first. Follows no links.
 */
export function removeTree(path: string): void {
  try {
    rmSync(path, REMOVAL);
  } catch (error) {
    if (!isPermissionErrno(errnoCode(error) ?? "") || !lstatSync(path).isDirectory()) throw error;
    restorePermissions(path);
    rmSync(path, REMOVAL);
  }
}

/** The same where nothing depends on it: a folder of another user, such as a container's, stays. */
export function removeTreeQuietly(path: string): void {
  try {
    removeTree(path);
  } catch {
    // Whoever needs the folder again finds it.
  }
}

function restorePermissions(folder: string): void {
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    chmodSync(next, 0o700);
    for (const entry of readdirSync(next, { withFileTypes: true }))
      if (entry.isDirectory()) waiting.push(join(next, entry.name));
  }
}
