import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errnoCode } from "../protocol/errno.ts";

/**
 * Creates a folder and its missing parents, by default for the user only. Returns the created folders, innermost first.
 * Not with `recursive`: in a folder that accepts no entries (`/proc`, a lost mount) Node 20 retries it for ever, and a
 * guard would never answer. Throws disk errors.
 */
export function makeFolder(folder: string, mode = 0o700): readonly string[] {
  const missing: string[] = [];
  for (let path = folder; !isThere(path); path = dirname(path)) missing.push(path);
  for (const path of missing.toReversed()) makeOne(path, mode);
  return missing;
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process has created it.
    if (errnoCode(error) !== "EEXIST") throw error;
  }
}
