import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../contract/place-error.ts";

/**
 * Makes a folder of our own, and those above it that are missing. Step by step: where a folder is there but takes
 * nothing (`/proc`, a mount that is gone), `recursive` of Node 20 tries for ever, and a guard's answer is never given.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let path = folder; !isThere(path); path = dirname(path)) missing.unshift(path);
  for (const path of missing) makeOne(path);
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another call was quicker.
    if (codeOf(error) !== "EEXIST") throw error;
  }
}
