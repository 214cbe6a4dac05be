import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { errnoCode } from "../protocol/errno.ts";
import { SHARED_FILES } from "../protocol/settings.ts";

export type ConfigScope = "project" | "user";

/** Where a settings file may stand. Each scope has one file of its own: a second one is an error. */
export interface ConfigFile {
  readonly scope: ConfigScope;
  /** The project's folder; empty for the user. */
  readonly folder: string;
  readonly path: string;
  /** Other programs read this file as well, and of it only hooks count (`contract/shared-files`). */
  readonly isShared: boolean;
}

export interface ConfigFolders {
  /** The project's folders, outermost first; none in HOME itself, whose settings are the user's. */
  readonly projectDirs: readonly string[];
  readonly homeDir: string | null;
  readonly configHome: string | null;
  /** `--config FILE` stands for the user's own settings. */
  readonly explicitFile: string | null;
}

/** Every place of this call, the outermost project's first. */
export const configFiles = (input: ConfigFolders): readonly ConfigFile[] => [
  ...ownPlaces(input),
  ...projectPlaces(input, SHARED_FILES).map(shared),
  ...userMcpFile(input).map(shared),
];

/** The places of settings files that are hookctl's own. */
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
 * Where agents and people declare MCP servers, the project's first: looked at only for a server that a `tool` entry names
 * and its settings file does not declare.
 */
export const mcpConfigFiles = (input: ConfigFolders): readonly ConfigFile[] => [
  ...projectPlaces(input, MCP_FILES),
  ...userMcpFile(input),
];

/** Of the user's `mcp.json` the servers count, and its hooks do not. `--config FILE` stands for all that the user says. */
const userMcpFile = ({ homeDir, explicitFile }: ConfigFolders): readonly ConfigFile[] =>
  homeDir === null || explicitFile !== null ? [] : [userPlace(join(homeDir, ".kodelet", "mcp.json"))];

/** The own settings file of the user, or of the innermost project folder; null: there is none. */
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

/** The state of a place for settings. Most projects have a package.json, and many an mcp.json: few hold anything for us. */
export function configFileState({ path, isShared }: ConfigFile): string {
  if (isShared) return fileState(path, mayHoldHooks);
  return path.endsWith("package.json") ? fileState(path, mayHoldSettings) : fileState(path);
}

/** The state of one file as a word: equal words mean that nothing has changed. A file that holds nothing is absent. */
export function fileState(path: string, mayHold: ((path: string) => boolean) | null = null): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return ABSENT;
    if (mayHold !== null && !(stats.isFile() && mayHold(path))) return ABSENT;
    return [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(":");
  } catch (error) {
    const code = errnoCode(error);
    return code === "ENOTDIR" ? ABSENT : `unreadable ${code}`;
  }
}

/** A key may be written in escapes. */
function mayHoldHooks(path: string): boolean {
  const key = path.endsWith(".yaml") ? /hook|\\[ux]/ : /"hooks"\s*:|\\u00/;
  return key.test(readFileSync(path, "utf8"));
}

function mayHoldSettings(path: string): boolean {
  const text = readFileSync(path, "utf8");
  // Not the version that a project that has hookctl installed names.
  if (/"hookctl"\s*:\s*[^\s"]/.test(text)) return true;
  const isMentioned = /hookctl(?!"\s*:\s*")/.test(text);
  // A key may be written in escapes.
  if (!isMentioned && !text.includes("\\u00")) return false;
  const found = parsed(text);
  // What does not parse may have lost its settings by the very mistake.
  return found === null ? isMentioned : Object.hasOwn(found, "hookctl");
}

function parsed(text: string): object | null {
  try {
    return Object(JSON.parse(text.replace(/^\ufeff/, "")));
  } catch {
    return null;
  }
}
