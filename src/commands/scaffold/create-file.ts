import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { whyNotWritable } from "../../fs/write-check.ts";
import { errnoCode } from "../../protocol/errno.ts";
import type { HostProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";

/** A file that a command would like to be there. */
export interface NewFile {
  /** Below the project, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

/** Created, or kept because the path exists, with the same or another content. */
export type CreateOutcome = "created" | "same" | "different";

/** Creates a file that is missing in a project; overwrites nothing and follows no link out of the project. */
export function createFile(projectDir: string, file: NewFile): Result<CreateOutcome, HostProblem> {
  try {
    return ok(place(projectDir, file));
  } catch (error) {
    return fail(notWritten(file, error));
  }
}

function place(projectDir: string, { path, text, isExecutable }: NewFile): CreateOutcome {
  // Only the folders are checked: an existing entry at the file's own path is kept, whatever its type.
  const cause = whyNotWritable({ kind: "project", folder: projectDir }, dirname(join(projectDir, path)));
  if (cause !== null) throw new Error(cause);
  makeFolders(projectDir, dirname(path));
  const target = join(projectDir, path);
  try {
    // `x`: a link in its place is not followed, not even one that leads nowhere.
    writeFileSync(target, text, { flag: "wx", mode: 0o644 });
  } catch (error) {
    if (errnoCode(error) === "EEXIST") return isSame(target, text) ? "same" : "different";
    // Half of it, or nothing: the disk may have had no room for its name.
    if (errnoCode(error) === "ENOSPC" || errnoCode(error) === "EDQUOT") rmSync(target, { force: true });
    throw error;
  }
  // Last: half a file never had the right to run.
  if (isExecutable) chmodSync(target, 0o755);
  return "created";
}

function makeFolders(projectDir: string, folders: string): void {
  let folder = projectDir;
  for (const name of folders.split("/")) {
    folder = join(folder, name);
    try {
      // Never writable for the group, whatever the umask is: a folder that others can change would be refused.
      mkdirSync(folder, { mode: 0o755 });
    } catch (error) {
      if (errnoCode(error) !== "EEXIST") throw error;
    }
  }
}

function isSame(path: string, text: string): boolean {
  try {
    return lstatSync(path).isFile() && readFileSync(path, "utf8") === text;
  } catch {
    return false;
  }
}

function notWritten({ path }: NewFile, error: unknown): HostProblem {
  const { message } = error as Error;
  return { code: "FILE_NOT_WRITTEN", path, cause: errnoCode(error) ?? message };
}
