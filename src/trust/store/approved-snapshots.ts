import { dirname, join, resolve } from "node:path";
import { sha256Of } from "../../fs/hash.ts";
import { type FileReader, readFileBytes } from "../../fs/read-file.ts";
import { writeFileAtomic } from "../../fs/write-file.ts";
import type { Approval } from "../../protocol/approval.ts";
import { isSettingsApproval } from "../decide/approval-key.ts";

/** Larger files can be approved too, but their differences cannot be shown later. */
const MAX_SNAPSHOT_BYTES = 256 * 1024;

/**
 * Saves copies of the approved files, named by hash, so that later differences can be shown. They are beside the store
 * and not in it, because every tool call reads the store. An approval does not fail if a copy cannot be saved.
 */
export function saveSnapshots(trustFile: string, approval: Approval, read: FileReader): void {
  const { realPath, sha256, helpers, path, project } = approval;
  // The approval of a settings file has the canonical text of the settings here, and no hash.
  if (sha256 !== null && isSettingsApproval(approval)) {
    saveSnapshot(trustFile, contentIn(read(path)), settingsSnapshotName(sha256));
    return;
  }
  const files = [
    [realPath, sha256],
    ...Object.entries(approval.files).map(([name, hash]) => [resolve(project, name), hash]),
    ...Object.entries(helpers).map(([name, hash]) => [join(dirname(path), name), hash]),
  ];
  for (const [file, hash] of files) {
    const content = file && hash ? contentIn(read(file)) : null;
    // The file may have changed since its hash was taken; only the approved bytes may be stored under the hash.
    if (hash && content !== null && sha256Of(content) === hash) saveSnapshot(trustFile, content, hash);
  }
}

const contentIn = (read: ReturnType<FileReader>): Buffer | null => (read.ok ? read.value : null);

function saveSnapshot(trustFile: string, content: Buffer | null, name: string): void {
  if (content === null || content.length > MAX_SNAPSHOT_BYTES) return;
  try {
    writeFileAtomic(join(folderOf(trustFile), name), content);
  } catch {
    // Full or read-only: writing the approval will report it.
  }
}

/** The approved content with this hash; null if no copy was saved. */
export const readSnapshot = (trustFile: string, hash: string | null): Buffer | null =>
  hash !== null && /^[0-9a-f]{64}$/.test(hash) ? contentOf(join(folderOf(trustFile), hash)) : null;

/** The text of a settings file when its settings were approved; null if no copy was saved. */
export const readSettingsSnapshot = (trustFile: string, canonicalText: string): Buffer | null =>
  contentOf(join(folderOf(trustFile), settingsSnapshotName(canonicalText)));

/** Several texts have the same settings, so the name is not the hash of the copy. */
const settingsSnapshotName = (canonicalText: string): string => `${sha256Of(canonicalText)}.settings`;

export interface HashContext {
  readonly read: FileReader;
  /** The trust store; copies of approved files are in the same folder. Null if there is none. */
  readonly trustFile: string | null;
}

/**
 * SHA-256 of a file, which is usually unchanged: a file with the same bytes as the saved copy has the same hash, and a
 * comparison is cheaper for each tool call than loading a hash function (3 ms).
 */
export function hashUsingSnapshot(
  path: string,
  expected: string | null,
  { read, trustFile }: HashContext,
): string | null {
  const snapshot = expected === null || trustFile === null ? null : contentOf(join(folderOf(trustFile), expected));
  const found = read(path);
  const content = found.ok ? found.value : null;
  if (content === null) return null;
  return snapshot?.equals(content) ? expected : sha256Of(content);
}

function contentOf(path: string): Buffer | null {
  try {
    return readFileBytes(path);
  } catch {
    return null;
  }
}

const folderOf = (trustFile: string): string => join(dirname(trustFile), "approved");
