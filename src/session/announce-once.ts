import { join } from "node:path";
import { readTextFile } from "../fs/read-file.ts";
import { writeFileAtomic } from "../fs/write-file.ts";

const FILE = "told";
/** A session in which more than this changes is told some of it again. */
const MAX_LINES = 200;

/**
 * Returns the messages that the person of this session has not seen yet, and keeps them as seen. Where they cannot be kept
 * they are shown again: too often is better than never.
 */
export function takeNewMessages(folder: string, messages: readonly string[]): readonly string[] {
  const file = join(folder, FILE);
  const seen = linesOf(file);
  const fresh = messages.filter((message) => !seen.includes(JSON.stringify(message)));
  if (fresh.length === 0) return [];
  const lines = [...seen, ...fresh.map((message) => JSON.stringify(message))].slice(-MAX_LINES);
  try {
    writeFileAtomic(file, `${lines.join("\n")}\n`);
  } catch {
    // Read-only or full: they are shown at each event.
  }
  return fresh;
}

function linesOf(file: string): readonly string[] {
  try {
    return readTextFile(file).split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
