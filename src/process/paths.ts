import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";

/** Is a path the folder itself, or below it? By its words: links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("../") && way !== ".." && !isAbsolute(way));
}

/** The path with all links followed, or as it is where that is not possible. */
export function realOrSame(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
