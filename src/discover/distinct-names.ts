import { relative } from "node:path";
import type { Candidate } from "../contract/hook.ts";

/**
 * Names that two project folders share, told apart: the outermost folder's hook keeps the name, and the others have their
 * folder in front of it (`web/guard`), so that every hook can be named. Approvals are kept by path, so no name matters to them.
 */
export function withDistinctNames(
  candidates: readonly Candidate[],
  projectDirs: readonly string[],
): readonly Candidate[] {
  const [outermost = ""] = projectDirs;
  const named = withNamesOfFiles(candidates);
  if (projectDirs.length < 2) return named;
  const rank = ({ projectDir }: Candidate): number => projectDirs.indexOf(projectDir ?? "");
  const ofProject = named.filter((candidate) => rank(candidate) >= 0);
  const owners = new Map<string, number>();
  for (const one of ofProject) owners.set(one.name, Math.min(rank(one), owners.get(one.name) ?? rank(one)));
  return named.map((candidate) => {
    const { name, projectDir } = candidate;
    if (projectDir === null || rank(candidate) <= (owners.get(name) ?? -1)) return candidate;
    let qualified = name;
    while (owners.has(qualified)) qualified = `${relative(outermost, projectDir)}/${qualified}`;
    return { ...candidate, name: qualified, baseName: name };
  });
}

/** Entries of two files of one folder: those of the first file keep the name, the others have their file in front of it. */
function withNamesOfFiles(candidates: readonly Candidate[]): readonly Candidate[] {
  const owners = new Map<string, string>();
  return candidates.map((candidate) => {
    const { name, projectDir, entry } = candidate;
    if (entry === null) return candidate;
    const key = `${projectDir}\0${name}`;
    const owner = owners.get(key) ?? entry.file;
    owners.set(key, owner);
    if (owner === entry.file) return candidate;
    const folder = projectDir ?? entry.file.slice(0, entry.file.lastIndexOf("/"));
    return { ...candidate, name: `${relative(folder, entry.file)}/${name}`, baseName: name };
  });
}
