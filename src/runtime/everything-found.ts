import { statSync } from "node:fs";
import type { PlacedEntry } from "../contract/entry.ts";
import type { Candidate, FileStamp } from "../contract/hook.ts";
import { type Found, findCandidates } from "../discover/find.ts";
import { foldersFor, type Ground } from "./ground.ts";

/** Behind every folder: declared hooks come after files of the same priority, in the order of their entries. */
const FIRST_DECLARED = 1_000_000;

/** The files of the hooks folders and the entries of the settings files, in their order (SPEC 3). */
export function everythingFound(ground: Ground): Found {
  const found = findCandidates(foldersFor(ground));
  const { declared } = ground.settings;
  return declared.length === 0 ? found : { ...found, candidates: [...found.candidates, ...declared.map(candidateFor)] };
}

function candidateFor(entry: PlacedEntry): Candidate {
  const path = `${entry.file}#${entry.name}`;
  const folder = FIRST_DECLARED + entry.position;
  return { name: entry.name, path, realPath: path, source: "config", folder, stamp: stampOf(entry.file), entry };
}

/** Of the settings file: whoever may write it may change the entry. */
function stampOf(file: string): FileStamp {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs, mode, uid } = statSync(file);
    return { device: dev, inode: ino, size, modifiedMs: mtimeMs, changedMs: ctimeMs, mode, owner: uid };
  } catch {
    return { device: 0, inode: 0, size: 0, modifiedMs: 0, changedMs: 0, mode: 0, owner: 0 };
  }
}
