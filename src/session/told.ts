import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../disk/make-folder.ts";

const FILE = "told";

/**
 * Is this news to the person of this session? What was told stands in the session's folder, so that it is told once.
 * Where it cannot be kept it is told again: too often is better than never.
 */
export function isNews(folder: string, text: string): boolean {
  const file = join(folder, FILE);
  try {
    if (readFileSync(file, "utf8") === text) return false;
  } catch {
    // Nothing was told yet.
  }
  try {
    makeFolder(folder);
    writeFileSync(file, text, { mode: 0o600 });
  } catch {
    // Then it is told at each event.
  }
  return true;
}
