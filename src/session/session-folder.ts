import { join } from "node:path";
import { sha256Of } from "../fs/hash.ts";

/** A name that is a valid file name everywhere and can be the value of an environment variable. */
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const HASHED_NAME = /^~[0-9a-f]{40}$/;
const LONGEST_IN_ENVIRONMENT = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that an environment cannot hold.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The folder of a session. An id that is not a plain file name is hashed. */
export function sessionFolder(root: string, id: string): string {
  return join(root, SAFE_NAME.test(id) || HASHED_NAME.test(id) ? id : hashedName(id));
}

/** The value of HOOKCTL_SESSION: the id, or its hash if the id is too long or has control characters. */
export function sessionName(id: string): string {
  return id.length <= LONGEST_IN_ENVIRONMENT && !CONTROL.test(id) ? id : hashedName(id);
}

const hashedName = (id: string): string => `~${sha256Of(id).slice(0, 40)}`;

/** The folder of a session, or why there is none. */
export type Session =
  | { readonly folder: string; readonly why: null }
  | { readonly folder: null; readonly why: "the payload has no conv_id" | typeof NO_SESSION_FOLDER };

export const NO_SESSION_FOLDER = "there is no private folder for sessions (HOME, XDG_STATE_HOME)";

export function sessionById(id: string, { sessionsDir }: { readonly sessionsDir: string | null }): Session {
  if (id === "") return { folder: null, why: "the payload has no conv_id" };
  return sessionsDir === null
    ? { folder: null, why: NO_SESSION_FOLDER }
    : { folder: sessionFolder(sessionsDir, id), why: null };
}
