import { type Stats, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { keepsUnseen, placeError } from "../contract/place-error.ts";
import type { HostProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { realOrSame } from "../disk/paths.ts";

/** Where hooks and settings of this call are looked for. */
export interface Scopes {
  /** The project's folder: hooks, settings and PATH entries below it are the project's. */
  readonly projectDir: string;
  /** Null: HOME is not an absolute folder that exists, so there is no user scope. */
  readonly homeDir: string | null;
  /** False in HOME itself, which is user scope only. */
  readonly hasProject: boolean;
  /** The project's folder has a `.kodelet`. */
  readonly hasKodelet: boolean;
}

export interface ScopeInput {
  readonly cwd: string;
  /** `-C DIR`. */
  readonly directory: string | null;
  readonly home: string | null;
}

/** Finds the project: the folder itself, or the nearest parent with a .kodelet, never above HOME or the git root. */
export function findScopes(input: ScopeInput): Result<Scopes, HostProblem> {
  const start = resolve(input.cwd, input.directory ?? ".");
  if (!isFolder(start)) return fail({ code: "PROJECT_MISSING", path: start, cause: "there is no such folder" });
  const homeDir = input.home !== null && mayBeHome(input.home) ? input.home : null;
  const home = homeDir === null ? null : realOrSame(homeDir);
  const projectDir = nearestProject(realOrSame(start), home);
  const hasKodelet = exists(join(projectDir, ".kodelet"));
  return ok({ projectDir, homeDir, hasProject: projectDir !== home, hasKodelet });
}

function nearestProject(start: string, home: string | null): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (exists(join(folder, ".kodelet")) && folder !== home) return folder;
    const isTop = folder === home || exists(join(folder, ".git")) || folder === dirname(folder);
    if (isTop) return start;
  }
}

/** One that we may not look at is there all the same, and so may be the user's guards: its hooks folder tells. */
function mayBeHome(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    return keepsUnseen(placeError(error));
  }
}

export const isFolder = (path: string): boolean => statOrNull(path)?.isDirectory() ?? false;
const exists = (path: string): boolean => statOrNull(path) !== null;

function statOrNull(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    placeError(error);
    return null;
  }
}
