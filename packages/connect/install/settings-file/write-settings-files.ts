import { rmdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Host } from "../../../../src/engine/host.ts";
import { readIfPresent } from "../../../../src/fs/read-file.ts";
import { type WriteRoot, whyNotWritable } from "../../../../src/fs/write-check.ts";
import { makeFolder, makePublicFolder, writeFileAtomic } from "../../../../src/fs/write-file.ts";
import { errnoCode } from "../../../../src/protocol/errno.ts";
import type { HostProblem } from "../../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../../src/protocol/result.ts";
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

/** A settings file to write, with the data for its undo. */
export interface SettingsWrite {
  readonly file: string;
  /** The file must be inside this root. */
  readonly root: WriteRoot;
  /** The text that was read; null if it does not exist. */
  readonly before: string | null;
  readonly after: string;
  readonly removeOurs: RemoveOurs;
}

/** A file as it was before this write. */
interface DoneWrite extends Pick<SettingsWrite, "file" | "root" | "before"> {
  readonly backup: Backup | null;
  readonly folders: readonly string[];
}

/** Undoes all writes because a later step failed. Returns the first problem of that. */
type RollBack = () => HostProblem | null;

/** Writes all files or none, each in one step, with a backup of each. */
export function writeSettingsFiles(
  writes: readonly SettingsWrite[],
  owner: BackupOwner,
  host: Host,
): Result<RollBack, HostProblem> {
  for (const { file, root } of writes) {
    const cause = whyNotWritable(root, file);
    if (cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path: file, cause });
  }
  const done: DoneWrite[] = [];
  const rollBack: RollBack = () =>
    done.reverse().reduce<HostProblem | null>((problem, one) => problem ?? revert(one, owner, host), null);
  for (const one of writes) {
    const { file, root, before } = one;
    try {
      const backup = readBackup(file, host, owner);
      const was = { file, root, before, backup, folders: makeFolderOf(one) };
      done.push(was);
      write(one, was, owner, host);
    } catch (error) {
      rollBack();
      return fail(notWritten(file, error));
    }
  }
  return ok(rollBack);
}

function write({ file, before, after, removeOurs }: SettingsWrite, was: DoneWrite, owner: BackupOwner, host: Host) {
  const folders = [...was.folders, ...(was.backup?.folders ?? [])];
  // Not `before` itself: it can contain the result of an earlier write, which undo would restore.
  writeBackup(file, { before: textBeforeWrite(before, was.backup, removeOurs), after, folders }, host, owner);
  writeFileAtomic(file, after, { mode: modeOf(file) });
}

function revert({ file, root, before, folders, backup }: DoneWrite, owner: BackupOwner, host: Host) {
  const present = readIfPresent(file);
  // A file that could not be written cannot be restored either, and does not need to be.
  const isAsBefore = before !== null && present.ok && present.value?.toString("utf8") === before;
  const restored = isAsBefore ? ok(null) : restore({ file, root }, { before, folders });
  if (!restored.ok) return restored.error;
  try {
    if (backup === null) deleteBackup(file, host, owner);
    else writeBackup(file, backup, host, owner);
    return null;
  } catch (error) {
    return notWritten(file, error);
  }
}

/** A file with hookctl's part (`before`) and without it (`after`). */
export interface SettingsUndo extends FileChange {
  readonly root: WriteRoot;
  readonly backup: Backup | null;
}

/** Undoes the writes of a command. The backups are deleted last, so that a failed undo can be repeated. */
export function undoSettingsWrites(
  undos: readonly SettingsUndo[],
  owner: BackupOwner,
  host: Host,
): Result<null, HostProblem> {
  for (const { file, root, before, after, backup } of undos) {
    const folders = backup?.folders ?? [];
    const restored = before === after ? ok(null) : restore({ file, root }, { before: after, folders });
    if (!restored.ok) return restored;
  }
  for (const { file } of undos) deleteBackup(file, host, owner);
  return ok(null);
}

/** Writes a text back; for null it removes the file, and the folders that were created for it. */
function restore(
  { file, root }: Pick<SettingsWrite, "file" | "root">,
  { before, folders }: Pick<Backup, "before" | "folders">,
): Result<null, HostProblem> {
  const cause = whyNotWritable(root, file);
  if (cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path: file, cause });
  try {
    if (before === null) {
      rmSync(file, { force: true });
      for (const folder of folders) removeEmpty(folder);
    } else {
      makeFolderOf({ file, root });
      writeFileAtomic(file, before, { mode: modeOf(file) });
    }
    return ok(null);
  } catch (error) {
    return fail(notWritten(file, error));
  }
}

const modeOf = (file: string): number => (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;

/** Agents of all users read the machine's settings. */
const makeFolderOf = ({ file, root }: Pick<SettingsWrite, "file" | "root">): readonly string[] =>
  root.kind === "machine" ? makePublicFolder(dirname(file)) : makeFolder(dirname(file), FOLDER_MODE);

/**
 * Not writable for the group, regardless of the umask: others could change files in it, and hookctl would refuse it.
 */
const FOLDER_MODE = 0o755;

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is not empty: it contains files of others.
  }
}

const notWritten = (path: string, error: unknown): HostProblem => ({
  code: "FILE_NOT_WRITTEN",
  path,
  cause: errnoCode(error) ?? String(error),
});

/** The text of a settings file; null if it does not exist. `shown` is its path for messages. */
export function presentText(file: string, shown: string): Result<string | null, HostProblem> {
  const read = readIfPresent(file);
  if (!read.ok) return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, line: null, detail: read.error });
  const bytes = read.value;
  if (bytes === null) return ok(null);
  // Not the result of `decodeUtf8`, which drops the byte order mark: it has to be written again.
  if (decodeUtf8(bytes) !== null) return ok(bytes.toString("utf8"));
  return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, line: null, detail: "it is not UTF-8" });
}
