import { readdirSync, statSync } from "node:fs";
import { readTextFile } from "../../fs/read-file.ts";

/** A longer text is data. */
const LONGEST_TEXT = 1024 * 1024;

export function entryNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function fileKind(path: string): "file" | "folder" | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? "file" : stats?.isDirectory() ? "folder" : null;
  } catch {
    return null;
  }
}

/** Null: it is no text that could name anything. */
export function readProgramText(path: string): string | null {
  try {
    if (statSync(path).size > LONGEST_TEXT) return null;
    const text = readTextFile(path, "latin1");
    return text.slice(0, 512).includes("\0") ? null : text;
  } catch {
    return null;
  }
}
