import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { sha256Of } from "../fs/hash.ts";
import { isAlive, processSpace } from "../fs/lock.ts";
import { removeTreeQuietly } from "../fs/remove-tree.ts";
import { errnoCode } from "../protocol/errno.ts";
import type { HostProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { cleanUpAfter, startWatchdog, type Watchdog } from "./folder-watchdog.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of one call that contains its scratch folders; removed afterwards. */
export interface ScratchRoot {
  readonly dir: string;
  /** Makes folders for hooks that run one after the other. */
  readonly folder: (name: string) => Scratch;
}

/** Folders in which hooks may write freely. */
export interface Scratch {
  /** The folder of the whole call. */
  readonly root: string;
  /** The folder of all those below. */
  readonly dir: string;
  readonly home: string;
  /** The working directory of hooks, and the project in their payloads. */
  readonly work: string;
  readonly tmp: string;
  /** Copies of projects, for hooks whose arguments name files of the project. */
  readonly projects: string;
  /** The caller's environment with every personal folder set to a scratch folder. */
  readonly env: Environment;
}

/** Calls a function with scratch folders and removes them afterwards, also if it throws. */
export async function withScratchRoot<T>(
  env: Environment,
  body: (root: ScratchRoot) => Promise<T>,
): Promise<Result<T, HostProblem>> {
  const parent = env.TMPDIR !== undefined && isAbsolute(env.TMPDIR) ? env.TMPDIR : "/tmp";
  const made = makeRoot(parent);
  if (!made.ok) return made;
  const { dir, watchdog } = made.value;
  const inherited = withoutPlaces(env);
  try {
    return ok(await body({ dir, folder: (name) => makeScratch(dir, name, inherited) }));
  } finally {
    removeTreeQuietly(dir);
    watchdog?.dismiss();
  }
}

/** The same for hooks that run one after the other. */
export const withScratch = <T>(
  env: Environment,
  body: (scratch: Scratch) => Promise<T>,
): Promise<Result<T, HostProblem>> => withScratchRoot(env, (root) => body(root.folder("0")));

/** XDG folders follow HOME when they are not set. */
const withoutPlaces = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("XDG_")));

interface MadeRoot {
  readonly dir: string;
  readonly watchdog: Watchdog | null;
}

/** The watchdog is started first: from then on a kill leaves nothing. */
function makeRoot(parent: string): Result<MadeRoot, HostProblem> {
  let watchdog: Watchdog | null = null;
  try {
    const place = realpathSync.native(parent);
    for (const name of readdirSync(place)) if (isOfDeadCall(name, place)) cleanUpAfter(join(place, name));
    const dir = join(place, `hookctl-scratch-${ownMark()}-${Math.random().toString(36).slice(2, 10)}`);
    watchdog = startWatchdog(dir);
    mkdirSync(dir, { mode: 0o700 });
    return ok({ dir, watchdog });
  } catch (error) {
    watchdog?.dismiss();
    const cause = errnoCode(error) ?? String(error);
    return fail({ code: "SCRATCH_MISSING", path: parent, cause });
  }
}

/** Which process made a folder: a PID means something only on the same machine and in the same container. */
const ownMark = (): string => `${ownSpace()}-${process.pid}`;
const ownSpace = (): string => sha256Of(processSpace()).slice(0, 8);

/** True for a scratch folder whose hookctl and watchdog were both killed. */
function isOfDeadCall(name: string, parent: string): boolean {
  const [, space, pid] = /^hookctl-scratch-([a-z0-9]+)-(\d+)-[a-z0-9]+$/.exec(name) ?? [];
  if (space !== ownSpace() || isAlive(Number(pid))) return false;
  const stats = lstatSync(join(parent, name), { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}

const DRY = { HOOKCTL_DRY_RUN: "1" };

function makeScratch(root: string, name: string, env: Environment): Scratch {
  const dir = join(root, name);
  const [home, work, tmp, projects] = [join(dir, "home"), join(dir, "work"), join(dir, "tmp"), join(dir, "projects")];
  const scratch = { root, dir, home, work, tmp, projects, env: { ...env, HOME: home, TMPDIR: tmp, ...DRY } };
  clearScratch(scratch);
  makeFolder(projects);
  return scratch;
}

/**
 * Files of one hook must not affect the next. Copies of projects stay, because copying takes too long. From the top
 * down, so that nothing is removed through a link with which a hook replaced a folder.
 */
export function clearScratch({ dir, home, work, tmp }: Scratch): void {
  if (isFolder(dir)) chmodSync(dir, 0o700);
  else renew(dir);
  if (!holdsOnly(home, SETTINGS)) renew(home);
  for (const folder of [join(home, SETTINGS), work, tmp]) if (!holdsOnly(folder, null)) renew(folder);
}

const SETTINGS = ".kodelet";

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function holdsOnly(folder: string, known: string | null): boolean {
  try {
    return isFolder(folder) && readdirSync(folder).every((name) => name === known);
  } catch {
    return false;
  }
}

function renew(folder: string): void {
  removeTreeQuietly(folder);
  makeFolder(folder);
}

/** If it cannot be created, each hook fails because of its missing working directory. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // The disk is full, or a hook removed the permissions of the folder above.
  }
}
