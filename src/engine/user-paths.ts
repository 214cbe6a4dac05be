import { isAbsolute, join, resolve } from "node:path";
import { findScopes, type Scopes } from "../discover/scopes.ts";
import { foldersAbove, isInside, pathExists, realPathOrSame } from "../fs/paths.ts";
import { homeOf, pathResolver, type ResolvedPath, systemAccounts, writableByOthers } from "../fs/permissions.ts";
import type { HostProblem } from "../protocol/problem.ts";
import type { Result } from "../protocol/result.ts";
import {
  combineUnsafePaths,
  describeUnsafePaths,
  fixCommand,
  GROUP_OR_WORLD_WRITABLE,
  listUnsafePaths,
  NO_USABLE_HOME,
  type UnsafePath,
} from "../protocol/unsafe-path.ts";
import type { Warning } from "../protocol/warning.ts";
import { lazy } from "./memoize.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The caller's environment and directory. */
export interface Caller {
  readonly env: Env;
  readonly cwd: string;
  /** `-C`; null: the working directory. */
  readonly directory: string | null;
  /** Where a path leads and who may change that; each path is examined once in a call. */
  readonly follow: (path: string) => ResolvedPath;
}

interface Process extends Pick<Caller, "env" | "cwd"> {
  readonly userId: number;
}

export function callerOf({ env, cwd, userId }: Process, directory: string | null): Caller {
  return { env, cwd, directory, follow: pathResolver(userId, writableByOthers(userId)) };
}

/** The user's files and folders of this call. Null if there is none. */
export interface UserPaths {
  /** Below it lies the user's settings file. */
  readonly configHome: string | null;
  /** Compiled settings and identities of hooks. */
  readonly cacheDir: string | null;
  readonly trustFile: string | null;
  /** The default trust store if a variable names another store; denials in the default store still apply. */
  readonly unusedDefaultTrustFile: string | null;
  /** Why no trust store can be used; null if a store can be used or created. */
  readonly trustFileProblem: { readonly path: string; readonly cause: string } | null;
  readonly sessionsDir: string | null;
  /** Copies of files from before hookctl changed them. */
  readonly backupsDir: string | null;
  readonly auditFile: string | null;
  /** True if the approvals in `trustFile` do not apply in this call; its denials do. */
  readonly areOnlyDenials?: boolean;
  /** The file of paused hooks, with the reason why it is not used; null without a file. */
  readonly pausesFile: { readonly path: string; readonly cause: string | null } | null;
  readonly warnings: readonly Warning[];
}

/** HOME and the XDG folders are used only if they are absolute, because a relative path depends on the working directory. */
export function absoluteFolder(env: Env, name: string): string | null {
  const value = env[name];
  // Agents' settings hold paths below it, which do not change with its spelling.
  return value !== undefined && isAbsolute(value) ? value.replace(/(?<=.)\/+$/, "") : null;
}

/** Finds the project. A HOME inside a project, or a HOME that leads through `/proc`, is not used. */
export function findCallerScopes(caller: Caller): Result<Scopes, HostProblem> {
  const { cwd, directory, env, follow } = caller;
  const home = absoluteFolder(env, "HOME");
  const homeOfCaller = callerHome(env);
  const scopes = findScopes({ cwd, directory, home, homeOfCaller });
  if (!scopes.ok || scopes.value.homeDir === null || home === null) return scopes;
  const { real, isOfSystem } = follow(home);
  const isBrought = isOfSystem || isInProject(real, scopes.value);
  return isBrought ? findScopes({ cwd, directory, home: null, homeOfCaller }) : scopes;
}

/** Under sudo, the home directory of its caller. For others the variable means nothing. */
function callerHome({ SUDO_UID: uid = "" }: Env): string | null {
  if (uid === "" || process.getuid?.() !== 0) return null;
  const home = homeOf(uid, systemAccounts());
  return home === null ? null : realPathOrSame(home);
}

/** True if HOME lies in a project or repository around the working directory. A HOME that is itself a repository does not. */
function isInProject(home: string, { projectDir, rootDir }: Scopes): boolean {
  // A nearer project or repository means that the ones above HOME are not the caller's project.
  const isOwn =
    isInside(home, projectDir) || pathExists(join(projectDir, ".kodelet")) || pathExists(join(rootDir, ".git"));
  return foldersAbove(home).some((folder) => {
    if (!isInside(folder, projectDir)) return false;
    const mayHold = folder === projectDir || !isOwn;
    return pathExists(join(folder, ".git")) || (mayHold && pathExists(join(folder, ".kodelet")));
  });
}

/**
 * One rule for all folders: a folder is used if it and its parents belong to the user or to root, nobody else may
 * write there, and it lies outside every project, links followed. Otherwise the default folder below HOME is used
 * instead of a folder that a variable names.
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
    pausesFile: pausesIn(scopes.homeDir, judge),
    ...storeIn(state, scopes.homeDir, caller.env, judge),
    // Without a cache a call is slower, and otherwise the same.
    warnings: [...config.warnings, ...state.warnings],
  };
}

type Found = Pick<Scopes, "homeDir" | "projectDirs">;

/** A user folder: the variable that sets it, and its default below HOME. */
interface Kind {
  readonly variable: string;
  readonly usual: string;
  /** The default folder is used even if others may change it; its entries are then refused one by one, like `~/.kodelet`. */
  readonly isLikeHome?: true;
}

const CONFIG: Kind = { variable: "XDG_CONFIG_HOME", usual: ".config", isLikeHome: true };
const CACHE: Kind = { variable: "XDG_CACHE_HOME", usual: ".cache" };
const STATE: Kind = { variable: "XDG_STATE_HOME", usual: ".local/state" };

interface Decided {
  readonly folder: string | null;
  /** The default folder, if a variable chose another one. */
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
  if (usual === null) return { folder: null, instead: null, cause: NO_USABLE_HOME, warnings: [] };
  const own = join(usual, "hookctl");
  const cause = isLikeHome ? null : judge.usual(own);
  if (cause === null) return { folder: usual, instead: null, cause, warnings: [] };
  const refused: Warning = { code: "PLACE_REFUSED", variable, path: usual, cause, used: null };
  return { folder: null, instead: null, cause, warnings: pathExists(own) ? [refused] : [] };
}

/** Always below HOME: a project can set the variables of an agent, and so could name a folder with other pauses. */
export const defaultPausesFile = (homeDir: string): string => join(homeDir, STATE.usual, "hookctl", "pauses.json");

function pausesIn(homeDir: string | null, judge: Judge): UserPaths["pausesFile"] {
  const path = homeDir === null ? null : defaultPausesFile(homeDir);
  return path === null || !pathExists(path) ? null : { path, cause: judge.usual(path) };
}

/** Where approvals are stored. Without a usable HOME nowhere. */
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
  if (homeDir === null) return none(NO_USABLE_HOME);
  if (path === null) return none(state.cause ?? NO_USABLE_HOME);
  const cause = named === null ? judge.usual(path) : judge.chosen(path);
  if (cause !== null) return none(cause);
  // The rejected folder may hold approvals, so an empty default store must not stand for it.
  if (named === null && state.cause !== null && !pathExists(path)) return none(state.cause);
  return { trustFile: path, unusedDefaultTrustFile: path === usual ? null : usual, trustFileProblem: null };
}

/** The unsafe folders on a path, and the command that fixes them. */
function unsafeWay(places: readonly UnsafePath[]): string | null {
  const unsafe = combineUnsafePaths(places);
  if (unsafe === null) return null;
  const isMode = listUnsafePaths(unsafe).every(({ cause }) => cause.startsWith(GROUP_OR_WORLD_WRITABLE));
  return isMode ? `${describeUnsafePaths(unsafe)} (fix: ${fixCommand(unsafe)})` : describeUnsafePaths(unsafe);
}

/** Returns why a path cannot be used, or null. */
interface Judge {
  readonly chosen: (path: string) => string | null;
  /** For a default path: a repository around it, such as one of `~/.config`, is the user's own, so only links into a project matter. */
  readonly usual: (path: string) => string | null;
}

function judgeOf(scopes: Found, caller: Caller): Judge {
  const { follow } = caller;
  const projects = lazy(() => projectsOf(scopes, caller));
  const inside = (path: string): string | null => projects().find((folder) => isInside(folder, path)) ?? null;
  const unsafe = ({ isOfSystem, unsafe }: ResolvedPath): string | null =>
    isOfSystem ? "it leads through /proc, /dev or /sys" : unsafe.length === 0 ? null : unsafeWay(unsafe);
  const within = (folder: string | null): string | null => (folder === null ? null : `it is in the project ${folder}`);
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

/** Folders that somebody else may have written: the project, the working directory and their repositories. */
function projectsOf({ projectDirs, homeDir }: Found, { cwd, directory }: Caller): readonly string[] {
  const home = homeDir === null ? null : realPathOrSame(homeDir);
  const starts = [...projectDirs, ...(directory === null ? [] : [realPathOrSame(cwd)])];
  const repositories = starts.flatMap(
    (folder) => [folder, ...foldersAbove(folder)].find((one) => pathExists(join(one, ".git"))) ?? [],
  );
  // A folder above HOME, such as `/`, is a project only if it has a `.kodelet` or `.git`.
  const isProject = (folder: string): boolean =>
    home === null ||
    !isInside(folder, home) ||
    (folder !== home && [".kodelet", ".git"].some((name) => pathExists(join(folder, name))));
  return [...new Set([...starts, ...repositories])].filter(isProject);
}

/** The approvals file if no variable sets another. */
export const defaultTrustFile = (homeDir: string | null): string | null =>
  homeDir === null ? null : join(homeDir, STATE.usual, "hookctl", "trust.json");

interface Rehearsal {
  readonly found: Scopes;
  readonly emptyHome: string;
  /** True if the real user's approvals do not apply. */
  readonly areOnlyDenials: boolean;
}

/** The same for a user who has nothing but approvals and denials, whose home is this empty folder. */
export function withoutUser(
  { found, emptyHome, areOnlyDenials }: Rehearsal,
  caller: Caller,
): { readonly scopes: Scopes; readonly places: UserPaths } {
  const scopes = { ...found, homeDir: emptyHome };
  const { trustFile, unusedDefaultTrustFile, trustFileProblem } = findUserPaths(
    found.homeDir === null ? scopes : found,
    caller,
  );
  const store = { trustFile, unusedDefaultTrustFile, trustFileProblem, areOnlyDenials };
  const none = {
    configHome: null,
    cacheDir: null,
    sessionsDir: null,
    backupsDir: null,
    auditFile: null,
    pausesFile: null,
  };
  return { scopes, places: { ...none, ...store, warnings: [] } };
}
