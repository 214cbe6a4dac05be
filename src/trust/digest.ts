import { dirname, relative, resolve } from "node:path";
import type { PlacedEntry } from "../contract/entry.ts";
import type { Candidate } from "../contract/hook.ts";
import { contentHash, hashOf } from "../disk/content-hash.ts";
import { entryEvidence } from "./entry-evidence.ts";
import { filesBelow, isNote } from "./hooks-folder.ts";

/**
 * One hash over the hooks folders, each file with its content and whether it may be executed, and over the declared
 * entries with their files; not over where the project lies, so that the same checkout has the same digest on every
 * machine. What an executable names in `files` is not in it: only the hook itself says that, and nothing is started
 * for a digest. Null: a folder holds too many files.
 */
export function projectDigest(candidates: readonly Candidate[], projectDirs: readonly string[]): string | null {
  const [projectDir = "/"] = projectDirs;
  const found = candidates.filter(({ entry, settings }) => entry === null && settings === undefined);
  const folders = [...new Set(found.map(({ path }) => dirname(path)))].sort();
  const lines = candidates.flatMap(({ entry, path, settings }) => {
    if (settings !== undefined) return [settings];
    return entry === null ? [] : entryLines(entry, path, projectDir);
  });
  for (const folder of folders) {
    const files = filesBelow(folder);
    if (files === null) return null;
    for (const file of files) {
      const { path, isExecutable } = file;
      if (!isNote(file) || isExecutable)
        lines.push([relative(projectDir, path), isExecutable, contentHash(path)].join("\0"));
    }
  }
  return `sha256:${hashOf(lines.sort().join("\n"))}`;
}

function entryLines(entry: PlacedEntry, path: string, projectDir: string): readonly string[] {
  const { sha256, files } = entryEvidence(entry, path, projectDir, { before: null, trustFile: null });
  const named = Object.entries(files).map(([file, hash]) => [relative(projectDir, resolve(projectDir, file)), hash]);
  return [[relative(projectDir, entry.file), sha256], ...named].map((parts) => parts.join("\0"));
}
