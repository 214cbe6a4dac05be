import { statSync } from "node:fs";
import type { LocatedEntry } from "../protocol/entry.ts";
import { type Candidate, DELETED_FILE_STAMP, type FileStamp, RANK, UNKNOWN_STAMP } from "../protocol/hook.ts";

/** The entries of the settings files as candidates, with the owner and mode of their file. */
export function declaredCandidates(entries: readonly LocatedEntry[]): readonly Candidate[] {
  const taken = new Set<string>();
  return entries.map((entry): Candidate => {
    const path = freePath(entry, taken);
    taken.add(path);
    const place = {
      rank: RANK.declared + entry.position,
      projectDir: entry.scope === "project" ? entry.folder : null,
    };
    const source = entry.scope === "machine" ? "machine" : "config";
    return { name: entry.name, path, realPath: path, source, ...place, stamp: stampOf(entry.file), entry };
  });
}

/** A path for an entry, by which it is approved: unique, and safe for any name. */
function freePath({ file, name }: LocatedEntry, taken: ReadonlySet<string>): string {
  const path = `${file}${endOf(name)}`;
  if (!taken.has(path)) return path;
  let number = 2;
  while (taken.has(`${path}%${number}`)) number += 1;
  return `${path}%${number}`;
}

/** The settings file in the path of an entry, which ends with the entry's name and possibly a number. */
export function fileOfEntry({ name, path }: Pick<Candidate, "name" | "path">): string {
  const start = path.lastIndexOf(endOf(name));
  return start === -1 ? path : path.slice(0, start);
}

const endOf = (name: string): string => `#${name.replaceAll("%", "%25").replaceAll("/", "%2F")}`;

export function stampOf(file: string): FileStamp {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return DELETED_FILE_STAMP;
    const { dev, ino, size, mtimeMs, ctimeMs, mode, uid, gid } = stats;
    return { device: dev, inode: ino, size, modifiedMs: mtimeMs, changedMs: ctimeMs, mode, owner: uid, group: gid };
  } catch {
    // Writable by all and without an owner: a file that cannot be examined is not safe.
    return { ...UNKNOWN_STAMP, mode: 0o777, owner: -1, group: -1 };
  }
}
