import { dirname, relative } from "node:path";
import type { Candidate } from "../contract/hook.ts";
import { contentHash, hashOf } from "../process/content-hash.ts";
import { filesBelow } from "./hooks-folder.ts";

/**
 * One hash over everything an approval of all these hooks would be bound to, but not where the project lies: the
 * same checkout has the same digest on every machine. Null: a folder holds too many files.
 */
export function projectDigest(candidates: readonly Candidate[], projectDir: string): string | null {
  const folders = [...new Set(candidates.map(({ path }) => dirname(path)))].sort();
  const lines: string[] = [];
  for (const folder of folders) {
    const files = filesBelow(folder);
    if (files === null) return null;
    for (const { name, path, isExecutable } of files) {
      if (!name.endsWith(".md") || isExecutable)
        lines.push([relative(projectDir, path), isExecutable, contentHash(path)].join("\0"));
    }
  }
  return `sha256:${hashOf(lines.join("\n"))}`;
}
