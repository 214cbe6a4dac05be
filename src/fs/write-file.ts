import {
  chmodSync,
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { errnoCode } from "../protocol/errno.ts";
import { unrepeatable } from "./disk.ts";

interface WriteOptions {
  /** By default only the user may read it. */
  readonly mode?: number;
  /** Waits until the content is on the disk, so that it also survives a power cut. */
  readonly isFlushed?: boolean;
  /** Called when only the rename is left; what it throws keeps the old file. */
  readonly beforeRename?: () => void;
}

/** Replaces a file in one step: a reader finds the old content or the new one, whole. On an error nothing is left behind. */
export function writeFileAtomic(file: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  const { mode = 0o600, isFlushed = false, beforeRename } = options;
  unrepeatable.count++;
  const draft = `${file}.hookctl-${process.pid}`;
  makeFolder(dirname(file));
  try {
    // A killed process with the same number may have left one, or somebody may have put a link there.
    rmSync(draft, { force: true });
    const descriptor = openSync(draft, "wx", mode);
    try {
      writeFileSync(descriptor, content);
      fchmodSync(descriptor, mode);
      keepOwner(descriptor, file);
      if (isFlushed) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    beforeRename?.();
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * What root writes again in a user's own folder, such as with sudo, stays the user's. By the descriptor: the user could put a
 * link in place of the path, and root would give away what it leads to.
 */
function keepOwner(descriptor: number, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid = 0, gid = 0 } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
  if (uid !== 0 && statSync(dirname(file)).uid === uid) fchownSync(descriptor, uid, gid);
}

/** Creates an empty file; false if it is there, so that of several processes only one gets true. Throws other disk errors. */
export function createFile(file: string): boolean {
  unrepeatable.count++;
  makeFolder(dirname(file));
  try {
    closeSync(openSync(file, "wx", 0o600));
    return true;
  } catch (error) {
    if (errnoCode(error) === "EEXIST") return false;
    throw error;
  }
}

export const removeFile = (file: string): void => rmSync(file, { force: true });

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

/** Creates a folder that everybody may enter, regardless of the umask, which hardened systems set to 077 for root. */
export function makePublicFolder(folder: string): readonly string[] {
  const made = makeFolder(folder, PUBLIC_MODE);
  for (const path of made) chmodSync(path, PUBLIC_MODE);
  return made;
}

const PUBLIC_MODE = 0o755;

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process has created it.
    if (errnoCode(error) !== "EEXIST") throw error;
  }
}
