import { dirname, isAbsolute, join, resolve } from "node:path";
import { findScopes, type Scopes } from "../discover/scopes.ts";
import { isInside, pathExists, realPathOrSame } from "../fs/paths.ts";
import { writableByOthers } from "../fs/permissions.ts";
import { pathResolver, type ResolvedPath } from "../fs/resolve-path.ts";
import type { Host } from "../host.ts";
import type { HostProblem } from "../protocol/problem.ts";
import type { Result } from "../protocol/result.ts";
import {
  combineUnsafePaths,
  describeUnsafePaths,
  fixCommand,
  GROUP_OR_WORLD_WRITABLE,
  listUnsafePaths,
  type UnsafePath,
} from "../protocol/unsafe-path.ts";
import type { Warning } from "../protocol/warning.ts";
import { lazy } from "./lazy.ts";

type Env = Host["env"];

/** Who calls, and from where. */
export interface Caller extends Pick<Host, "env" | "cwd"> {
  /** `-C`; null: the working directory. */
  readonly directory: string | null;
  /** Where paths lead and who could change that, looked at once in a call. */
  readonly follow: (path: string) => ResolvedPath;
}

export function callerOf({ env, cwd, userId }: Pick<Host, "env" | "cwd" | "userId">, directory: string | null): Caller {
  return { env, cwd, directory, follow: pathResolver(userId, writableByOthers(userId)) };
}

/** Where a call finds what is its user's and keeps what it keeps. Null: there is no such place. */
export interface UserPaths {
  /** Below it lies the user's settings file. */
  readonly configHome: string | null;
  /** Compiled settings and what hooks answered. */
  readonly cacheDir: string | null;
  readonly trustFile: string | null;
  /** The usual store, where another one was chosen: what it holds must not be lost by the choice. */
  readonly unusedDefaultTrustFile: string | null;
  /** Why no store of approvals counts; null: one does, or may be made. */
  readonly trustFileProblem: { readonly path: string; readonly cause: string } | null;
  readonly sessionsDir: string | null;
  /** What files held before hookctl wrote to them. */
  readonly backupsDir: string | null;
  readonly auditFile: string | null;
  readonly warnings: readonly Warning[];
}

/** HOME and the XDG folders count only when they are absolute; anything else would depend on the folder we are in. */
export function absoluteFolder(env: Env, name: string): string | null {
  const value = env[name];
  return value !== undefined && isAbsolute(value) ? value : null;
}

/** Where the project is, and whose HOME counts: none that a project brings, by lying in it or through `/proc`. */
export function findCallerScopes(caller: Caller): Result<Scopes, HostProblem> {
  const { cwd, directory, env, follow } = caller;
  const home = absoluteFolder(env, "HOME");
  const scopes = findScopes({ cwd, directory, home });
  if (!scopes.ok || scopes.value.homeDir === null || home === null) return scopes;
  const { real, isOfSystem } = follow(home);
  const isBrought = isOfSystem || isInProject(real, scopes.value);
  return isBrought ? findScopes({ cwd, directory, home: null }) : scopes;
}

/** Does a project or a repository that we are in hold this HOME? One that is a repository itself does not. */
function isInProject(home: string, { projectDir, rootDir }: Scopes): boolean {
  // The search for the project ended below this HOME: a nearer project or repository leaves what lies above to others.
  const isOwn =
    isInside(home, projectDir) || pathExists(join(projectDir, ".kodelet")) || pathExists(join(rootDir, ".git"));
  return foldersAbove(home).some((folder) => {
    if (!isInside(folder, projectDir)) return false;
    const mayHold = folder === projectDir || !isOwn;
    return pathExists(join(folder, ".git")) || (mayHold && pathExists(join(folder, ".kodelet")));
  });
}

/**
 * One rule for all of them: a place counts when it and the way to it belong to the user or to root, nobody else may
 * write there, and it lies outside every project, links followed. In place of one that a variable has chosen and that
 * does not count, the usual one below HOME is used.
 */
export function findUserPaths(scopes: Found, caller: Caller): UserPaths {
  const judge = judgeOf(scopes, caller);
  const folderOf = (kind: Kind): Decided => decided(kind, scopes.homeDir, caller.env, judge);
  const [config, cache, state] = [folderOf(CONFIG), folderOf(CACHE), folderOf(STATE)];
  const below = ({ folder }: Decided, name: string) => (folder === null ? null : join(folder, "hookctl", name));
  return {
    configHome: config.folder,
    cacheDir: below(cache, ""),
    sessionsDir: below(state, "sessions"),
    backupsDir: below(state, "installs"),
    auditFile: below(state, "audit.jsonl"),
    ...storeIn(state, scopes.homeDir, caller.env, judge),
    // Without a cache a call is slower, and otherwise the same.
    warnings: [...config.warnings, ...state.warnings],
  };
}

type Found = Pick<Scopes, "homeDir" | "projectDirs">;

/** A folder of the user's: the variable that chooses it, and what it is without one. */
interface Kind {
  readonly variable: string;
  readonly usual: string;
  /** What lies in the usual one counts like what lies in `~/.kodelet`: an entry that others may change is refused by name. */
  readonly isLikeHome?: true;
}

const CONFIG: Kind = { variable: "XDG_CONFIG_HOME", usual: ".config", isLikeHome: true };
const CACHE: Kind = { variable: "XDG_CACHE_HOME", usual: ".cache" };
const STATE: Kind = { variable: "XDG_STATE_HOME", usual: ".local/state" };

interface Decided {
  readonly folder: string | null;
  /** The usual one, where it is not used because another was chosen. */
  readonly instead: string | null;
  readonly cause: string | null;
  readonly warnings: readonly Warning[];
}

function decided(kind: Kind, homeDir: string | null, env: Env, judge: Judge): Decided {
  const chosen = absoluteFolder(env, kind.variable);
  const usual = homeDir === null ? null : join(homeDir, kind.usual);
  if (chosen === null || chosen === usual) return usualFolder(kind, usual, judge);
  const cause = judge.chosen(join(chosen, "hookctl"));
  if (cause === null) return { folder: chosen, instead: usual, cause, warnings: [] };
  const { folder, warnings } = usualFolder(kind, usual, judge);
  const { variable } = kind;
  return {
    folder,
    instead: null,
    cause,
    warnings: [{ code: "PLACE_REFUSED", variable, path: chosen, cause, used: folder }, ...warnings],
  };
}

function usualFolder({ variable, isLikeHome }: Kind, usual: string | null, judge: Judge): Decided {
  if (usual === null) return { folder: null, instead: null, cause: NO_HOME, warnings: [] };
  const own = join(usual, "hookctl");
  const cause = isLikeHome ? null : judge.usual(own);
  if (cause === null) return { folder: usual, instead: null, cause, warnings: [] };
  const refused: Warning = { code: "PLACE_REFUSED", variable, path: usual, cause, used: null };
  return { folder: null, instead: null, cause, warnings: pathExists(own) ? [refused] : [] };
}

const NO_HOME = "HOME is not an existing absolute folder outside the project";

/** Where approvals are kept. Without a usable HOME there is no such place. */
function storeIn(
  state: Decided,
  homeDir: string | null,
  env: Env,
  judge: Judge,
): Pick<UserPaths, "trustFile" | "unusedDefaultTrustFile" | "trustFileProblem"> {
  const storeBelow = (folder: string | null) => (folder === null ? null : join(folder, "hookctl", "trust.json"));
  const named = absoluteFolder(env, "HOOKCTL_TRUST_STORE");
  const usual = defaultTrustFile(homeDir);
  const path = named ?? storeBelow(state.folder);
  const none = (cause: string) => ({
    trustFile: null,
    unusedDefaultTrustFile: null,
    trustFileProblem: { path: path ?? usual ?? "", cause },
  });
  if (homeDir === null) return none(NO_HOME);
  if (path === null) return none(state.cause ?? NO_HOME);
  const cause = named === null ? judge.usual(path) : judge.chosen(path);
  if (cause !== null) return none(cause);
  // Approvals may lie in the folder that was chosen and does not count: then none here is not none at all.
  if (named === null && state.cause !== null && !pathExists(path)) return none(state.cause);
  return { trustFile: path, unusedDefaultTrustFile: path === usual ? null : usual, trustFileProblem: null };
}

/** Every place on a way that must change, and the command that changes them. */
function unsafeWay(places: readonly UnsafePath[]): string | null {
  const unsafe = combineUnsafePaths(places);
  if (unsafe === null) return null;
  const isMode = listUnsafePaths(unsafe).every(({ cause }) => cause.startsWith(GROUP_OR_WORLD_WRITABLE));
  return isMode ? `${describeUnsafePaths(unsafe)} (fix: ${fixCommand(unsafe)})` : describeUnsafePaths(unsafe);
}

/** Says why a place does not count, or null. */
interface Judge {
  readonly chosen: (path: string) => string | null;
  /** A project that lies over the usual place, such as a repository of `~/.config`, is the user's own: links count alone. */
  readonly usual: (path: string) => string | null;
}

function judgeOf(scopes: Found, caller: Caller): Judge {
  const { follow } = caller;
  const projects = lazy(() => projectsOf(scopes, caller));
  const inside = (path: string): string | null => projects().find((folder) => isInside(folder, path)) ?? null;
  const unsafe = ({ isOfSystem, unsafe }: ResolvedPath): string | null =>
    isOfSystem ? "it leads through /proc, /dev or /sys" : unsafeWay(unsafe);
  const within = (folder: string | null): string | null =>
    folder === null ? null : `it lies in the project ${folder}`;
  return {
    chosen: (path) => {
      const way = follow(path);
      return unsafe(way) ?? within(inside(resolve(path)) ?? inside(way.real));
    },
    usual: (path) => {
      const way = follow(path);
      return unsafe(way) ?? (way.real === path ? null : within(inside(path) === null ? inside(way.real) : null));
    },
  };
}

/** The folders of this call that somebody else may have written: its project, where it was called, their repositories. */
function projectsOf({ projectDirs, homeDir }: Found, { cwd, directory }: Caller): readonly string[] {
  const home = homeDir === null ? null : realPathOrSame(homeDir);
  const starts = [...projectDirs, ...(directory === null ? [] : [realPathOrSame(cwd)])];
  const repositories = starts.flatMap(
    (folder) => [folder, ...foldersAbove(folder)].find((one) => pathExists(join(one, ".git"))) ?? [],
  );
  // A folder above HOME, such as `/`, holds a project only when it is marked as one.
  const isProject = (folder: string): boolean =>
    home === null ||
    !isInside(folder, home) ||
    (folder !== home && [".kodelet", ".git"].some((name) => pathExists(join(folder, name))));
  return [...new Set([...starts, ...repositories])].filter(isProject);
}

function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

/** The store of approvals where no variable chooses another. */
export const defaultTrustFile = (homeDir: string | null): string | null =>
  homeDir === null ? null : join(homeDir, STATE.usual, "hookctl", "trust.json");
