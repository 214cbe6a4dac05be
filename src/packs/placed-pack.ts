import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "../fs/hash.ts";
import { readFileBytes } from "../fs/read-file.ts";
import { compareFiles, type FileMark, type FileMarks, type LockedPack } from "./lock.ts";
import { listFiles } from "./pack-files.ts";

/** The folder of a pack. Its hooks folder is the one in which discovery finds hooks of plugins. */
export const pluginsFolder = (root: string): string => join(root, ".kodelet", "plugins");
export const packFolder = (root: string, name: string): string => join(pluginsFolder(root), name);

/** What lies in the folder of a pack; null: there is no such folder. A file that cannot be read has no hash. */
function readPlacedFiles(folder: string): FileMarks | null {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return null;
  const marks = listFiles(folder, /./).flatMap(({ path, kind, isExecutable }): [string, FileMark][] =>
    isCompiled(path) ? [] : [[path, { sha256: kind === "file" ? hashOf(join(folder, path)) : "", isExecutable }]],
  );
  return new Map(marks);
}

/** Python writes these where a hook runs. */
const isCompiled = (path: string): boolean => path.includes("__pycache__/");

function hashOf(file: string): string {
  try {
    return sha256Of(readFileBytes(file));
  } catch {
    return "";
  }
}

/** A pack compared with its lock entry: as pinned, missing in whole or in part, or changed by somebody. */
export type PackState =
  | { readonly kind: "as-locked" }
  | { readonly kind: "missing"; readonly files: readonly string[] }
  | { readonly kind: "modified"; readonly files: readonly string[] };

export function packStateIn(root: string, name: string, locked: LockedPack): PackState {
  const placed = placedOrNone(packFolder(root, name));
  const files = compareFiles(locked.files, placed).filter(({ state }) => state !== "same");
  if (files.length === 0) return { kind: "as-locked" };
  const isMissing = files.every(({ state }) => state === "gone");
  return { kind: isMissing ? "missing" : "modified", files: files.map(({ path, state }) => `${path} (${state})`) };
}

function placedOrNone(folder: string): FileMarks {
  try {
    return readPlacedFiles(folder) ?? new Map();
  } catch {
    return new Map([["", { sha256: "", isExecutable: false }]]);
  }
}

/** The names of the folders in which hooks of plugins lie. */
export function pluginNames(root: string): readonly string[] {
  try {
    return readdirSync(pluginsFolder(root)).filter((name) => !name.startsWith("."));
  } catch {
    return [];
  }
}
