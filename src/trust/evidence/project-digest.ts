import { dirname, relative, resolve } from "node:path";
import { fileSha256, sha256Of } from "../../fs/hash.ts";
import type { LocatedEntry } from "../../protocol/entry.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { filesBelow, isMarkdown } from "../hook-files/files-below.ts";
import { computeEvidence } from "./evidence.ts";

/**
 * One hash over the hooks folders (content and execute bit of each file) and the declared entries with their files. The
 * project's path is not part of it, so the same checkout has the same digest on every machine. Files that an executable
 * lists in `files` are not covered, because it would have to be started to know them. Null if there are too many files.
 */
export function projectDigest(candidates: readonly Candidate[], projectDirs: readonly string[]): string | null {
  const [projectDir = "/"] = projectDirs;
  const found = candidates.filter(({ entry, settings }) => entry === null && settings === undefined);
  const folders = [...new Set(found.map(({ path }) => dirname(path)))].sort();
  const lines: string[] = [];
  for (const candidate of candidates) {
    const { entry, settings } = candidate;
    const own = entry === null ? [] : entryLines(candidate, entry, projectDir);
    if (own === null) return null;
    lines.push(...(settings === undefined ? own : [settings]));
  }
  for (const folder of folders) {
    const files = filesBelow(folder);
    if (files === null) return null;
    for (const file of files) {
      const { path, isExecutable } = file;
      if (!isMarkdown(file) || isExecutable)
        lines.push([relative(projectDir, path), isExecutable, fileSha256(path)].join("\0"));
    }
  }
  return `sha256:${sha256Of(lines.sort().join("\n"))}`;
}

/** Assumes a Python without PYTHONSAFEPATH, because the digest is for several machines. */
function entryLines(candidate: Candidate, entry: LocatedEntry, projectDir: string): readonly string[] | null {
  const context = { before: null, trustFile: null, supportsSafePath: () => false };
  const evidence = computeEvidence(candidate, context, []);
  if (evidence === null) return null;
  const { sha256, files, helpers } = evidence;
  const lineOf = (folder: string, [file, hash]: readonly [string, string]): string =>
    [relative(projectDir, resolve(folder, file)), hash].join("\0");
  return [
    [relative(projectDir, entry.file), sha256].join("\0"),
    ...Object.entries(files).map((file) => lineOf(projectDir, file)),
    ...Object.entries(helpers).map((file) => lineOf(dirname(entry.file), file)),
  ];
}
