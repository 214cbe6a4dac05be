import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { findCandidates, type HookFolder } from "../../../src/discover/find-candidates.ts";
import { findAllCandidates, hookFolders } from "../../../src/engine/hooks/candidates.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { isFolder, isInside } from "../../../src/fs/paths.ts";
import type { Candidate } from "../../../src/protocol/hook.ts";
import { approvalFolder } from "../../../src/trust/evidence/evidence.ts";
import { takeSnapshot } from "../../../src/trust/review/review.ts";
import { readCaseFiles } from "../cases/case-files.ts";
import type { CaseSubject } from "../cases/test-case.ts";
import { resolvePathArgument } from "../select/plan-selection.ts";

/** The watched files, with the hooks as they are now. */
export interface WatchedFiles extends Watched {
  readonly candidates: readonly Candidate[];
  /** Every folder in which a saved file may matter. */
  readonly folders: readonly string[];
}

/** Finds the files of the hooks that these arguments select; nothing is started. */
export function watchedFiles(words: readonly string[], context: RunContext, cwd: string): WatchedFiles {
  const named = words.flatMap((word) => resolvePathArgument(word, context, cwd)?.folder ?? []);
  const searched: readonly HookFolder[] = [...named, ...hookFolders(context)];
  const all = [...findCandidates(named).candidates, ...findAllCandidates(context).candidates];
  const candidates = [...new Map(all.map((one) => [one.path, one])).values()];
  const hooks = candidates.map((one) => ({ path: one.path, files: filesOf(one) }));
  const hookPlaces = [...new Set(searched.map(({ path }) => path))];
  const caseFiles = caseFilesIn(searched);
  const { homeDir, projectDirs } = context.scopes;
  const settingsFolders = [...projectDirs, ...(homeDir === null ? [] : [homeDir])].map((dir) => join(dir, ".kodelet"));
  const settingsFiles = [
    ...context.plan.files.flatMap(({ file }) => file ?? []),
    ...(context.trustFile === null ? [] : [context.trustFile]),
  ];
  const files = [...hooks.flatMap((hook) => hook.files), ...caseFiles.keys(), ...settingsFiles];
  const folders = new Set([
    ...[...hookPlaces, ...hookPlaces.flatMap(foldersIn), ...settingsFolders],
    ...[...hookPlaces.map((path) => join(dirname(path), "tests")), ...files.map((file) => dirname(file))],
  ]);
  return {
    candidates,
    hooks,
    hookFolders: hookPlaces,
    caseFiles,
    settingsFiles,
    settingsFolders,
    folders: [...folders].filter(isFolder),
  };
}

/** The hook itself, the target of its link, and the helpers that an approval covers. */
function filesOf(candidate: Candidate): readonly string[] {
  const { evidence } = takeSnapshot(candidate);
  const [beside, below] = [dirname(candidate.path), approvalFolder(candidate)];
  return [
    ...[candidate.path, candidate.realPath],
    ...Object.keys(evidence?.helpers ?? {}).map((name) => resolve(beside, name)),
    ...Object.keys(evidence?.files ?? {}).map((name) => resolve(below, name)),
  ];
}

function caseFilesIn(folders: readonly HookFolder[]): ReadonlyMap<string, readonly string[]> {
  const { cases, faults } = readCaseFiles(folders);
  const names = new Map<string, string[]>(faults.map(({ file }) => [file, []]));
  for (const { file, subject } of cases)
    names.set(file, [...(names.get(file) ?? []), OF_ALL.has(subject.kind) ? EVERY_HOOK : nameOf(subject)]);
  return names;
}

/** Cases about guards, or about all hooks together. */
const OF_ALL: ReadonlySet<CaseSubject["kind"]> = new Set(["guard", "chain"] as const);
const nameOf = (subject: CaseSubject): string => (subject.kind === "chain" ? "" : subject.name);

const MOST_FOLDERS = 200;

/** Folders of helpers, two levels deep. */
function foldersIn(folder: string, depth = 0): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const here = entries.filter((one) => one.isDirectory() && one.name !== "node_modules" && !one.name.startsWith("."));
    const paths = here.slice(0, MOST_FOLDERS).map(({ name }) => join(folder, name));
    return depth === 0 ? [...paths, ...paths.flatMap((path) => foldersIn(path, 1))] : paths;
  } catch {
    return [];
  }
}

/** A hook with every file that affects it. */
interface WatchedHook {
  readonly path: string;
  readonly files: readonly string[];
}

/** Placeholder for the name of a hook in cases about all of them. */
export const EVERY_HOOK = "*";

/** The role of each file in one state of the disk. */
export interface Watched {
  readonly hooks: readonly WatchedHook[];
  readonly hookFolders: readonly string[];
  /** The names of the hooks that each file of cases is about. */
  readonly caseFiles: ReadonlyMap<string, readonly string[]>;
  /** Files that count for every hook: settings and approvals. */
  readonly settingsFiles: readonly string[];
  readonly settingsFolders: readonly string[];
}

/** Which hooks are tested again. */
export interface Affected {
  readonly isAll: boolean;
  readonly paths: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

export const ALL: Affected = { isAll: true, paths: new Set(), names: new Set() };

/** The hooks that saved files affect, by their roles before and after. */
export function affectedBy(saved: readonly string[], states: readonly Watched[]): Affected {
  const found = states.flatMap((watched) => saved.map((path) => affectedByOne(path, watched)));
  // A case of the whole chain needs every hook.
  const hasChain = states.some(({ caseFiles }) => [...caseFiles.values()].some((names) => names.includes(EVERY_HOOK)));
  if (hasChain && !found.every(isNothing)) return ALL;
  return {
    isAll: found.some(({ isAll }) => isAll),
    paths: new Set(found.flatMap(({ paths }) => [...paths])),
    names: new Set(found.flatMap(({ names }) => [...names])),
  };
}

export function isNothing({ isAll, paths, names }: Affected): boolean {
  return !isAll && paths.size === 0 && names.size === 0;
}

function affectedByOne(path: string, watched: Watched): Affected {
  const some = (paths: readonly string[], names: readonly string[] = []): Affected => ({
    isAll: false,
    paths: new Set(paths),
    names: new Set(names),
  });
  const { hooks, hookFolders, caseFiles, settingsFiles, settingsFolders } = watched;
  if (settingsFiles.includes(path)) return ALL;
  // A folder that appeared or disappeared affects everything in it.
  const known = hooks.filter(({ files }) => files.some((file) => isInside(path, file))).map((hook) => hook.path);
  const inCases = [...caseFiles].filter(([file]) => isInside(path, file)).flatMap(([, names]) => names);
  if (known.length > 0 || inCases.length > 0) return some(known, inCases);
  if (isOfEditor(path)) return some([]);
  const folder = dirname(path);
  if (settingsFolders.includes(folder) && SETTINGS.test(path)) return ALL;
  // A hook was created or deleted.
  if (hookFolders.includes(folder)) return some([path]);
  // An unknown helper may belong to any hook beside its folder.
  const below = hookFolders.filter((one) => isInside(one, folder));
  return some(hooks.map((hook) => hook.path).filter((hook) => below.includes(dirname(hook))));
}

const SETTINGS = /\.(?:json|ya?ml|toml)$/;

/** Temporary files of editors. */
const isOfEditor = (path: string): boolean => /^\.|~$|\.(?:sw[a-z]|tmp|bak|orig)$|^4913$|^#.*#$/.test(basename(path));
