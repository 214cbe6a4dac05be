import { join, resolve } from "node:path";
import {
  foldersAbove,
  isInside,
  mayBeFolder,
  mayExist,
  pathExists,
  realPathOrSame,
  whyNotFolder,
} from "../fs/paths.ts";
import type { HostProblem } from "../protocol/problem.ts";
import { fail, type Result } from "../protocol/result.ts";

/** The folders in which hooks and settings of this call are searched. */
export interface Scopes {
  /** The innermost project folder: the nearest one with a `.kodelet`, or the working directory. */
  readonly projectDir: string;
  /** Every project folder of this call, outermost first; the last one is `projectDir`. Empty in HOME. */
  readonly projectDirs: readonly string[];
  /** The outermost folder of the project; no user folder and no program in PATH may lie below it. */
  readonly rootDir: string;
  /** The folders in which a project's hooks may lie, from the working directory up. */
  readonly folders: readonly string[];
  /** Folders with a `.kodelet` above the git repository, outermost first: they are used once something in them is approved. */
  readonly aboveRepository: readonly string[];
  /** The home directory; null if HOME is not an existing absolute folder, so that there is no user scope. */
  readonly homeDir: string | null;
  /** False in HOME itself, which has the user scope only. */
  readonly hasProject: boolean;
}

export interface ScopeInput {
  readonly cwd: string;
  /** `-C DIR`. */
  readonly directory: string | null;
  readonly home: string | null;
  /** The home directory of the user who called sudo, with that user's own hooks and settings. */
  readonly homeOfCaller: string | null;
}

/**
 * Finds the project folders: each one with a `.kodelet` from the working directory up to the git root, so that a nested
 * folder cannot hide the guards above it. Never HOME or a folder above it.
 */
export function findScopes(input: ScopeInput): Result<Scopes, HostProblem> {
  const start = resolve(input.cwd, input.directory ?? ".");
  const cause = whyNotFolder(start);
  if (cause !== null) return fail({ code: "PROJECT_MISSING", path: start, cause });
  // A HOME that cannot be examined is used, because the user's guards may be in it.
  const homeDir = input.home !== null && mayBeFolder(input.home) ? input.home : null;
  const home = homeDir === null ? null : realPathOrSame(homeDir);
  const working = realPathOrSame(start);
  const homes = [home, input.homeOfCaller].filter((one) => one !== null);
  // A folder that contains HOME is used only as the working directory.
  const folders = [working, ...foldersAbove(working).filter((folder) => !homes.some((one) => isInside(folder, one)))];
  const top = folders.findIndex((folder) => pathExists(join(folder, ".git")));
  const withKodelet = folders.filter((folder) => mayExist(join(folder, ".kodelet"))).reverse();
  const isAbove = (folder: string): boolean => top !== -1 && folders.indexOf(folder) > top;
  const found = withKodelet.filter((folder) => !isAbove(folder));
  const projectDir = found.at(-1) ?? working;
  const hasProject = !homes.includes(projectDir);
  const projectDirs = found.length > 0 ? found : [projectDir];
  const value = {
    projectDir,
    projectDirs: hasProject ? projectDirs : [],
    rootDir: (top === -1 ? projectDirs[0] : folders[top]) ?? projectDir,
    folders,
    aboveRepository: withKodelet.filter(isAbove),
    homeDir,
    hasProject,
  };
  return { ok: true, value };
}

/**
 * Adds folders above the git repository in which something is approved, so that a repository nested in a project, by a
 * clone or on purpose, stays guarded by the hooks of that project.
 */
export function withFoldersAbove(scopes: Scopes, isApproved: (folder: string) => boolean): Scopes {
  const above = scopes.hasProject ? scopes.aboveRepository.filter(isApproved) : [];
  const [rootDir] = above;
  return rootDir === undefined ? scopes : { ...scopes, rootDir, projectDirs: [...above, ...scopes.projectDirs] };
}
