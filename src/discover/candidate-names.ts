import { basename, dirname, relative, resolve } from "node:path";
import type { LocatedEntry } from "../protocol/entry.ts";
import { type Candidate, RANK } from "../protocol/hook.ts";
import { isPathArgument } from "../protocol/text/shell-quote.ts";
import { stampOfFile } from "./find-candidates.ts";

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
  const owners = ownersOf(byFolder, ({ name }) => name, folderOf, isApproved);
  const taken = new Set(owners.keys());
  const renamed = new Map<string, string>();
  return candidates.map((candidate) => {
    const { name } = candidate;
    const folder = folderOf(candidate);
    if (folder === "" || owners.get(name) === folder) return candidate;
    const prefix = relative(outermost, folder) || basename(outermost);
    let qualified = renamed.get(`${folder}\0${name}`) ?? `${prefix}/${name}`;
    while (taken.has(qualified) && !renamed.has(`${folder}\0${name}`)) qualified = `${prefix}/${qualified}`;
    taken.add(qualified);
    renamed.set(`${folder}\0${name}`, qualified);
    return { ...candidate, name: qualified, baseName: name };
  });
}

/**
 * Entries of two files in one folder: others get their file in front of the name (`hooks.json/PreToolUse#1`). The machine's entries keep
 * their names, because nobody else can rename them.
 */
function withNamesOfFiles(candidates: readonly Candidate[], isApproved: IsApproved): readonly Candidate[] {
  const key = ({ projectDir, name }: Candidate): string => `${projectDir}\0${name}`;
  const fileOf = ({ source, entry }: Candidate): string => (source === "machine" ? "" : (entry?.file ?? ""));
  const owners = ownersOf(candidates, key, fileOf, isApproved);
  return candidates.map((candidate) => {
    const { name, projectDir } = candidate;
    const file = fileOf(candidate);
    if (file === "" || owners.get(key(candidate)) === file) return candidate;
    return { ...candidate, name: `${relative(projectDir ?? dirname(file), file)}/${name}`, baseName: name };
  });
}

/**
 * The location that keeps each name: the first with an approved hook of that name, else the first. Candidates with the same key compete
 * for one name, but for those whose location is empty.
 */
function ownersOf(
  candidates: readonly Candidate[],
  keyOf: (candidate: Candidate) => string,
  locationOf: (candidate: Candidate) => string,
  isApproved: IsApproved,
): ReadonlyMap<string, string> {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key = keyOf(candidate);
    if (locationOf(candidate) !== "") groups.set(key, [...(groups.get(key) ?? []), candidate]);
  }
  const ownerOf = (group: readonly Candidate[]): string => {
    const isShared = new Set(group.map(locationOf)).size > 1;
    const owner = (isShared ? group.find(isApproved) : undefined) ?? group[0];
    return owner === undefined ? "" : locationOf(owner);
  };
  return new Map([...groups].map(([name, group]) => [name, ownerOf(group)]));
}

/** The entries of the settings files as candidates, with the owner and mode of their file. */
export function declaredCandidates(entries: readonly LocatedEntry[]): readonly Candidate[] {
  const taken = new Set<string>();
  return entries.map((entry): Candidate => {
    const path = freePath(entry, taken);
    taken.add(path);
    return {
      name: entry.name,
      path,
      realPath: path,
      source: entry.scope === "machine" ? "machine" : "config",
      rank: RANK.declared + entry.position,
      projectDir: entry.scope === "project" ? entry.folder : null,
      stamp: stampOfFile(entry.file),
      entry,
    };
  });
}

/** A path for an entry, by which it is approved: unique, and safe for any name. */
function freePath({ file, name }: LocatedEntry, taken: ReadonlySet<string>): string {
  const path = `${file}${endOf(name)}`;
  if (!taken.has(path)) return path;
  let number = 2;
  while (taken.has(`${path}%${number}`)) number += 1;
  return `${path}%${number}`;
}

/** The settings file in the path of an entry, which ends with the entry's name and possibly a number. */
export function fileOfEntry({ name, path }: Pick<Candidate, "name" | "path">): string {
  const start = path.lastIndexOf(endOf(name));
  return start === -1 ? path : path.slice(0, start);
}

const endOf = (name: string): string => `#${name.replaceAll("%", "%25").replaceAll("/", "%2F")}`;

/** True if a command line argument names this hook: by its name, or by its path. */
export const matchesHookArgument = (
  word: string,
  hook: { readonly name: string; readonly path: string },
  cwd: string,
): boolean => (isPathArgument(word) ? resolve(cwd, word) === hook.path : word === hook.name);

/** The name of the hook that an argument names without its extension, if no hook has that name: `guard` for `guard.mts`. */
export function fullHookName(word: string, names: readonly string[]): string {
  if (names.includes(word)) return word;
  const longer = new Set(names.filter((name) => name.startsWith(word) && /^\.[a-z]+$/.test(name.slice(word.length))));
  const [only = word] = longer;
  return longer.size === 1 ? only : word;
}
