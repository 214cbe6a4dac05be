import { lstatSync, mkdirSync, rmdirSync, statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { HostProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import type { World } from "../world.ts";
import { forgetKept, type Kept, type KeptBy, keep, readKept } from "./kept.ts";
import { swap } from "./swap.ts";

/** A file as it was read, and what it is to hold. */
export interface Replacement {
  readonly file: string;
  readonly before: string | null;
  readonly after: string;
}

/** By whom it is undone, and what undoing makes of a text that somebody has edited since, or that was never kept. */
export interface Undoing {
  readonly by: KeptBy;
  readonly undone: (text: string, kept: Kept | null) => string | null;
}

/** Writes a settings file in one step, and keeps what undoing it is to put back. */
export function replaceFile(
  { file, before, after }: Replacement,
  { by, undone }: Undoing,
  world: World,
): Result<null, HostProblem> {
  const known = readKept(file, world, by);
  try {
    const folders = [...makeFolders(dirname(file)), ...(known?.folders ?? [])];
    const isContinued = known !== null && known.after === before;
    // An edit since may stand among what we wrote: as it is, it would put our own part back.
    const earlier = isContinued ? known.before : before === null ? null : undone(before, known);
    keep(file, { before: earlier, after, folders }, world, by);
    swap(file, after, before === null ? 0o644 : modeOf(file));
    return ok(null);
  } catch (error) {
    return fail(notWritten(file, error));
  }
}

/** Puts back what was kept; where the file was made by us it goes, and the folders made for it. */
export function restoreFile(
  file: string,
  { before, folders }: Pick<Kept, "before" | "folders">,
  by: KeptBy,
  world: World,
): Result<null, HostProblem> {
  try {
    if (before === null) {
      unlinkSync(file);
      for (const folder of folders) removeEmpty(folder);
    } else swap(file, before, modeOf(file));
    forgetKept(file, world, by);
    return ok(null);
  } catch (error) {
    return fail(notWritten(file, error));
  }
}

const modeOf = (file: string): number => statSync(file).mode & 0o777;

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
