import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isExecutable } from "../discover/classify.ts";
import type { FoundCandidates } from "../discover/find-candidates.ts";
import type { Warning } from "../protocol/warning.ts";

const MOST_ENTRIES = 1000;

/** Hooks that are one folder too deep are reported, because they never run. */
export function subFolderNotices({ skipped, searched }: FoundCandidates): readonly Warning[] {
  const folders = skipped.filter(({ reason, path }) => reason === "sub_folder" && hasExecutable(path));
  const [path] = searched;
  return path === undefined || folders.length === 0
    ? []
    : [{ code: "SUB_FOLDERS_NOT_SEARCHED", path, folders: folders.map((folder) => basename(folder.path)) }];
}

function hasExecutable(folder: string): boolean {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).slice(0, MOST_ENTRIES);
    return entries.some((entry) => entry.isFile() && isExecutable(join(folder, entry.name)));
  } catch {
    // A folder that cannot be read is not known to hold a hook.
    return false;
  }
}
