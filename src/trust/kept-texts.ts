import { copyFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Approval } from "../contract/approval.ts";

/** Larger files are approved as well; only their difference cannot be shown later. */
const LARGEST_KEPT_BYTES = 256 * 1024;

/**
 * Keeps a copy of what was approved, by its hash, so that a later difference can be shown. Beside the store and not in
 * it: every tool call reads the store. A copy that cannot be kept costs the difference, not the approval.
 */
export function keepText(
  trustFile: string,
  { realPath, sha256, helpers, path }: Pick<Approval, "realPath" | "sha256" | "helpers" | "path">,
): void {
  const files = [
    [realPath, sha256],
    ...Object.entries(helpers).map(([name, hash]) => [join(dirname(path), name), hash]),
  ];
  for (const [file, hash] of files) if (file && hash) keepOne(trustFile, file, hash);
}

function keepOne(trustFile: string, file: string, hash: string): void {
  try {
    if (statSync(file).size > LARGEST_KEPT_BYTES) return;
    const folder = folderOf(trustFile);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    copyFileSync(file, join(folder, hash));
  } catch {
    // Full or read-only: the approval itself will say so.
  }
}

/** The text that had this hash when it was approved; null when it was not kept. */
export function keptText(trustFile: string, hash: string | null): string | null {
  if (hash === null || !/^[0-9a-f]{64}$/.test(hash)) return null;
  try {
    return readFileSync(join(folderOf(trustFile), hash), "utf8");
  } catch {
    return null;
  }
}

const folderOf = (trustFile: string): string => join(dirname(trustFile), "approved");
