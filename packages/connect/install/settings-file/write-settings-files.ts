import { rmdirSync, rmSync, statSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Host } from "../../../../src/engine/host.ts";
import { callerOf, findCallerScopes, findUserPaths } from "../../../../src/engine/user-paths.ts";
import { sha256Of } from "../../../../src/fs/hash.ts";
import { type Lock, takeLock } from "../../../../src/fs/lock.ts";
import { entryNames } from "../../../../src/fs/paths.ts";
import { readIfPresent } from "../../../../src/fs/read-file.ts";
import { type WriteRoot, whyNotWritable } from "../../../../src/fs/write-check.ts";
import { makeFolder, makePublicFolder, writeFileAtomic } from "../../../../src/fs/write-file.ts";
import { errnoCode } from "../../../../src/protocol/errno.ts";
import type { HostProblem } from "../../../../src/protocol/problem.ts";
import { fail, isProblemError, ok, ProblemError, type Result } from "../../../../src/protocol/result.ts";
import { decodeUtf8 } from "../../../../src/protocol/text/text.ts";
import type { FileChange } from "../../report/install-text.ts";
import { parseObject } from "../last-answers.ts";

/** The text of a settings file before hookctl wrote to it, and right after. */
export interface Backup {
  /** Null if the file did not exist. */
  readonly before: string | null;
  readonly after: string;
  /** The folders that were created for the file, the innermost first. */
  readonly folders: readonly string[];
}

/** Each command undoes only its own changes; `all` spans the writes of all commands, from the first to the last. */
export type BackupOwner = "install" | "adopt" | "all";

/** Removes hookctl's entries from a text without a backup, or edited since. Null if nothing is left. */
export type RemoveOurs = (text: string, backup: Backup | null) => string | null;

/** The text without hookctl's changes: the backup's, byte for byte, unless the file was edited since. */
export function textBeforeWrite(text: string | null, backup: Backup | null, removeOurs: RemoveOurs): string | null {
  if (backup !== null && backup.after === text) return backup.before;
  return text === null ? null : removeOurs(text, backup);
}

/** The folder of backups; null if they cannot be stored. */
export function backupsFolder(host: Host): string | null {
  const caller = callerOf(host, null);
  const scopes = findCallerScopes(caller);
  return scopes.ok ? findUserPaths(scopes.value, caller).backupsDir : null;
}

function backupFile(file: string, host: Host, owner: BackupOwner): string | null {
  const folder = backupsFolder(host);
  return folder === null ? null : join(folder, `${owner}-${sha256Of(file)}.json`);
}

/** Returns null if there is no backup, or one that hookctl did not write: it could name any folder to remove. */
export function readBackup(file: string, host: Host, owner: BackupOwner): Backup | null {
  const path = backupFile(file, host, owner);
  const read = path === null ? null : readIfPresent(path);
  const { before, after, folders } = parseObject(read?.ok === true ? String(read.value) : "");
  const hasTexts = typeof after === "string" && (before === null || typeof before === "string");
  const isComplete = hasTexts && Array.isArray(folders) && folders.every((folder) => typeof folder === "string");
  return isComplete ? { before, after, folders } : null;
}

/** Throws if the file cannot be written. */
function writeBackup(file: string, backup: Backup, host: Host, owner: BackupOwner): void {
  const path = backupFile(file, host, owner);
  if (path !== null) writeFileAtomic(path, JSON.stringify({ ...backup, file }));
}

/** The files that have a note of their first write; the notes of earlier versions do not name their file. */
export function notedFiles(host: Host): readonly string[] {
  const folder = backupsFolder(host);
  return (folder === null ? [] : entryNames(folder)).flatMap((name) => {
    const read = name.startsWith("all-") ? readIfPresent(join(folder ?? "", name)) : null;
    const { file } = parseObject(read?.ok === true ? String(read.value) : "");
    return typeof file === "string" && name === `all-${sha256Of(file)}.json` ? [file] : [];
  });
}

export function deleteBackup(file: string, host: Host, owner: BackupOwner): void {
  const path = backupFile(file, host, owner);
  try {
    if (path !== null) unlinkSync(path);
  } catch {
    // There is no backup.
  }
}

/**
 * Notes a write of any command, so that the text before the first one can come back. If somebody else edited the file
 * meanwhile, the note stays as it is and no longer matches. Without a folder for it, the undo removes entries one by one.
 */
export function noteWrite(file: string, { before, after, folders }: WriteNote, host: Host): void {
  const first = readBackup(file, host, "all");
  if (first !== null && first.after !== before) return;
  const from = first === null ? before : first.before;
  if (after === null || after === from) {
    deleteBackup(file, host, "all");
    return;
  }
  try {
    writeBackup(file, { before: from, after, folders: [...folders, ...(first?.folders ?? [])] }, host, "all");
  } catch {
    // The file itself was written, which matters more.
  }
}

/** A text that replaced another one, and the folders that were created for it. */
interface WriteNote extends Pick<Backup, "before" | "folders"> {
  readonly after: string | null;
}

/**
 * Runs a step that writes settings files while no other process does: one of two edits at once would be lost. Throws if
 * another process does not end.
 */
export async function withSettingsLock<T>(host: Host, step: () => T): Promise<T> {
  const folder = backupsFolder(host);
  const file = join(folder ?? "", "settings.lock");
  const made: string[] = [];
  const lock = folder === null ? "none" : await settingsLock(folder, file, made);
  if (lock === null) throw notWritten(file, "another process holds this lock");
  try {
    return step();
  } finally {
    if (lock !== "none") lock.release();
    // The folders of the lock go again, if the step has stored nothing in them.
    for (const one of made) removeEmpty(one);
  }
}

/** Where the folder cannot be written, settings still can be. */
async function settingsLock(folder: string, file: string, made: string[]): Promise<Lock | "none" | null> {
  try {
    made.push(...makeFolder(folder));
    return await takeLock(file);
  } catch {
    return "none";
  }
}

/** Fails for a file that another process has changed since it was read. */
function checkUnchanged(files: readonly Pick<SettingsUndo, "file" | "before">[]): void {
  for (const { file, before } of files) {
    const present = readIfPresent(file);
    if (present.ok && (present.value?.toString("utf8") ?? null) !== before)
      throw new ProblemError(changedMeanwhile(file));
  }
}

export const changedMeanwhile = (path: string): HostProblem => ({
  code: "FILE_NOT_WRITTEN",
  path,
  cause: "another process has just changed it: run the command again",
});

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
  checkUnchanged(writes);
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
          if (!isText(file, before)) restore({ file, root }, before, created, host);
          onDisk(file, () =>
            backup === null ? deleteBackup(file, host, owner) : writeBackup(file, backup, host, owner),
          );
        });
        const folders = [...created, ...(backup?.folders ?? [])];
        // Not `before` itself: it can contain the result of an earlier write, which undo would restore.
        writeBackup(file, { before: textBeforeWrite(before, backup, removeOurs), after, folders }, host, owner);
        writeFileAtomic(file, after, { mode: modeOf(file) });
        noteWrite(file, { before, after, folders: created }, host);
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
  checkUnchanged(undos);
  for (const { before, after, backup, ...file } of undos) {
    if (before !== after) restore(file, after, backup?.folders ?? [], host);
  }
  for (const { file } of undos) deleteBackup(file, host, owner);
}

/** Writes a text back; for null it removes the file, and the folders that were created for it. */
function restore({ file, root }: RootedFile, text: string | null, folders: readonly string[], host: Host): void {
  checkWritable(root, file);
  onDisk(file, () => {
    const before = readIfPresent(file);
    if (before.ok) noteWrite(file, { before: before.value?.toString("utf8") ?? null, after: text, folders: [] }, host);
    if (text === null) {
      rmSync(file, { force: true });
      for (const folder of folders) removeEmpty(folder);
    } else {
      makeFolderOf({ file, root });
      writeFileAtomic(file, text, { mode: modeOf(file) });
    }
  });
}

/** The mode of a file that is written again, which may hold secrets of its owner; that of a new file. */
export const modeOf = (file: string): number => (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;

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
