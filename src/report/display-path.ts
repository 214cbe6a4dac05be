import { truncateEscaped } from "../protocol/text/text.ts";

/** The working directory and the home directory. */
export interface PathContext {
  readonly cwd: string;
  readonly homeDir: string | null;
}

/** The shortest form of a path: relative to the working directory, below `~`, or absolute. In the home `~` says whose it is. */
export function displayPath(path: string, { cwd, homeDir }: PathContext): string {
  if (cwd !== homeDir && isBelow(cwd, path)) return truncateEscaped(path.slice(cwd.length + 1), 120);
  if (homeDir !== null && isBelow(homeDir, path)) return truncateEscaped(`~${path.slice(homeDir.length)}`, 120);
  return truncateEscaped(path, 120);
}

/** Paths directly below `/` are not shortened. */
const isBelow = (folder: string, path: string): boolean => folder.length > 1 && path.startsWith(`${folder}/`);
