import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, resolve } from "node:path";
import { isInside, realPathOrSame, resolvesInside } from "../fs/paths.ts";

/** Whose programs a hook may find by name. */
export interface SearchContext {
  readonly projectDir: string;
  readonly homeDir: string | null;
  /** The user's `path_allow`: folders in which programs are found all the same, from the project's folder or whole. */
  readonly pathAllow: readonly string[];
}

/**
 * The entries of a PATH in which no clone can plant a program: absolute, outside the project, links followed. What the
 * user allows stays as an absolute path, whatever folder the hook runs in.
 */
export function searchPath(path: string, { projectDir, homeDir, pathAllow }: SearchContext): string {
  const allowed = pathAllow.map((entry) => resolve(projectDir, entry));
  const project = outermostProject(projectDir, homeDir);
  const home = homeDir === null ? null : realPathOrSame(homeDir);
  const isOfProject = (entry: string): boolean => {
    if (project === null || !resolvesInside(project, entry)) return false;
    // Above HOME a project does not own what the user keeps in HOME.
    return home === null || !isInside(project, home) || !isInside(home, realPathOrSame(entry));
  };
  return path
    .split(":")
    .flatMap((entry) => {
      const whole = resolve(projectDir, entry);
      if (entry !== "" && allowed.includes(whole)) return [whole];
      return isAbsolute(entry) && !isOfEachProcess(entry) && !isOfProject(entry) ? [entry] : [];
    })
    .join(":");
}

/** `/proc/self/cwd` leads elsewhere for the hook than for us: to the folder that it runs in. */
const isOfEachProcess = (entry: string): boolean => /^\/+(proc|dev)(\/|$)/.test(normalize(entry));

/**
 * The outermost folder that belongs to the same work as the project's: a repository above it, or a `.kodelet` there.
 * Null: the project is the root of the file system, which holds everybody's programs.
 */
function outermostProject(projectDir: string, homeDir: string | null): string | null {
  const home = homeDir === null ? null : realPathOrSame(homeDir);
  let outermost = projectDir;
  for (let at = projectDir; at !== home && at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, ".git")) || existsSync(join(at, ".kodelet"))) outermost = at;
  }
  return outermost === dirname(outermost) ? null : outermost;
}
