import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errnoCode } from "../protocol/errno.ts";

/**
 * Makes a folder, by default for its owner alone, and those above it that are missing; gives what was missing, the
 * innermost first. Step by step: where a folder is there but takes nothing (`/proc`, a mount that is gone), `recursive`
 * of Node 20 tries for ever, and a guard's answer is never given. Throws what the disk says.
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
    // Another call was quicker.
    if (errnoCode(error) !== "EEXIST") throw error;
  }
}
