import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isFolder, statOrNull } from "../fs/file-kind.ts";
import { isInside, realPathOrSame } from "../fs/paths.ts";
import { isPermissionErrno, pathErrno } from "../protocol/errno.ts";
import type { HostProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";

/** Where hooks and settings of this call are looked for. */
export interface Scopes {
  /** The innermost project folder: the nearest one with a `.kodelet`, or the working directory. */
  readonly projectDir: string;
  /** Every project folder of this call, outermost first; the last one is `projectDir`. Empty in HOME. */
  readonly projectDirs: readonly string[];
  /** The outermost folder that belongs to the project: no place and no program of the user's own lies below it. */
  readonly rootDir: string;
  /** The folders in which a project's hooks may lie, from the working directory up. */
  readonly folders: readonly string[];
  /** Folders with a `.kodelet` above the git repository, outermost first: they count once something in them is approved. */
  readonly aboveRepository: readonly string[];
  /** Null: HOME is not an existing absolute folder, so there is no user scope. */
  readonly homeDir: string | null;
  /** False in HOME itself, which is user scope only. */
  readonly hasProject: boolean;
}

export interface ScopeInput {
  readonly cwd: string;
  /** `-C DIR`. */
  readonly directory: string | null;
  readonly home: string | null;
}

/**
 * Finds the project's folders: each one with a `.kodelet` from the working directory up to the git root, so that a folder
 * further down cannot hide the guards above it. Never HOME, and no folder above HOME.
 */
export function findScopes(input: ScopeInput): Result<Scopes, HostProblem> {
  const start = resolve(input.cwd, input.directory ?? ".");
  if (!isFolder(start)) return fail({ code: "PROJECT_MISSING", path: start, cause: "there is no such folder" });
  const homeDir = input.home !== null && mayBeHome(input.home) ? input.home : null;
  const home = homeDir === null ? null : realPathOrSame(homeDir);
  const folders = foldersUp(realPathOrSame(start), home);
  const top = folders.findIndex((folder) => exists(join(folder, ".git")));
  const inRepository = top === -1 ? folders : folders.slice(0, top + 1);
  const found = inRepository.filter(hasKodelet).reverse();
  const [working = start] = folders;
  const projectDir = found.at(-1) ?? working;
  const hasProject = projectDir !== home;
  const projectDirs = found.length > 0 ? found : [projectDir];
  return ok({
    projectDir,
    projectDirs: hasProject ? projectDirs : [],
    rootDir: (top === -1 ? projectDirs[0] : folders[top]) ?? projectDir,
    folders,
    aboveRepository:
      top === -1
        ? []
        : folders
            .slice(top + 1)
            .filter(hasKodelet)
            .reverse(),
    homeDir,
    hasProject,
  });
}

/**
 * The scopes with those folders above the repository in which the user has approved something: a repository that is nested in
 * a project, by a clone or by somebody who wants its guards out of the way, stays guarded by them.
 */
export function withFoldersAbove(scopes: Scopes, isApproved: (folder: string) => boolean): Scopes {
  const above = scopes.hasProject ? scopes.aboveRepository.filter(isApproved) : [];
  const [rootDir] = above;
  return rootDir === undefined ? scopes : { ...scopes, rootDir, projectDirs: [...above, ...scopes.projectDirs] };
}

/** HOME as the working directory stands alone; a folder that contains HOME is nobody's project unless one works in it. */
function foldersUp(start: string, home: string | null): readonly string[] {
  const folders = [start];
  for (let folder = start; folder !== home && folder !== dirname(folder); ) {
    folder = dirname(folder);
    if (home !== null && isInside(folder, home)) break;
    folders.push(folder);
  }
  return folders;
}

/** One that we may not look at is there all the same, and so may be the user's guards: its hooks folder tells. */
function mayBeHome(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    return isPermissionErrno(pathErrno(error));
  }
}

const exists = (path: string): boolean => statOrNull(path) !== null;
const hasKodelet = (folder: string): boolean => exists(join(folder, ".kodelet"));
