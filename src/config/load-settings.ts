import { join } from "node:path";
import { writeCacheFile } from "../fs/machine-folder.ts";
import { readOwnFile } from "../fs/permissions.ts";
import type { ConfigProblem } from "../protocol/problem.ts";
import { NO_SETTINGS } from "../protocol/settings-file.ts";
import type { CompiledFile, CompiledSettings } from "./compiled-settings.ts";
import {
  ABSENT,
  type ConfigFile,
  type ConfigFolders,
  configFileState,
  configFiles,
  type FileState,
  fileState,
  isSettledState,
  machineFiles,
  mcpConfigFiles,
} from "./config-files.ts";

export type { CompiledFile, CompiledSettings };

export interface LoadInput extends ConfigFolders {
  /** The folder of the cache; null: no cache. */
  readonly cacheDir: string | null;
  readonly nowMs: number;
}

export interface LoadedSettingsFiles extends CompiledSettings {
  /** Parsed and checked in this call, not read from the cache. */
  readonly isFresh: boolean;
}

const NO_PLAN: LoadedSettingsFiles = { files: [], ignoredFiles: [], alsoRead: [], isFresh: false };

/** Loads the settings files of a call. The parsers are loaded only if one of the files has changed. */
export async function loadConfigFiles(input: LoadInput): Promise<LoadedSettingsFiles> {
  const places = configFiles(input);
  const explicit = places.find(({ path }) => path === input.explicitFile);
  if (explicit !== undefined && configFileState(explicit) === ABSENT) {
    return { ...NO_PLAN, files: [missingFile(explicit.path)] };
  }
  const { cacheDir, nowMs } = input;
  return loadPlaces({ places, mcpPlaces: () => mcpConfigFiles(input), cacheDir, nowMs });
}

/** Loads the settings file of the machine, through a cache that only root can write. */
export const loadMachineSettings = (
  folder: string,
  { cacheDir, nowMs }: Pick<LoadInput, "cacheDir" | "nowMs">,
): Promise<LoadedSettingsFiles> => loadPlaces({ places: machineFiles(folder), mcpPlaces: () => [], cacheDir, nowMs });

interface Places extends Pick<LoadInput, "cacheDir" | "nowMs"> {
  readonly places: readonly ConfigFile[];
  /** Needed only where a file has changed. */
  readonly mcpPlaces: () => readonly ConfigFile[];
}

async function loadPlaces({ places, mcpPlaces, cacheDir, nowMs }: Places): Promise<LoadedSettingsFiles> {
  const inputs = places.map((place): FileState => [place.path, configFileState(place)]);
  const present = places.filter((_, index) => inputs[index]?.[1] !== ABSENT);
  if (present.length === 0) return NO_PLAN;
  const cached = cacheDir === null ? null : readCachedSettings(cacheDir, inputs);
  if (cached !== null) return { ...cached, isFresh: false };
  const { compileSettings } = await import("./parse-and-check.ts");
  const plan = await compileSettings(present, mcpPlaces());
  const isSettled = [...inputs, ...plan.alsoRead].every((state) => isSettledState(state, nowMs));
  if (cacheDir !== null && isSettled) writeCachedSettings(cacheDir, inputs, plan);
  return { ...plan, isFresh: true };
}

function missingFile(file: string): CompiledFile {
  const problem: ConfigProblem = { code: "CONFIG_NOT_READABLE", file, cause: "it does not exist" };
  return { scope: "user", folder: "", file, isBlank: false, data: NO_SETTINGS, problem };
}

/** The user's settings file; null if there is none. */
export const userFileIn = ({ files }: CompiledSettings): CompiledFile | null =>
  files.find(({ scope }) => scope === "user") ?? null;

/** The machine's settings file; null if there is none. */
export const machineFileIn = ({ files }: CompiledSettings): CompiledFile | null =>
  files.find(({ scope }) => scope === "machine") ?? null;

/** The settings files of the project folders, those of the outermost folder first. */
export const projectFilesIn = ({ files }: CompiledSettings): readonly CompiledFile[] =>
  files.filter(({ scope }) => scope === "project");

/** The files of one scope that have no effect, each with its problem. */
export const ignoredFilesIn = (
  { ignoredFiles }: CompiledSettings,
  scope: CompiledFile["scope"],
): readonly CompiledFile[] => ignoredFiles.filter((file) => file.scope === scope);

interface CachedSettings {
  readonly version: number;
  /** The state of every input, also of absent files: a new file invalidates the cache as an edit does. */
  readonly inputs: readonly FileState[];
  /** JSON text with its checksum, because cached settings are used without another check. */
  readonly plan: string;
  readonly sum: string;
}

const VERSION = 16;

/** The last settings read, for a program that uses the library many times. */
let lastRead: { readonly folder: string; readonly inputs: string; readonly plan: CompiledSettings } | null = null;

/** Returns the compiled settings if no input has changed. */
function readCachedSettings(folder: string, inputs: CachedSettings["inputs"]): CompiledSettings | null {
  const states = JSON.stringify(inputs);
  if (lastRead?.folder === folder && lastRead.inputs === states && isCurrent(lastRead.plan)) return lastRead.plan;
  const plan = readPlan(folder, inputs, states);
  if (plan !== null) lastRead = { folder, inputs: states, plan };
  return plan;
}

/** True if the further files are unchanged, too. */
const isCurrent = ({ alsoRead }: CompiledSettings): boolean =>
  alsoRead.every(([path, state]) => fileState(path) === state);

function readPlan(folder: string, inputs: CachedSettings["inputs"], states: string): CompiledSettings | null {
  try {
    const file = fileFor(folder, inputs);
    const stored = JSON.parse(readOwnFile(file)) as CachedSettings;
    const isSame = stored.version === VERSION && JSON.stringify(stored.inputs) === states;
    if (!isSame || checksum(stored.plan) !== stored.sum) return null;
    const plan = JSON.parse(stored.plan) as CompiledSettings;
    return isCurrent(plan) ? plan : null;
  } catch {
    return null;
  }
}

/** Writes compiled settings for the next call. If that fails, the files are parsed again each time. */
function writeCachedSettings(folder: string, inputs: CachedSettings["inputs"], compiled: CompiledSettings): void {
  const file = fileFor(folder, inputs);
  const plan = JSON.stringify(compiled);
  const stored: CachedSettings = { version: VERSION, inputs, plan, sum: checksum(plan) };
  try {
    writeCacheFile(file, JSON.stringify(stored));
  } catch {
    // A read-only or full disk makes calls slower, not wrong.
  }
}

/** One cache file for each set of paths; two sets with the same checksum only overwrite each other. */
function fileFor(folder: string, inputs: CachedSettings["inputs"]): string {
  return join(folder, `plan-${checksum(inputs.map(([path]) => path).join("\n"))}.json`);
}

/** FNV-1a: loading node:crypto would take longer than the cache saves. */
export function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
