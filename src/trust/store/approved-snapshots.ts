import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { sha256Of } from "../../fs/hash.ts";
import { readFileBytes } from "../../fs/read-file.ts";
import { writeFileAtomic } from "../../fs/write-file.ts";
import type { Approval } from "../../protocol/approval.ts";

/** Larger files can be approved too, but their differences cannot be shown later. */
const MAX_SNAPSHOT_BYTES = 256 * 1024;

/**
 * Saves copies of the approved files, named by hash, so that later differences can be shown. They are beside the store
 * and not in it, because every tool call reads the store. An approval does not fail if a copy cannot be saved.
 */
export function saveSnapshots(trustFile: string, approval: Approval): void {
  const { realPath, sha256, helpers, path, project } = approval;
  const files = [
    [realPath, sha256],
    ...Object.entries(approval.files).map(([name, hash]) => [resolve(project, name), hash]),
    ...Object.entries(helpers).map(([name, hash]) => [join(dirname(path), name), hash]),
  ];
  for (const [file, hash] of files) if (file && hash) saveSnapshot(trustFile, file, hash);
}

function saveSnapshot(trustFile: string, file: string, hash: string): void {
  try {
    if (statSync(file).size > MAX_SNAPSHOT_BYTES) return;
    // The file may have changed since it was hashed, and the copy must match its hash.
    const content = readFileBytes(file);
    if (sha256Of(content) !== hash) return;
    writeFileAtomic(join(folderOf(trustFile), hash), content);
  } catch {
    // Full or read-only: writing the approval will report it.
  }
}

/** The approved content with this hash; null if no copy was saved. */
export const readSnapshot = (trustFile: string, hash: string | null): Buffer | null =>
  hash !== null && /^[0-9a-f]{64}$/.test(hash) ? contentOf(join(folderOf(trustFile), hash)) : null;

/**
 * SHA-256 of a file, which is usually unchanged: a file with the same bytes as the saved copy has the same hash, and a
 * comparison is cheaper for each tool call than loading a hash function (3 ms).
 */
export function hashUsingSnapshot(path: string, expected: string | null, trustFile: string | null): string | null {
  const snapshot = expected === null || trustFile === null ? null : contentOf(join(folderOf(trustFile), expected));
  const content = contentOf(path);
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
