import type { Stats } from "node:fs";
import { join } from "node:path";
import { disk, isSettled } from "../fs/disk.ts";
import { readTextFile } from "../fs/read-file.ts";
import { errnoCode } from "../protocol/errno.ts";
import { PACK_SETTINGS_FILES, SHARED_FILES } from "../protocol/settings-file.ts";

export type ConfigScope = "project" | "user" | "machine";

/** A path where a settings file may be. Each scope has one file of hookctl's own: a second one is an error. */
export interface ConfigFile {
  readonly scope: ConfigScope;
  /** The project's folder; empty for the user. */
  readonly folder: string;
  readonly path: string;
  /** Other programs read this file as well; only its hooks are used. */
  readonly isShared: boolean;
  /** The folder of the pack whose settings these are. */
  readonly packDir?: string;
  /** A file with the rules that are added to one guard. */
  readonly isRules?: true;
}

export interface ConfigFolders {
  /** The project's folders, outermost first; none if the project is HOME, whose settings are the user's. */
  readonly projectDirs: readonly string[];
  readonly homeDir: string | null;
  readonly configHome: string | null;
  /** `--config FILE` replaces the user's own settings. */
  readonly explicitFile: string | null;
}

/** The settings file of the machine, and its rule files. They are not read from a cache of the user, who could forge one. */
export function machineFiles(folder: string): readonly ConfigFile[] {
  const place = { scope: "machine", folder: "", isShared: false } as const;
  const rules = join(folder, "rules");
  const names = disk.statSync(rules, { throwIfNoEntry: false }) === undefined ? [] : disk.readdirSync(rules);
  const files = names.filter((name) => name.endsWith(".json")).sort();
  return [
    { ...place, path: join(folder, "hooks.json") },
    ...files.map((name) => ({ ...place, path: join(rules, name), isRules: true as const })),
  ];
}

/** Every path of this call, those of the outermost project first. */
export const configFiles = (input: ConfigFolders): readonly ConfigFile[] => [
  ...ownPlaces(input),
  ...projectPlaces(input, SHARED_FILES).map(shared),
  ...userMcpFile(input).map(shared),
  ...packPlaces(input),
];

/** The settings files of the packs in a project. */
const packPlaces = ({ projectDirs }: ConfigFolders): readonly ConfigFile[] =>
  projectDirs.flatMap((folder) =>
    packDirsIn(folder).flatMap((packDir) =>
      PACK_SETTINGS_FILES.map((name): ConfigFile => {
        return { scope: "project", folder, path: join(packDir, name), isShared: false, packDir };
      }),
    ),
  );

function packDirsIn(folder: string): readonly string[] {
  const plugins = join(folder, ".kodelet", "plugins");
  try {
    if (disk.statSync(plugins, { throwIfNoEntry: false }) === undefined) return [];
    const names = disk.readdirSync(plugins).filter((name) => !name.startsWith("."));
    return names.sort().map((name) => join(plugins, name));
  } catch {
    // Discovery reports a folder that cannot be read.
    return [];
  }
}

/** The paths of hookctl's own settings files. */
const ownPlaces = (input: ConfigFolders): readonly ConfigFile[] => [
  ...projectPlaces(input, PROJECT_FILES),
  ...userFiles(input).map(userPlace),
];

const projectPlaces = ({ projectDirs }: ConfigFolders, names: readonly string[]): readonly ConfigFile[] =>
  projectDirs.flatMap((folder) =>
    names.map((name): ConfigFile => ({ scope: "project", folder, path: join(folder, name), isShared: false })),
  );

const userPlace = (path: string): ConfigFile => ({ scope: "user", folder: "", path, isShared: false });
const shared = (place: ConfigFile): ConfigFile => ({ ...place, isShared: true });

function userFiles({ homeDir, configHome, explicitFile }: ConfigFolders): readonly string[] {
  if (explicitFile !== null) return [explicitFile];
  const own =
    homeDir === null ? [] : [join(homeDir, ".kodelet", "hooks.json"), join(homeDir, ".kodelet", "hooks.yaml")];
  return configHome === null ? own : [...own, userConfigIn(configHome)];
}

/** The user's settings file below XDG_CONFIG_HOME. */
const userConfigIn = (configHome: string): string => join(configHome, "hookctl", "config.json");

/**
 * Files that declare MCP servers, the project's first. They are read only for a server that a `tool` entry names and its
 * settings file does not declare.
 */
export const mcpConfigFiles = (input: ConfigFolders): readonly ConfigFile[] => [
  ...projectPlaces(input, MCP_FILES),
  ...userMcpFile(input),
];

/** Only the servers of the user's `mcp.json` are used, not its hooks; with `--config FILE` it is not read. */
const userMcpFile = ({ homeDir, explicitFile }: ConfigFolders): readonly ConfigFile[] =>
  homeDir === null || explicitFile !== null ? [] : [userPlace(join(homeDir, ".kodelet", "mcp.json"))];

/** Returns hookctl's settings file of the user, or of the innermost project folder; null if there is none. */
export const effectiveFile = (input: ConfigFolders, scope: ConfigScope): string | null =>
  ownPlaces(input).findLast((place) => place.scope === scope && configFileState(place) !== ABSENT)?.path ?? null;

const MCP_FILES = SHARED_FILES.filter((name) => name.endsWith("mcp.json"));

const PROJECT_FILES = [
  ".kodelet/hooks.json",
  ".kodelet/hooks.yaml",
  ".hookctlrc",
  ".hookctlrc.json",
  ".hookctlrc.yaml",
  "package.json",
];

export const ABSENT = "absent";

export type FileState = readonly [path: string, state: string];

/** A package.json or an mcp.json without settings for hookctl, as most are, is treated as absent. */
export function configFileState({ path, isShared }: ConfigFile): string {
  if (isShared) return fileState(path, mayHoldHooks);
  if (!path.endsWith("package.json")) return fileState(path);
  const state = fileState(path, mayHoldSettings);
  return state === "unreadable ENOENT" ? ABSENT : state;
}

type MayHold = (path: string, stats: Stats) => boolean;

/**
 * The state of a file as text: equal texts mean an unchanged file, if it is settled. A broken link is not absent: its
 * target may hold hooks.
 */
export function fileState(path: string, mayHold: MayHold | null = null): string {
  try {
    const own = disk.lstatSync(path, { throwIfNoEntry: false });
    if (own === undefined) return ABSENT;
    const stats = own.isSymbolicLink() ? disk.statSync(path) : own;
    if (mayHold !== null && !mayHold(path, stats)) return ABSENT;
    return [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(":");
  } catch (error) {
    return `unreadable ${errnoCode(error)}`;
  }
}

/** True if a later change of the file will change its state. */
export function isSettledState([, state]: FileState, nowMs: number): boolean {
  const [modifiedMs, changedMs] = state.split(":").slice(-2).map(Number);
  // What is absent or unreadable has no times, and gets another state by any change.
  return changedMs === undefined || modifiedMs === undefined || isSettled({ modifiedMs, changedMs }, nowMs);
}

/**
 * False if the text shows that the file declares no hooks: JSON without the word. Whatever does not parse may declare
 * some, and whether YAML does only its parser can say.
 */
function mayHoldHooks(path: string, stats: Stats): boolean {
  if (!path.endsWith("mcp.json") || !stats.isFile() || stats.size > LARGEST_BYTES) return true;
  const text = readTextFile(path);
  return MENTIONS_HOOKS.test(text) || parsed(text) === null;
}

/** A key may be written with escapes. */
const MENTIONS_HOOKS = /hook|\\u/i;

/** The largest settings file. */
export const LARGEST_BYTES = 1024 * 1024;

/** Only a regular file: a package.json is seldom for hookctl, and a second settings file disables the first. */
function mayHoldSettings(path: string, stats: Stats): boolean {
  if (!stats.isFile()) return false;
  const text = readTextFile(path);
  // Does not match a dependency on hookctl, whose value is a version.
  if (/"hookctl"\s*:\s*[^\s"]/.test(text)) return true;
  const isMentioned = /hookctl(?!"\s*:\s*")/.test(text);
  // A key may be written with escapes.
  if (!isMentioned && !text.includes("\\u00")) return false;
  const found = parsed(text);
  // A file that does not parse may contain settings, and its error must be reported.
  return found === null ? isMentioned : Object.hasOwn(found, "hookctl");
}

function parsed(text: string): object | null {
  try {
    return Object(JSON.parse(text.replace(/^\ufeff/, "")));
  } catch {
    return null;
  }
}
