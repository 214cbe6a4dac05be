import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../contract/place-error.ts";

export type Scope = "project" | "user";

/** Where a settings file may stand. Each scope has one file: a second one is an error. */
export interface Place {
  readonly scope: Scope;
  /** The project's folder; empty for the user. */
  readonly folder: string;
  readonly path: string;
}

export interface PlaceInput {
  /** The project's folders, outermost first; none in HOME itself, whose settings are the user's. */
  readonly projectDirs: readonly string[];
  readonly homeDir: string | null;
  readonly configHome: string | null;
  /** `--config FILE` stands for the user's own settings. */
  readonly explicitFile: string | null;
}

/** Every place of this call, the outermost project's first. */
export function placesOf(input: PlaceInput): readonly Place[] {
  return [...projectPlaces(input, PROJECT_FILES), ...userFiles(input).map(userPlace)];
}

const projectPlaces = ({ projectDirs }: PlaceInput, names: readonly string[]): readonly Place[] =>
  projectDirs.flatMap((folder) => names.map((name): Place => ({ scope: "project", folder, path: join(folder, name) })));

const userPlace = (path: string): Place => ({ scope: "user", folder: "", path });

function userFiles({ homeDir, configHome, explicitFile }: PlaceInput): readonly string[] {
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
export function mcpPlacesOf(input: PlaceInput): readonly Place[] {
  const { homeDir, explicitFile } = input;
  // `--config FILE` stands for all that the user says.
  const own = homeDir === null || explicitFile !== null ? [] : [userPlace(join(homeDir, ".kodelet", "mcp.json"))];
  return [...projectPlaces(input, MCP_FILES), ...own];
}

/** The settings file of the user, or of the innermost project folder; null: there is none. */
export const fileInForce = (input: PlaceInput, scope: Scope): string | null =>
  placesOf(input).findLast((place) => place.scope === scope && stateOf(place.path) !== ABSENT)?.path ?? null;

const MCP_FILES = [".kodelet/mcp.json", ".mcp.json"];

const PROJECT_FILES = [
  ".kodelet/hooks.json",
  ".kodelet/hooks.yaml",
  ".hookctlrc",
  ".hookctlrc.json",
  ".hookctlrc.yaml",
  "package.json",
];

export const ABSENT = "absent";

export type PlaceState = readonly [path: string, state: string];

/** The state of one place as a word: equal words mean that nothing has changed. */
export function stateOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return ABSENT;
    if (path.endsWith("package.json") && !(stats.isFile() && mayHoldSettings(path))) return ABSENT;
    return [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(":");
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOTDIR" ? ABSENT : `unreadable ${code}`;
  }
}

/** Most projects have a package.json and few put settings into it: those few pay for parsing it. */
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
