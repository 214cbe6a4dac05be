import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256Of } from "../../src/fs/hash.ts";
import { takeLock } from "../../src/fs/lock.ts";
import { pathExists } from "../../src/fs/paths.ts";
import { readFileBytes } from "../../src/fs/read-file.ts";
import { removeTree } from "../../src/fs/remove-tree.ts";
import { type WriteRoot, whyNotWritable } from "../../src/fs/write-check.ts";
import { makeFolder, writeFileAtomic } from "../../src/fs/write-file.ts";
import { errnoCode } from "../../src/protocol/errno.ts";
import { isProblemError, ProblemError, unwrap } from "../../src/protocol/result.ts";
import {
  compareFiles,
  type FileMark,
  type FileMarks,
  type Lock,
  type LockedPack,
  lockedFrom,
  lockFileIn,
  lockText,
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

/** Replaces a pack and its lock entry. Throws a problem after everything was restored. */
export const placePack = (root: PackRoot, name: string, pack: Pack): Promise<void> =>
  change(root, name, { files: pack.files, lockAfter: (lock) => new Map([...lock, [name, lockedFrom(pack)]]) });

/** Removes a pack and its lock entry. */
export const removePack = (root: PackRoot, name: string): Promise<void> =>
  change(root, name, { files: null, lockAfter: (lock) => new Map([...lock].filter(([other]) => other !== name)) });

interface Change {
  /** The new files; null removes the pack. */
  readonly files: readonly PackFile[] | null;
  readonly lockAfter: (lock: Lock) => Lock;
}

async function change(root: PackRoot, name: string, wanted: Change): Promise<void> {
  const [folder, lockFile] = [packFolder(root.folder, name), lockFileIn(root.folder)];
  for (const path of [folder, lockFile]) {
    const cause = whyNotWritable(root.write, path);
    if (cause !== null) throw notWritten(path, cause);
  }
  try {
    makeFolder(pluginsFolder(root.folder), MODES.folder);
    const lock = await takeLock(join(pluginsFolder(root.folder), ".hookctl-lock"));
    if (lock === null) throw notWritten(folder, "another hookctl changes the packs");
    try {
      changeLocked(root, name, wanted);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw isProblemError(error) ? error : notWritten(folder, errnoCode(error) ?? String(error));
  }
}

const notWritten = (path: string, cause: string): ProblemError =>
  new ProblemError({ code: "FILE_NOT_WRITTEN", path, cause });

function changeLocked(root: PackRoot, name: string, { files, lockAfter }: Change): void {
  // Read again under the lock, so that two calls at once do not lose each other's entries.
  const before = unwrap(readLockFile(root.folder));
  removeLeftovers(root.folder);
  const folder = packFolder(root.folder, name);
  const draft = join(dirname(folder), `${DRAFT}new-${name}`);
  const former = join(dirname(folder), `${DRAFT}old-${name}`);
  let isReplaced = false;
  try {
    if (files !== null) writeFiles(draft, files);
    if (pathExists(folder)) renameSync(folder, former);
    isReplaced = true;
    if (files !== null) renameSync(draft, folder);
    writeLock(root.folder, lockAfter(before));
  } catch (error) {
    if (isReplaced) removeTree(folder);
    if (pathExists(former)) renameSync(former, folder);
    throw error;
  } finally {
    removeTree(draft);
  }
  removeTree(former);
}

/** Begins with a dot, so that discovery skips the folder. */
const DRAFT = ".hookctl-";

/** Removes folders of a killed process. The pack itself is either in the locked state or reported as changed. */
function removeLeftovers(root: string): void {
  const folder = pluginsFolder(root);
  const left = readdirSync(folder).filter((name) => /^\.hookctl-(?:new|old)-/.test(name));
  for (const name of left) removeTree(join(folder, name));
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

function writeLock(root: string, lock: Lock): void {
  const file = lockFileIn(root);
  if (lock.size === 0) rmSync(file, { force: true });
  else writeFileAtomic(file, lockText(lock), { mode: MODES.file });
}

/** The folder of a pack. Its hooks folder is the one in which discovery finds hooks of plugins. */
const pluginsFolder = (root: string): string => join(root, ".kodelet", "plugins");
export const packFolder = (root: string, name: string): string => join(pluginsFolder(root), name);

/** The files in the folder of a pack. An unreadable file has no hash. */
function readPlacedFiles(folder: string): FileMarks {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return new Map();
  const marks = listFiles(folder, /./).flatMap(({ path, kind, isExecutable }): [string, FileMark][] =>
    isCompiled(path) ? [] : [[path, { sha256: kind === "file" ? hashOf(join(folder, path)) : "", isExecutable }]],
  );
  return new Map(marks);
}

/** Python writes these where a hook runs. */
const isCompiled = (path: string): boolean => path.includes("__pycache__/");

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
  const placed = placedOrNone(packFolder(root, name));
  const files = compareFiles(locked.files, placed).filter(({ state }) => state !== "same");
  if (files.length === 0) return { kind: "as-locked" };
  const isMissing = files.every(({ state }) => state === "gone");
  return { kind: isMissing ? "missing" : "modified", files: files.map(({ path, state }) => `${path} (${state})`) };
}

function placedOrNone(folder: string): FileMarks {
  try {
    return readPlacedFiles(folder);
  } catch {
    return new Map([["", { sha256: "", isExecutable: false }]]);
  }
}

/** The names of the plugin folders. */
export function pluginNames(root: string): readonly string[] {
  try {
    return readdirSync(pluginsFolder(root)).filter((name) => !name.startsWith("."));
  } catch {
    return [];
  }
}
