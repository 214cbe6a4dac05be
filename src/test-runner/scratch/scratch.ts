import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { errnoCode } from "../../protocol/errno.ts";
import type { HostProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Folders of one call in which hooks may write what they like; gone afterwards. */
export interface Scratch {
  /** All of them lie in it. */
  readonly dir: string;
  readonly home: string;
  /** Where hooks run, and what their payload names as the project. */
  readonly work: string;
  /** Copies of projects, for hooks whose arguments name files of the project. */
  readonly projects: string;
  /** The caller's environment with every personal folder turned to this place. */
  readonly env: Environment;
}

/** Hands scratch folders to a body and removes them when it is done, whatever came of it. */
export async function withScratch<T>(
  env: Environment,
  body: (scratch: Scratch) => Promise<T>,
): Promise<Result<T, HostProblem>> {
  const made = makeFolders(env.TMPDIR !== undefined && isAbsolute(env.TMPDIR) ? env.TMPDIR : "/tmp");
  if (!made.ok) return made;
  const dir = made.value;
  const [home, work, projects] = [join(dir, "home"), join(dir, "work"), join(dir, "projects")];
  const own = { HOME: home, TMPDIR: join(dir, "tmp"), ...DRY };
  try {
    return ok(await body({ dir, home, work, projects, env: { ...withoutPlaces(env), ...own } }));
  } finally {
    removeQuietly(dir);
  }
}

const DRY = { HOOKCTL_DRY_RUN: "1" };

/** XDG folders follow HOME when they are not set. */
const withoutPlaces = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("XDG_")));

function makeFolders(parent: string): Result<string, HostProblem> {
  try {
    const dir = realpathSync.native(mkdtempSync(join(parent, "hookctl-scratch-")));
    for (const name of ["home", "home/.kodelet", "work", "projects", "tmp"])
      mkdirSync(join(dir, name), { mode: 0o700 });
    return ok(dir);
  } catch (error) {
    const cause = errnoCode(error) ?? String(error);
    return fail({ code: "SCRATCH_MISSING", path: parent, cause });
  }
}

function removeQuietly(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
  } catch {
    // A hook removed the permissions of its folders. That does not change the result.
  }
}
