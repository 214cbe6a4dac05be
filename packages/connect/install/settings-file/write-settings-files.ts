import { rmdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Host } from "../../../../src/engine/host.ts";
import { readIfPresent } from "../../../../src/fs/read-file.ts";
import { type WriteRoot, whyNotWritable } from "../../../../src/fs/write-check.ts";
import { makeFolder, makePublicFolder, writeFileAtomic } from "../../../../src/fs/write-file.ts";
import { errnoCode } from "../../../../src/protocol/errno.ts";
import type { HostProblem } from "../../../../src/protocol/problem.ts";
import { fail, isProblemError, ok, ProblemError, type Result } from "../../../../src/protocol/result.ts";
import { decodeUtf8 } from "../../../../src/protocol/text/text.ts";
import type { FileChange } from "../../report/install-text.ts";
import {
  type Backup,
  type BackupOwner,
  deleteBackup,
  type RemoveOurs,
  readBackup,
  textBeforeWrite,
  writeBackup,
} from "./settings-backup.ts";

/** A file, and the root that must contain it. */
interface RootedFile {
  readonly file: string;
  readonly root: WriteRoot;
}

/** A settings file to write, with the data for its undo. */
export interface SettingsWrite extends RootedFile {
  /** The text that was read; null if the file does not exist. */
  readonly before: string | null;
  readonly after: string;
  readonly removeOurs: RemoveOurs;
}

/**
 * Writes all files or none, each in one step, with a backup of each. Returns a function that undoes all writes because a
 * later step failed.
 */
export function writeSettingsFiles(writes: readonly SettingsWrite[], owner: BackupOwner, host: Host): () => void {
  for (const { file, root } of writes) checkWritable(root, file);
  const reverts: (() => void)[] = [];
  const rollBack = (): void => {
    for (const revert of reverts.toReversed()) revert();
  };
  try {
    for (const { file, root, before, after, removeOurs } of writes) {
      onDisk(file, () => {
        const backup = readBackup(file, host, owner);
        const created = makeFolderOf({ file, root });
        reverts.push(() => {
          if (!isText(file, before)) restore({ file, root }, before, created);
          onDisk(file, () =>
            backup === null ? deleteBackup(file, host, owner) : writeBackup(file, backup, host, owner),
          );
        });
        const folders = [...created, ...(backup?.folders ?? [])];
        // Not `before` itself: it can contain the result of an earlier write, which undo would restore.
        writeBackup(file, { before: textBeforeWrite(before, backup, removeOurs), after, folders }, host, owner);
        writeFileAtomic(file, after, { mode: modeOf(file) });
      });
    }
  } catch (error) {
    try {
      rollBack();
    } catch {
      // The first problem is reported.
    }
    throw error;
  }
  return rollBack;
}

/** True for a file with this text: it needs no restoring, which would fail if it could not be written. */
function isText(file: string, text: string | null): boolean {
  const present = readIfPresent(file);
  return text !== null && present.ok && present.value?.toString("utf8") === text;
}

/** A file with hookctl's part (`before`) and without it (`after`). */
export interface SettingsUndo extends FileChange {
  readonly root: WriteRoot;
  readonly backup: Backup | null;
}

/** Undoes the writes of a command. The backups are deleted last, so that a failed undo can be repeated. */
export function undoSettingsWrites(undos: readonly SettingsUndo[], owner: BackupOwner, host: Host): void {
  for (const { before, after, backup, ...file } of undos) {
    if (before !== after) restore(file, after, backup?.folders ?? []);
  }
  for (const { file } of undos) deleteBackup(file, host, owner);
}

/** Writes a text back; for null it removes the file, and the folders that were created for it. */
function restore({ file, root }: RootedFile, text: string | null, folders: readonly string[]): void {
  checkWritable(root, file);
  onDisk(file, () => {
    if (text === null) {
      rmSync(file, { force: true });
      for (const folder of folders) removeEmpty(folder);
    } else {
      makeFolderOf({ file, root });
      writeFileAtomic(file, text, { mode: modeOf(file) });
    }
  });
}

const modeOf = (file: string): number => (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;

/**
 * Not writable for the group, regardless of the umask: others could change files in it, and hookctl would refuse it.
 * Agents of all users read the machine's settings.
 */
const makeFolderOf = ({ file, root }: RootedFile): readonly string[] =>
  root.kind === "machine" ? makePublicFolder(dirname(file)) : makeFolder(dirname(file), 0o755);

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is not empty: it contains files of others.
  }
}

/** Fails if a file may not be written. `shown` is its path for messages. */
export function checkWritable(root: WriteRoot, file: string, shown = file): void {
  const cause = whyNotWritable(root, file);
  if (cause !== null) throw new ProblemError({ code: "FILE_NOT_WRITTEN", path: shown, cause });
}

/** Runs a step that writes a file. A disk error becomes a problem that names the file. */
export function onDisk<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw notWritten(path, error);
  }
}

/** The problem of a file that a disk error prevented from being written. Other problems stay what they are. */
export const notWritten = (path: string, error: unknown): ProblemError =>
  isProblemError(error)
    ? error
    : new ProblemError({ code: "FILE_NOT_WRITTEN", path, cause: errnoCode(error) ?? String(error) });

/** The text of a settings file; null if it does not exist. `shown` is its path for messages. */
export function presentText(file: string, shown: string): Result<string | null, HostProblem> {
  const notRead = (detail: string) =>
    fail({ code: "AGENT_SETTINGS_NOT_PARSED" as const, path: shown, line: null, detail });
  const read = readIfPresent(file);
  if (!read.ok) return notRead(read.error);
  if (read.value === null) return ok(null);
  // Not the result of `decodeUtf8`, which drops the byte order mark: it has to be written again.
  return decodeUtf8(read.value) === null ? notRead("it is not UTF-8") : ok(read.value.toString("utf8"));
}
