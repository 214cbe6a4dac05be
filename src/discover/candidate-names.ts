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
  const placeOf = (one: Candidate): string => (one.source === "machine" ? "" : (one.entry?.file ?? ""));
  const owners = ownersOf(candidates, { key, placeOf }, isApproved);
  return candidates.map((candidate) => {
    const { name, projectDir, entry } = candidate;
    if (entry === null || candidate.source === "machine" || owners.get(key(candidate)) === entry.file) return candidate;
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

/** The entries of the settings files as candidates, with the owner and mode of their file. */
export function declaredCandidates(entries: readonly LocatedEntry[]): readonly Candidate[] {
  const taken = new Set<string>();
  return entries.map((entry): Candidate => {
    const path = freePath(entry, taken);
    taken.add(path);
    const place = {
      rank: RANK.declared + entry.position,
      projectDir: entry.scope === "project" ? entry.folder : null,
    };
    const source = entry.scope === "machine" ? "machine" : "config";
    return { name: entry.name, path, realPath: path, source, ...place, stamp: stampOfFile(entry.file), entry };
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
