import { dirname, resolve } from "node:path";
import { entryServer, type LocatedEntry } from "../protocol/entry.ts";
import { isReynFile } from "../protocol/setting-rows.ts";
import { isFolder } from "./paths.ts";

/** Hooks run in the agent's working directory, if it exists: relative paths in a hook mean files there. */
export const workingFolder = (requested: string, own: string): string => (isFolder(requested) ? requested : own);

/** Declared hooks run in the folder of their settings file, and an MCP server in its own `cwd`. */
export function entryFolder(entry: LocatedEntry): string {
  // Reyn runs the commands of all its files in the project's folder.
  const folder = isReynFile(entry.folder, entry.file) ? entry.folder : dirname(entry.file);
  return resolve(folder, entryServer(entry)?.cwd ?? ".");
}
