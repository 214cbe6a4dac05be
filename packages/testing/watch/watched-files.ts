import { basename, dirname, join, resolve } from "node:path";
import fastGlob from "fast-glob";
import { findCandidates, type HookFolder } from "../../../src/discover/find-candidates.ts";
import { findAllCandidates, hookFolders } from "../../../src/engine/hooks/candidates.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { isFolder, isInside } from "../../../src/fs/paths.ts";
import type { Candidate } from "../../../src/protocol/hook.ts";
import { approvalFolder } from "../../../src/trust/evidence/evidence.ts";
import { takeSnapshot } from "../../../src/trust/review/review.ts";
import { readCaseFiles } from "../cases/case-files.ts";
import { resolvePathArgument } from "../select/plan-selection.ts";

/** The role of each file in one state of the disk. */
export interface Watched {
  /** Each hook by its path, with every file that affects it. */
  readonly hooks: ReadonlyMap<string, readonly string[]>;
  readonly hookFolders: readonly string[];
  /** The names of the hooks that each file of cases is about. */
  readonly caseFiles: ReadonlyMap<string, readonly string[]>;
  /** Files that affect every hook: settings and approvals. */
  readonly settingsFiles: readonly string[];
  readonly settingsFolders: readonly string[];
}

/** The watched files, with the hooks as they are now. */
export interface WatchedFiles extends Watched {
  readonly candidates: readonly Candidate[];
  /** Every folder in which a saved file may matter. */
  readonly folders: readonly string[];
}

/** The project as it was found before a test. */
export interface WatchedProject {
  readonly context: RunContext;
  readonly files: WatchedFiles;
}

/** Placeholder for the name of a hook in cases about guards or about all hooks together. */
export const EVERY_HOOK = "*";

/** Finds the files of the hooks that these arguments select; nothing is started. */
export function watchedFiles(words: readonly string[], context: RunContext, cwd: string): WatchedFiles {
  const named = words.flatMap((word) => resolvePathArgument(word, context, cwd)?.folder ?? []);
  const searched = [...named, ...hookFolders(context)];
  const all = [...findCandidates(named).candidates, ...findAllCandidates(context).candidates];
  const candidates = [...new Map(all.map((one) => [one.path, one])).values()];
  const hooks = new Map(candidates.map((one) => [one.path, filesOf(one)]));
  const hookPaths = [...new Set(searched.map(({ path }) => path))];
  const caseFiles = caseFilesIn(searched);
  const { homeDir, projectDirs } = context.scopes;
  const settingsFolders = [...projectDirs, ...(homeDir === null ? [] : [homeDir])].map((dir) => join(dir, ".kodelet"));
  const settingsFiles = [
    ...context.plan.files.flatMap(({ file }) => file ?? []),
    ...(context.trustFile === null ? [] : [context.trustFile]),
  ];
  const files = [...[...hooks.values()].flat(), ...caseFiles.keys(), ...settingsFiles];
  const folders = new Set([
    ...hookPaths.flatMap((path) => [path, ...helperFolders(path), join(dirname(path), "tests")]),
    ...settingsFolders,
    ...files.map((file) => dirname(file)),
  ]);
  return {
    candidates,
    hooks,
    hookFolders: hookPaths,
    caseFiles,
    settingsFiles,
    settingsFolders,
    folders: [...folders].filter(isFolder),
  };
}

/** The hook itself, the target of its link, and the helpers that an approval covers. */
function filesOf(candidate: Candidate): readonly string[] {
  const { helpers = {}, files = {} } = takeSnapshot(candidate).evidence ?? {};
  const [beside, below] = [dirname(candidate.path), approvalFolder(candidate)];
  return [
    ...[candidate.path, candidate.realPath],
    ...Object.keys(helpers).map((name) => resolve(beside, name)),
    ...Object.keys(files).map((name) => resolve(below, name)),
  ];
}

function caseFilesIn(folders: readonly HookFolder[]): ReadonlyMap<string, readonly string[]> {
  const { cases, faults } = readCaseFiles(folders);
  const names = new Map<string, string[]>(faults.map(({ file }) => [file, []]));
  for (const { file, subject } of cases) {
    const name = subject.kind === "guard" || subject.kind === "chain" ? EVERY_HOOK : subject.name;
    names.set(file, [...(names.get(file) ?? []), name]);
  }
  return names;
}

const MOST_FOLDERS = 200;

/** Folders of helpers, two levels deep. */
const helperFolders = (folder: string): readonly string[] =>
  fastGlob
    .sync(["*", "*/*"], {
      cwd: folder,
      ignore: ["**/node_modules"],
      absolute: true,
      onlyDirectories: true,
      followSymbolicLinks: false,
      suppressErrors: true,
    })
    .slice(0, MOST_FOLDERS);

/** Hooks that are tested again, by their paths or names. */
export type Affected = "all" | ReadonlySet<string>;

/** The hooks that saved files affect, by the roles of the files before and after. */
export function affectedBy(saved: readonly string[], states: readonly Watched[]): Affected {
  const found = states.flatMap((watched) => saved.map((path) => affectedByOne(path, watched)));
  if (found.includes("all")) return "all";
  const hooks = new Set(found.flatMap((one) => [...one]));
  // A case of the whole chain needs every hook.
  const hasChain = states.some(({ caseFiles }) => [...caseFiles.values()].some((names) => names.includes(EVERY_HOOK)));
  return hasChain && hooks.size > 0 ? "all" : hooks;
}

function affectedByOne(path: string, watched: Watched): "all" | readonly string[] {
  const { hooks, caseFiles, settingsFiles, settingsFolders } = watched;
  if (settingsFiles.includes(path)) return "all";
  // A folder that appeared or disappeared affects everything in it.
  const known = [...hooks].filter(([, files]) => files.some((file) => isInside(path, file))).map(([hook]) => hook);
  const inCases = [...caseFiles].filter(([file]) => isInside(path, file)).flatMap(([, names]) => names);
  if (known.length > 0 || inCases.length > 0) return [...known, ...inCases];
  if (isOfEditor(path)) return [];
  const folder = dirname(path);
  if (settingsFolders.includes(folder) && SETTINGS.test(path)) return "all";
  // A hook was created or deleted.
  if (watched.hookFolders.includes(folder)) return [path];
  // An unknown helper may belong to any hook beside its folder.
  const above = watched.hookFolders.filter((one) => isInside(one, folder));
  return [...hooks.keys()].filter((hook) => above.includes(dirname(hook)));
}

const SETTINGS = /\.(?:json|ya?ml|toml)$/;

/** Temporary files of editors. */
const isOfEditor = (path: string): boolean => /^\.|~$|\.(?:sw[a-z]|tmp|bak|orig)$|^4913$|^#.*#$/.test(basename(path));
