import { dirname, resolve } from "node:path";
import { entryServer, type LocatedEntry } from "../protocol/entry.ts";
import { isReynFile } from "../protocol/settings.ts";
import { isFolder } from "./file-kind.ts";

/** Hooks run where the agent works, if that is a folder; relative paths in a hook's text mean files there (SPEC 5). */
export const workingFolder = (wanted: string, own: string): string => (isFolder(wanted) ? wanted : own);

/** Declared hooks run in the folder that owns their settings file, and an MCP server where its own entry says (SPEC 4). */
export function entryFolder(entry: LocatedEntry): string {
  // Reyn runs the commands of all its files in the project's folder.
  const folder = isReynFile(entry.folder, entry.file) ? entry.folder : dirname(entry.file);
  return resolve(folder, entryServer(entry)?.cwd ?? ".");
}
