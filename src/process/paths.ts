import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative } from "node:path";

/** Is a path the folder itself, or below it? By its words: links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("../") && way !== ".." && !isAbsolute(way));
}

/** The path with all links followed, or as it is where that is not possible. */
export const realOrSame = (path: string): string => realOrNull(path) ?? path;

function realOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** Does a path lead into a real folder, links followed? Of what is not there yet the nearest folder that is counts. */
export const leadsInto = (folder: string, path: string): boolean =>
  isInside(folder, path) || isInside(folder, realAsFarAsItIs(path));

function realAsFarAsItIs(path: string): string {
  // Asked first: a store is often not there yet, and a thrown error costs more than a look.
  const real = existsSync(path) ? realOrNull(path) : null;
  if (real !== null) return real;
  const above = dirname(path);
  return above === path ? path : join(realAsFarAsItIs(above), basename(path));
}
