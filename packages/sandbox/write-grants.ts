import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { disk } from "../../src/fs/disk.ts";
import { entryNames, followLinks, isInside, isRealFolder, realPathOrSame } from "../../src/fs/paths.ts";
import { pathErrno } from "../../src/protocol/errno.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";

/** The files and folders that a hook may write, as its settings and its command name them. */
export interface WriteGrants {
  /** Absolute, below HOME (`~/…`), or relative to the project. A missing path that ends with `/` is a folder, any other path a file. */
  readonly paths: readonly string[];
  /** Files that the command of the hook redirects its output to, relative to its folder. */
  readonly redirected: readonly string[];
  readonly folder: string;
  readonly project: string;
  readonly home: string | null;
  /**
   * True if the author of the project wrote the paths, or the command. Then paths may not lead out of the project, and a
   * redirection only to the path that was shown for approval: no link may lead elsewhere.
   */
  readonly isOfProject: { readonly paths: boolean; readonly command: boolean };
  /** Files and folders that nobody may write, whether they exist or not. */
  readonly protectedPaths: readonly string[];
  /** The same relative to each folder in which the first name of the path exists: an agent can be started in any folder. */
  readonly protectedNames: readonly string[];
}

interface Mounts {
  /** Existing files and folders that it may write. */
  readonly writable: readonly string[];
  /** Existing paths inside them that stay read-only. */
  readonly readOnly: readonly string[];
}

/** One path that a hook may write. */
interface Grant {
  /** The path as configured. */
  readonly name: string;
  readonly path: string;
  readonly isBound: boolean;
  /** True if a link in it could lead to a file that nobody approved. */
  readonly isExact: boolean;
  readonly isRedirected: boolean;
}

/** Creates missing granted paths, and decides which paths are writable. */
export function resolveWriteGrants(grants: WriteGrants): Result<Mounts, string> {
  const protectedPaths = [...new Set(grants.protectedPaths.flatMap((path) => [path, followLinks(path)]))];
  const all: Record<keyof Mounts, string[]> = { writable: [], readOnly: [] };
  for (const grant of grantsIn(grants)) {
    const real = followLinks(grant.path);
    const isProtected = protectedPaths.some((path) => isInside(path, real));
    const refusal = isProtected ? "is read-only for every hook" : refusalOf(grant, real, grants);
    const cause = refusal ?? createMissing(real, !grant.isRedirected && grant.name.endsWith("/"));
    if (cause === null) addMounts(real, [...protectedPaths, ...nestedPaths(real, grants.protectedNames)], all);
    // The shell reports a file that its command may not write.
    else if (!grant.isRedirected) return fail(`write_paths: ${grant.name} ${cause}`);
  }
  return ok(all);
}

function grantsIn({ paths, redirected, folder, project, home, isOfProject }: WriteGrants): readonly Grant[] {
  const named = paths.map((name): Grant => {
    const isOfHome = home !== null && name.startsWith("~/");
    const path = isOfHome ? join(home, name.slice(2)) : resolve(project, name);
    const isBound = isOfProject.paths || !(isOfHome || isAbsolute(name));
    return { name, path, isBound, isExact: false, isRedirected: false };
  });
  const written = redirected.map((name): Grant => {
    const path = resolve(folder, name);
    const isBound = isOfProject.command && isInside(project, path);
    return { name, path, isBound, isExact: isOfProject.command && !isBound, isRedirected: true };
  });
  return [...named, ...written.filter(({ path }) => !isInside("/dev", path) && !isRealFolder(followLinks(path)))];
}

const OF_THE_SYSTEM = ["/proc", "/sys", "/dev"];

/** Why a path may not be granted. The target of its links decides: a repository can contain any link. */
function refusalOf({ path, isBound, isExact }: Grant, real: string, { project, home }: WriteGrants): string | null {
  if (isExact && real !== withRealTop(path)) return `leads to ${real}`;
  if (isBound && !isInside(realPathOrSame(project), real)) return `leads out of the project, to ${real}`;
  if (home !== null && isInside(real, realPathOrSame(home))) return "contains your home directory";
  if (real === "/" || OF_THE_SYSTEM.some((folder) => isInside(folder, real))) return "belongs to the system";
  return null;
}

/** The path with the link of its top folder resolved, which only root can change: `/tmp` is a link on macOS. */
function withRealTop(path: string): string {
  const [, top = ""] = path.split("/");
  return realPathOrSame(`/${top}`) + path.slice(top.length + 1);
}

/** Only existing paths can be mounted. */
function createMissing(path: string, isFolder: boolean): string | null {
  try {
    if (disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined) return null;
    mkdirSync(isFolder ? path : dirname(path), { recursive: true });
    if (!isFolder) writeFileSync(path, "", { flag: "wx" });
    return null;
  } catch (error) {
    return `cannot be created (${pathErrno(error)})`;
  }
}

/** The protected paths in a folder and in all folders below it. Installed packages are not searched: no agent starts there. */
function nestedPaths(folder: string, names: readonly string[]): readonly string[] {
  if (names.length === 0 || !isRealFolder(folder)) return [];
  // No names if the folder cannot be read: the hook, of the same user, cannot read it either.
  const existing = entryNames(folder);
  const here = names.filter((path) => existing.includes(path.split("/")[0] ?? path));
  const below = existing.filter((name) => name !== "node_modules" && !here.includes(name));
  return [
    ...here.map((path) => join(folder, path)),
    ...below.flatMap((name) => nestedPaths(join(folder, name), names)),
  ];
}

/**
 * A folder is writable as a whole if all protected paths in it can be mounted read-only. If a protected path is missing, a link,
 * or deeper inside, the folder itself stays read-only and each of its entries is decided: a program could otherwise create
 * the missing path, replace the link, or move a folder above it away.
 */
function addMounts(path: string, protectedPaths: readonly string[], mounts: Record<keyof Mounts, string[]>): void {
  if (protectedPaths.some((one) => isInside(one, path))) return;
  const inside = protectedPaths.filter((one) => isInside(path, one));
  if (inside.every((one) => dirname(one) === path && isMountable(one))) {
    mounts.writable.push(path);
    mounts.readOnly.push(...inside);
    return;
  }
  for (const name of disk.readdirSync(path)) {
    if (isMountable(join(path, name))) addMounts(join(path, name), protectedPaths, mounts);
  }
}

function isMountable(path: string): boolean {
  const stats = disk.lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true || stats?.isDirectory() === true;
}
