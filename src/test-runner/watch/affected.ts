import { basename, dirname } from "node:path";
import { isInside } from "../../fs/paths.ts";

/** A hook, with every file that decides what it does. */
export interface WatchedHook {
  readonly path: string;
  readonly files: readonly string[];
}

/** Stands for the name of a hook where cases are about all of them. */
export const EVERY_HOOK = "*";

/** What a saved file may be, in one state of the disk. */
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

/** Which hooks the saved files affect, by what they were before and what they are now. */
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
    ...{ isAll: false, paths: new Set(paths), names: new Set(names) },
  });
  const { hooks, hookFolders, caseFiles, settingsFiles, settingsFolders } = watched;
  if (settingsFiles.includes(path)) return ALL;
  // A folder that came or went stands for everything in it.
  const known = hooks.filter(({ files }) => files.some((file) => isInside(path, file))).map((hook) => hook.path);
  const inCases = [...caseFiles].filter(([file]) => isInside(path, file)).flatMap(([, names]) => names);
  if (known.length > 0 || inCases.length > 0) return some(known, inCases);
  if (isOfEditor(path)) return some([]);
  const folder = dirname(path);
  if (settingsFolders.includes(folder) && SETTINGS.test(path)) return ALL;
  // A new hook, or one that is gone.
  if (hookFolders.includes(folder)) return some([path]);
  // A helper that nobody knows of may belong to any hook beside its folder.
  const below = hookFolders.filter((one) => isInside(one, folder));
  return some(hooks.map((hook) => hook.path).filter((hook) => below.includes(dirname(hook))));
}

const SETTINGS = /\.(?:json|ya?ml|toml)$/;

/** What editors write beside the file that they save. */
const isOfEditor = (path: string): boolean => /^\.|~$|\.(?:sw[a-z]|tmp|bak|orig)$|^4913$|^#.*#$/.test(basename(path));
