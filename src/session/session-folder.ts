import { statSync } from "node:fs";
import { join } from "node:path";

/** A name that every file system takes, that is no path, and that stands in an environment as it is. */
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const HASHED_NAME = /^~[0-9a-f]{40}$/;
const LONGEST_IN_ENVIRONMENT = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that an environment cannot hold.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The folder of one session. The id is the caller's text: one that is no plain file name is hashed. */
export function sessionFolder(root: string, id: string): string {
  return join(root, SAFE_NAME.test(id) || HASHED_NAME.test(id) ? id : hashedName(id));
}

/** What a hook finds in HOOKCTL_SESSION: the id, or where it cannot stand there, a name that leads to the same folder. */
export function sessionName(id: string): string {
  return id.length <= LONGEST_IN_ENVIRONMENT && !CONTROL.test(id) ? id : hashedName(id);
}

/** Is there anything of this session at all? One look, for calls that mostly find nothing. */
export function pathExists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function hashedName(id: string): string {
  // Loaded when it is needed: the ids of real agents are safe names (3 ms).
  const { createHash } = process.getBuiltinModule("node:crypto");
  return `~${createHash("sha256").update(id).digest("hex").slice(0, 40)}`;
}
