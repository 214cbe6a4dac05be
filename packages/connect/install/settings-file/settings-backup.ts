import { unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../../../src/engine/host.ts";
import { callerOf, findCallerScopes, findUserPaths } from "../../../../src/engine/user-paths.ts";
import { sha256Of } from "../../../../src/fs/hash.ts";
import { readIfPresent } from "../../../../src/fs/read-file.ts";
import { writeFileAtomic } from "../../../../src/fs/write-file.ts";
import { parseObject } from "../last-answers.ts";

/** The text of a settings file before hookctl wrote to it, and right after. */
export interface Backup {
  /** Null if the file did not exist. */
  readonly before: string | null;
  readonly after: string;
  /** The folders that were created for the file, the innermost first. */
  readonly folders: readonly string[];
}

/** Each command undoes only its own changes. */
export type BackupOwner = "install" | "adopt";

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
export function writeBackup(file: string, backup: Backup, host: Host, owner: BackupOwner): void {
  const path = backupFile(file, host, owner);
  if (path !== null) writeFileAtomic(path, JSON.stringify(backup));
}

export function deleteBackup(file: string, host: Host, owner: BackupOwner): void {
  const path = backupFile(file, host, owner);
  try {
    if (path !== null) unlinkSync(path);
  } catch {
    // There is no backup.
  }
}
