import { rmdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../fs/make-folder.ts";
import { readIfPresent } from "../fs/read-file.ts";
import { type WriteRoot, whyNotWritable } from "../fs/write-check.ts";
import { writeFileAtomic } from "../fs/write-file.ts";
import type { Host } from "../host.ts";
import { errnoCode } from "../protocol/errno.ts";
import type { HostProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type Backup, type BackupOwner, deleteBackup, readBackup, writeBackup } from "./settings-backup.ts";

/** A file as it was read, what it is to hold, and how that is undone. */
export interface SettingsWrite {
  readonly file: string;
  /** Where it must stay. */
  readonly root: WriteRoot;
  readonly before: string | null;
  readonly after: string;
  /** What undoing makes of a text that somebody has edited since, or that was never kept. */
  readonly undone: (text: string, kept: Backup | null) => string | null;
}

/** What it takes to have a file as it was. */
interface DoneWrite extends Pick<SettingsWrite, "file" | "root" | "before"> {
  readonly kept: Backup | null;
  readonly folders: readonly string[];
}

/** Takes all back, since what comes next has failed. Gives what went wrong with that. */
export type RollBack = () => HostProblem | null;

/** Writes settings files, each in one step, or none of them; keeps for each what undoing it is to put back. */
export function writeSettingsFiles(
  replacements: readonly SettingsWrite[],
  by: BackupOwner,
  host: Host,
): Result<RollBack, HostProblem> {
  for (const { file, root } of replacements) {
    const cause = whyNotWritable(root, file);
    if (cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path: file, cause });
  }
  const written: DoneWrite[] = [];
  const takeBack: RollBack = () =>
    written.reverse().reduce<HostProblem | null>((problem, one) => problem ?? putBack(one, by, host), null);
  for (const replacement of replacements) {
    const { file, root, before } = replacement;
    try {
      const was = {
        file,
        root,
        before,
        kept: readBackup(file, host, by),
        folders: makeFolder(dirname(file), FOLDER_MODE),
      };
      written.push(was);
      write(replacement, was, by, host);
    } catch (error) {
      takeBack();
      return fail(notWritten(file, error));
    }
  }
  return ok(takeBack);
}

function write({ file, before, after, undone }: SettingsWrite, was: DoneWrite, by: BackupOwner, host: Host): void {
  const { kept } = was;
  const folders = [...was.folders, ...(kept?.folders ?? [])];
  // An edit since may stand among what we wrote: as it is, it would put our own part back.
  const earlier = kept?.after === before ? kept.before : before === null ? null : undone(before, kept);
  writeBackup(file, { before: earlier, after, folders }, host, by);
  writeFileAtomic(file, after, modeOf(file));
}

function putBack({ file, root, before, folders, kept }: DoneWrite, by: BackupOwner, host: Host): HostProblem | null {
  const present = readIfPresent(file);
  // Where it could not be written it cannot be restored either, and need not.
  const isAsBefore = before !== null && present.ok && present.value?.toString("utf8") === before;
  const restored = isAsBefore ? ok(null) : restoreSettingsFile({ file, root }, { before, folders });
  if (!restored.ok) return restored.error;
  try {
    if (kept === null) deleteBackup(file, host, by);
    else writeBackup(file, kept, host, by);
    return null;
  } catch (error) {
    return notWritten(file, error);
  }
}

/** Puts a text back; null: the file goes, and the folders that were made for it. */
export function restoreSettingsFile(
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
      makeFolder(dirname(file), FOLDER_MODE);
      writeFileAtomic(file, before, modeOf(file));
    }
    return ok(null);
  } catch (error) {
    return fail(notWritten(file, error));
  }
}

const modeOf = (file: string): number => (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;

/** Not for the group, whatever the umask says: others could change what lies in it, and it would be refused. */
const FOLDER_MODE = 0o755;

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else has put something there.
  }
}

const notWritten = (path: string, error: unknown): HostProblem => ({
  code: "FILE_NOT_WRITTEN",
  path,
  cause: errnoCode(error) ?? String(error),
});
