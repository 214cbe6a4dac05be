import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { HostProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { valueHash } from "../record/value-hash.ts";
import { folderIn } from "../runtime/start.ts";
import type { World } from "../world.ts";

/** What a file held before hookctl wrote to it, and what it held right after. */
export interface Kept {
  /** The text before; null: there was no file. */
  readonly before: string | null;
  readonly after: string;
  /** Folders that were made for it, the innermost first. */
  readonly folders: readonly string[];
}

/** Where the text of before is kept until it is undone. */
function keptFile(file: string, { env }: World, key: string): string | null {
  const home = folderIn(env, "HOME");
  const state = folderIn(env, "XDG_STATE_HOME") ?? (home === null ? null : join(home, ".local/state"));
  return state === null ? null : join(state, "hookctl", "installs", `${key}-${valueHash(file)}.json`);
}

export function readKept(file: string, world: World, key = "install"): Kept | null {
  const place = keptFile(file, world, key);
  try {
    return place === null ? null : (JSON.parse(readFileSync(place, "utf8")) as Kept);
  } catch {
    return null;
  }
}

/** Does it hold just what this user has let hookctl write? */
export function isAsWritten(file: string, world: World): boolean {
  try {
    const real = realpathSync(file);
    return readKept(real, world)?.after === readFileSync(real, "utf8");
  } catch {
    return false;
  }
}

/** A file as it was read, and what it is to hold. */
export interface Replacement {
  readonly file: string;
  readonly before: string | null;
  readonly after: string;
}

/** Writes a settings file in one step, and keeps what it held before the first time. */
export function replaceFile(
  { file, before, after }: Replacement,
  world: World,
  key = "install",
): Result<null, HostProblem> {
  const known = readKept(file, world, key);
  try {
    const folders = makeFolders(dirname(file));
    const place = keptFile(file, world, key);
    if (place !== null) {
      const isContinued = known !== null && known.after === before;
      const kept: Kept = isContinued ? { ...known, after } : { before, after, folders };
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
      swap(place, JSON.stringify(kept), 0o600);
    }
    swap(file, after, before === null ? 0o644 : statSync(file).mode & 0o777);
    return ok(null);
  } catch (error) {
    return fail(notWritten(file, error));
  }
}

/** Puts back the very bytes of before; where the file was made by us it goes, and the folders made for it. */
export function restoreFile(
  file: string,
  { before, folders }: Kept,
  world: World,
  key = "install",
): Result<null, HostProblem> {
  try {
    if (before === null) {
      unlinkSync(file);
      for (const folder of folders) removeEmpty(folder);
    } else swap(file, before, statSync(file).mode & 0o777);
    forgetKept(file, world, key);
    return ok(null);
  } catch (error) {
    return fail(notWritten(file, error));
  }
}

export function forgetKept(file: string, world: World, key = "install"): void {
  const place = keptFile(file, world, key);
  try {
    if (place !== null) unlinkSync(place);
  } catch {
    // There was nothing to forget.
  }
}

function swap(file: string, text: string, mode: number): void {
  const draft = `${file}.hookctl-${process.pid}`;
  writeFileSync(draft, text, { mode, flag: "wx" });
  chmodSync(draft, mode);
  renameSync(draft, file);
}

function makeFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  for (let path = folder; !isThere(path); path = dirname(path)) missing.push(path);
  mkdirSync(folder, { recursive: true });
  return missing;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else has put something there.
  }
}

const notWritten = (path: string, error: unknown): HostProblem => ({
  code: "FILE_NOT_WRITTEN",
  path,
  cause: (error as NodeJS.ErrnoException).code ?? String(error),
});
