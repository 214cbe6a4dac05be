import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256Of } from "../../src/fs/hash.ts";
import { takeLock } from "../../src/fs/lock.ts";
import { entryNames, pathExists } from "../../src/fs/paths.ts";
import { readFileBytes } from "../../src/fs/read-file.ts";
import { removeTree } from "../../src/fs/remove-tree.ts";
import { type WriteRoot, whyNotWritable } from "../../src/fs/write-check.ts";
import { makeFolder, writeFileAtomic } from "../../src/fs/write-file.ts";
import { errnoCode } from "../../src/protocol/errno.ts";
import { isProblemError, ProblemError, unwrap } from "../../src/protocol/result.ts";
import {
  compareFiles,
  type FileMarks,
  type LockedPack,
  lockedFrom,
  lockFileIn,
  lockText,
  markOf,
  readLockFile,
} from "./lock.ts";
import type { Pack, PackFile } from "./pack.ts";
import { listFiles } from "./pack-files.ts";

/** The folder that contains `.kodelet`, and the owner of files written there. */
export interface PackRoot {
  readonly folder: string;
  readonly write: WriteRoot;
}

/** Others may read, but only the user may write: a hook that others can change is refused. */
const MODES = { folder: 0o755, program: 0o755, file: 0o644 } as const;

/** Replaces a pack and its lock entry; null removes both. Throws a problem after everything was restored. */
export async function placePack(root: PackRoot, name: string, pack: Pack | null): Promise<void> {
  const [folder, lockFile] = [packFolder(root.folder, name), lockFileIn(root.folder)];
  for (const path of [folder, lockFile]) {
    const cause = whyNotWritable(root.write, path);
    if (cause !== null) throw notWritten(path, cause);
  }
  try {
    makeFolder(pluginsFolder(root.folder), MODES.folder);
    const lock = await takeLock(join(pluginsFolder(root.folder), ".hookctl-lock"));
    if (lock === null) throw notWritten(folder, "another hookctl is changing the packs");
    try {
      placeLocked(root.folder, name, pack);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw isProblemError(error) ? error : notWritten(folder, errnoCode(error) ?? String(error));
  }
}

const notWritten = (path: string, cause: string): ProblemError =>
  new ProblemError({ code: "FILE_NOT_WRITTEN", path, cause });

/** Begins with a dot, so that discovery skips the folder. */
const DRAFT = ".hookctl-";

function placeLocked(root: string, name: string, pack: Pack | null): void {
  // Read again under the lock, so that two calls at once do not lose each other's entries.
  const packs = new Map(unwrap(readLockFile(root)));
  const plugins = pluginsFolder(root);
  // Folders of a killed process. The pack itself is either in the locked state or reported as changed.
  for (const left of readdirSync(plugins)) if (/^\.hookctl-(?:new|old)-/.test(left)) removeTree(join(plugins, left));
  const folder = packFolder(root, name);
  const draft = join(plugins, `${DRAFT}new-${name}`);
  const former = join(plugins, `${DRAFT}old-${name}`);
  let isReplaced = false;
  try {
    if (pack !== null) writeFiles(draft, pack.files);
    if (pathExists(folder)) renameSync(folder, former);
    isReplaced = true;
    if (pack !== null) renameSync(draft, folder);
    packs.delete(name);
    if (pack !== null) packs.set(name, lockedFrom(pack));
    const file = lockFileIn(root);
    if (packs.size === 0) rmSync(file, { force: true });
    else writeFileAtomic(file, lockText(packs), { mode: MODES.file });
  } catch (error) {
    if (isReplaced) removeTree(folder);
    if (pathExists(former)) renameSync(former, folder);
    throw error;
  } finally {
    removeTree(draft);
  }
  removeTree(former);
}

function writeFiles(folder: string, files: readonly PackFile[]): void {
  mkdirSync(folder, { mode: MODES.folder });
  for (const { path, bytes, isExecutable } of files) {
    const target = join(folder, path);
    makeFolder(dirname(target), MODES.folder);
    // `x` fails if two paths are one file on a case-insensitive disk.
    writeFileSync(target, bytes, { flag: "wx", mode: MODES.file });
    chmodSync(target, isExecutable ? MODES.program : MODES.file);
  }
}

/** The folder of a pack. In its hooks folder discovery finds hooks of plugins. */
const pluginsFolder = (root: string): string => join(root, ".kodelet", "plugins");
export const packFolder = (root: string, name: string): string => join(pluginsFolder(root), name);

/** The files in the folder of a pack. An unreadable file has no hash, and an unreadable folder a file without a name. */
function placedFiles(folder: string): FileMarks {
  try {
    // Python writes these where a hook runs.
    const files = listFiles(folder, ["**"]).filter(({ path }) => !path.includes("__pycache__/"));
    return new Map(
      files.map(({ path, kind, isExecutable }) => {
        return [path, markOf(kind === "file" ? hashOf(join(folder, path)) : "", isExecutable)];
      }),
    );
  } catch {
    return new Map([["", markOf("", false)]]);
  }
}

function hashOf(file: string): string {
  try {
    return sha256Of(readFileBytes(file));
  } catch {
    return "";
  }
}

/** A pack compared with its lock entry: as pinned, partly or wholly missing, or changed. */
export type PackState =
  | { readonly kind: "as-locked" }
  | { readonly kind: "missing"; readonly files: readonly string[] }
  | { readonly kind: "modified"; readonly files: readonly string[] };

export function packStateIn(root: string, name: string, locked: LockedPack): PackState {
  const placed = placedFiles(packFolder(root, name));
  const files = compareFiles(locked.files, placed).filter(({ state }) => state !== "same");
  if (files.length === 0) return { kind: "as-locked" };
  const isMissing = files.every(({ state }) => state === "gone");
  return { kind: isMissing ? "missing" : "modified", files: files.map(({ path, state }) => `${path} (${state})`) };
}

/** The names of the plugin folders. */
export const pluginNames = (root: string): readonly string[] =>
  entryNames(pluginsFolder(root)).filter((name) => !name.startsWith("."));
