import { join } from "node:path";
import { readIfPresent } from "../fs/read-file.ts";
import type { PackProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type Lock, parseLock } from "./lock.ts";

export const lockFileIn = (root: string): string => join(root, ".kodelet", "hooks.lock");

const MOST_BYTES = 16 * 1024 * 1024;

/** The packs of a project or of the user; none without a lock file. */
export function readLockFile(root: string): Result<Lock, PackProblem> {
  const path = lockFileIn(root);
  const read = readIfPresent(path);
  if (!read.ok) return fail({ code: "PACK_LOCK_INVALID", path, detail: read.error });
  if (read.value === null) return ok(new Map());
  if (read.value.length > MOST_BYTES) return fail({ code: "PACK_LOCK_INVALID", path, detail: "it is too large" });
  return parseLock(read.value.toString("utf8"), path);
}
