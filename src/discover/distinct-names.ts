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
  if (projectDirs.length < 2) return candidates;
  const rank = ({ projectDir }: Candidate): number => projectDirs.indexOf(projectDir ?? "");
  const ofProject = candidates.filter((candidate) => rank(candidate) >= 0);
  const owners = new Map<string, number>();
  for (const one of ofProject) owners.set(one.name, Math.min(rank(one), owners.get(one.name) ?? rank(one)));
  return candidates.map((candidate) => {
    const { name, projectDir } = candidate;
    if (projectDir === null || rank(candidate) <= (owners.get(name) ?? -1)) return candidate;
    let qualified = name;
    while (owners.has(qualified)) qualified = `${relative(outermost, projectDir)}/${qualified}`;
    return { ...candidate, name: qualified, baseName: name };
  });
}
