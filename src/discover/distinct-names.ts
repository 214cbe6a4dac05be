import { basename, dirname, relative } from "node:path";
import { type Candidate, isMachine } from "../protocol/hook.ts";

/** True if the hook has an approval. Asked only where several hooks share a name. */
type IsApproved = (candidate: Candidate) => boolean;

/**
 * Makes names unique, so that every hook can be selected. An approved hook keeps its name, so that a new file does not get
 * the settings of a hook that is in use; among equals the first one keeps it. Approvals use paths, not names.
 */
export function withDistinctNames(
  candidates: readonly Candidate[],
  projectDirs: readonly string[],
  isApproved: IsApproved,
): readonly Candidate[] {
  const named = withNamesOfFiles(candidates, isApproved);
  return projectDirs.length < 2 ? named : withNamesOfFolders(named, projectDirs, isApproved);
}

/** Hooks of nested project folders: others get their folder in front of the name (`web/guard`). */
function withNamesOfFolders(
  candidates: readonly Candidate[],
  projectDirs: readonly string[],
  isApproved: IsApproved,
): readonly Candidate[] {
  const [outermost = ""] = projectDirs;
  const folderOf = ({ projectDir }: Candidate): string =>
    projectDir !== null && projectDirs.includes(projectDir) ? projectDir : "";
  const byFolder = [...candidates].sort((a, b) => projectDirs.indexOf(folderOf(a)) - projectDirs.indexOf(folderOf(b)));
  const owners = ownersOf(byFolder, { key: ({ name }) => name, placeOf: folderOf }, isApproved);
  const taken = new Set(owners.keys());
  const renamed = new Map<string, string>();
  const nameIn = (folder: string, name: string): string => {
    const known = renamed.get(`${folder}\0${name}`);
    if (known !== undefined) return known;
    const prefix = relative(outermost, folder) || basename(outermost);
    let qualified = `${prefix}/${name}`;
    while (taken.has(qualified)) qualified = `${prefix}/${qualified}`;
    taken.add(qualified);
    renamed.set(`${folder}\0${name}`, qualified);
    return qualified;
  };
  return candidates.map((candidate) => {
    const { name } = candidate;
    const folder = folderOf(candidate);
    if (folder === "" || owners.get(name) === folder) return candidate;
    return { ...candidate, name: nameIn(folder, name), baseName: name };
  });
}

/** Entries of two files in one folder, but for the machine's, which nobody else can rename: others get their file in front of the name (`hooks.json/PreToolUse#1`). */
function withNamesOfFiles(candidates: readonly Candidate[], isApproved: IsApproved): readonly Candidate[] {
  const key = ({ projectDir, name }: Candidate): string => `${projectDir}\0${name}`;
  const placeOf = (one: Candidate): string => (isMachine(one) ? "" : (one.entry?.file ?? ""));
  const owners = ownersOf(candidates, { key, placeOf }, isApproved);
  return candidates.map((candidate) => {
    const { name, projectDir, entry } = candidate;
    if (entry === null || isMachine(candidate) || owners.get(key(candidate)) === entry.file) return candidate;
    const folder = projectDir ?? dirname(entry.file);
    return { ...candidate, name: `${relative(folder, entry.file)}/${name}`, baseName: name };
  });
}

interface Grouping {
  /** Candidates with the same key compete for one name. */
  readonly key: (candidate: Candidate) => string;
  /** Where the candidate stands; empty: it does not compete. */
  readonly placeOf: (candidate: Candidate) => string;
}

/** The place that keeps each name: the first with an approved hook of that name, else the first. */
function ownersOf(
  candidates: readonly Candidate[],
  { key, placeOf }: Grouping,
  isApproved: IsApproved,
): ReadonlyMap<string, string> {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    if (placeOf(candidate) === "") continue;
    const group = groups.get(key(candidate));
    if (group === undefined) groups.set(key(candidate), [candidate]);
    else group.push(candidate);
  }
  return new Map(
    [...groups].map(([name, group]) => {
      const isShared = group.some((one) => placeOf(one) !== placeOf(group[0] ?? one));
      const owner = (isShared ? group.find(isApproved) : undefined) ?? group[0];
      return [name, owner === undefined ? "" : placeOf(owner)];
    }),
  );
}
