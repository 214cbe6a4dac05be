import { statSync } from "node:fs";
import { readTextFile } from "../../fs/read-file.ts";

/** Longer files are treated as data. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** The text of a program; null if it is too long, binary or cannot be read. */
export function readProgramText(path: string): string | null {
  try {
    if (statSync(path).size > MAX_TEXT_BYTES) return null;
    const text = readTextFile(path, "latin1");
    return text.slice(0, 512).includes("\0") ? null : text;
  } catch {
    return null;
  }
}
