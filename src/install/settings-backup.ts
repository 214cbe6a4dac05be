import { readFileSync, realpathSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { valueHash } from "../audit/value-hash.ts";
import { callerOf, findCallerScopes, findUserPaths } from "../engine/user-paths.ts";
import { writeFileAtomic } from "../fs/write-file.ts";
import type { Host } from "../host.ts";

/** What a file held before hookctl wrote to it, and what it held right after. */
export interface Backup {
  /** The text before; null: there was no file. */
  readonly before: string | null;
  readonly after: string;
  /** Folders that were made for it, the innermost first. */
  readonly folders: readonly string[];
}

/** Each verb undoes what it did itself. */
export type BackupOwner = "install" | "adopt";

/** Where the text of before is kept until it is undone; null: nowhere. */
export function backupFile(file: string, host: Host, by: BackupOwner): string | null {
  const caller = callerOf(host, null);
  const scopes = findCallerScopes(caller);
  const folder = scopes.ok ? findUserPaths(scopes.value, caller).backupsDir : null;
  return folder === null ? null : join(folder, `${by}-${valueHash(file)}.json`);
}

export function readBackup(file: string, host: Host, by: BackupOwner): Backup | null {
  const place = backupFile(file, host, by);
  try {
    return place === null ? null : asBackup(JSON.parse(readFileSync(place, "utf8")));
  } catch {
    return null;
  }
}

/** What is no record of ours undoes nothing: it could name any folder to remove. */
function asBackup(found: unknown): Backup | null {
  const { before, after, folders }: Partial<Record<keyof Backup, unknown>> = Object(found);
  const isText = typeof after === "string" && (before === null || typeof before === "string");
  const isWhole = isText && Array.isArray(folders) && folders.every((folder) => typeof folder === "string");
  return isWhole ? { before, after, folders } : null;
}

/** Throws what the disk says. */
export function writeBackup(file: string, kept: Backup, host: Host, by: BackupOwner): void {
  const place = backupFile(file, host, by);
  if (place === null) return;
  writeFileAtomic(place, JSON.stringify(kept));
}

export function deleteBackup(file: string, host: Host, by: BackupOwner): void {
  const place = backupFile(file, host, by);
  try {
    if (place !== null) unlinkSync(place);
  } catch {
    // There was nothing to forget.
  }
}

/** Does it hold just what this user has let hookctl write? */
export function isUnmodified(file: string, host: Host): boolean {
  try {
    const real = realpathSync(file);
    return readBackup(real, host, "install")?.after === readFileSync(real, "utf8");
  } catch {
    return false;
  }
}
