import { join } from "node:path";
import { readTextFile } from "../fs/read-file.ts";
import { writeFileAtomic } from "../fs/write-file.ts";

const FILE = "told";
/** Older messages are forgotten and may be shown again. */
const MAX_LINES = 200;

/**
 * Returns the messages that this session has not shown yet and marks them as shown. If they cannot be stored, they are
 * shown again: too often is better than never.
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
    // On a read-only or full disk the messages are shown at each event.
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
