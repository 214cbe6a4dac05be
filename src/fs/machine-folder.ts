import type { Stats } from "node:fs";
import { dirname } from "node:path";
import { pathErrno } from "../protocol/errno.ts";
import { combineUnsafePaths, describeUnsafePaths, type UnsafePath } from "../protocol/unsafe-path.ts";
import { disk } from "./disk.ts";
import { isSurelyMissing } from "./paths.ts";
import { pathResolver, type ResolvedPath } from "./permissions.ts";
import { makePublicFolder, writeFileAtomic } from "./write-file.ts";

/** What the administrator decided for everybody on this machine: hooks and settings above those of the user. */
export interface MachineFolder {
  readonly path: string;
  /** Why nothing in the folder has effect: somebody else than root may have written it. Null if its files have effect. */
  readonly cause: string | null;
}

const IS_MAC = process.platform === "darwin";

/** Fixed, because a path that a variable chooses is the user's choice. */
export const MACHINE_FOLDER = IS_MAC ? "/Library/Application Support/hookctl" : "/etc/hookctl";
export const MACHINE_CACHE = IS_MAC ? "/Library/Caches/hookctl" : "/var/cache/hookctl";

/** Finds the machine's folder, or null. Its files have effect only if root alone can change the folder and all that is in it. */
export function findMachineFolder(path: string = MACHINE_FOLDER): MachineFolder | null {
  if (isSurelyMissing(path)) return null;
  return { path, cause: rootOnlyFault(path) };
}

/** The folder of what root has parsed, which everybody may read; null if somebody else could write there. */
export const machineCache = (path: string = MACHINE_CACHE): string | null => (rootOnlyTest()(path) ? path : null);

/** Writes a file of a cache. What root has parsed, everybody may read; the rest only its user. */
export function writeCacheFile(file: string, text: string): void {
  const isMachine = dirname(file) === MACHINE_CACHE;
  if (isMachine) makePublicFolder(MACHINE_CACHE);
  writeFileAtomic(file, text, { mode: isMachine ? 0o644 : 0o600 });
}

/** True if only root can change where the path leads. Each folder is examined once. */
export function rootOnlyTest(): (path: string) => boolean {
  const follow = rootOnly();
  return (path) => {
    const { unsafe, isOfSystem } = follow(path);
    return unsafe.length === 0 && !isOfSystem;
  };
}

/** Who beside root can change a path, or what is in it; null for nobody. */
export function rootOnlyFault(path: string): string | null {
  const unsafe = combineUnsafePaths(unsafeBelow(path));
  return unsafe === null ? null : describeUnsafePaths(unsafe);
}

const WRITABLE_BY_OTHERS = 0o022;

/** No group is trusted, also not one that has no member today. */
const rootOnly = (): ((path: string) => ResolvedPath) =>
  pathResolver(0, ({ mode }: Stats) => (mode & WRITABLE_BY_OTHERS) !== 0);

/**
 * The first place that not every user may enter or read, of a path and all that is below it, or null. Root
 * does not notice it, and creates such places under the umask 077 of a hardened system.
 */
export function placeClosedToUsers(path: string): string | null {
  const real = disk.realpathSync(path);
  const below = closedBelow(real);
  if (below !== null) return below;
  for (let above = dirname(real); above !== dirname(above); above = dirname(above))
    if ((disk.statSync(above).mode & USERS_MAY_ENTER) === 0) return above;
  return null;
}

const USERS_MAY_ENTER = 0o001;
const USERS_MAY_READ = 0o004;

function closedBelow(path: string): string | null {
  const stats = disk.lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return null;
  const needed = stats.isDirectory() ? USERS_MAY_READ | USERS_MAY_ENTER : USERS_MAY_READ;
  if ((stats.mode & needed) !== needed) return path;
  if (!stats.isDirectory()) return null;
  return disk.readdirSync(path).reduce<string | null>((found, name) => found ?? closedBelow(`${path}/${name}`), null);
}

/** Looks at everything in the folder, also where links lead, each place once. */
function unsafeBelow(folder: string): readonly UnsafePath[] {
  const follow = rootOnly();
  const seen = new Set<string>();
  const visit = (path: string): readonly UnsafePath[] => {
    const { real, unsafe } = follow(path);
    if (unsafe.length > 0 || seen.has(real)) return unsafe;
    seen.add(real);
    try {
      if (disk.lstatSync(real, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
      return disk.readdirSync(real).flatMap((name) => visit(`${real}/${name}`));
    } catch (error) {
      return [{ place: real, cause: `cannot be read (${pathErrno(error)})` }];
    }
  };
  return visit(folder);
}
