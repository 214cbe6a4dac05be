import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

/** Is a path the folder itself, or below it? By its words: links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("../") && way !== ".." && !isAbsolute(way));
}

/** The path with all links followed, or as it is where that is not possible. */
export const realPathOrSame = (path: string): string => realPathOrNull(path) ?? path;

export function realPathOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** Where a file is written to: links are followed, also one to a place where nothing is yet. A ring of links is left. */
export function followLinks(path: string, steps = 40): string {
  const real = realPathOrNull(path);
  if (real !== null || steps === 0) return real ?? path;
  const above = dirname(path);
  const target = targetOf(path);
  if (target !== null) return followLinks(resolve(realPathOrSame(above), target), steps - 1);
  return above === path ? path : join(followLinks(above, steps), basename(path));
}

/** Null: it is no link. */
function targetOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** Is there anything? A link that leads nowhere is nothing. */
export const pathExists = (path: string): boolean => existsSync(path);

/** Is surely nothing there, not even a link? Not so where we may not look. */
export function isSurelyMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Does a path lead into a real folder, links followed? Of what is not there yet the nearest folder that is counts. */
export const resolvesInside = (folder: string, path: string): boolean =>
  isInside(folder, path) || isInside(folder, nearestRealPath(path));

function nearestRealPath(path: string): string {
  // Asked first: a store is often not there yet, and a thrown error costs more than a look.
  const real = existsSync(path) ? realPathOrNull(path) : null;
  if (real !== null) return real;
  const above = dirname(path);
  return above === path ? path : join(nearestRealPath(above), basename(path));
}
