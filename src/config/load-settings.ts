import type { ConfigProblem } from "../protocol/problem.ts";
import { NO_SETTINGS } from "../protocol/setting-rows.ts";
import {
  ABSENT,
  type ConfigFile,
  type ConfigFolders,
  configFileState,
  configFiles,
  type FileState,
  machineSettingsFile,
  mcpConfigFiles,
} from "./config-files.ts";
import { type CompiledFile, type CompiledSettings, readCachedSettings, writeCachedSettings } from "./settings-cache.ts";

export interface LoadInput extends ConfigFolders {
  /** The folder of the cache; null: no cache. */
  readonly cacheDir: string | null;
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
  return loadPlaces({ places, mcpPlaces: mcpConfigFiles(input), cacheDir: input.cacheDir });
}

/** Loads the settings file of the machine, through a cache that only root can write. */
export const loadMachineSettings = (folder: string, cacheDir: string | null): Promise<LoadedSettingsFiles> =>
  loadPlaces({ places: [machineSettingsFile(folder)], mcpPlaces: [], cacheDir });

interface Places {
  readonly places: readonly ConfigFile[];
  readonly mcpPlaces: readonly ConfigFile[];
  readonly cacheDir: string | null;
}

async function loadPlaces({ places, mcpPlaces, cacheDir }: Places): Promise<LoadedSettingsFiles> {
  const inputs = places.map((place): FileState => [place.path, configFileState(place)]);
  const present = places.filter((_, index) => inputs[index]?.[1] !== ABSENT);
  if (present.length === 0) return NO_PLAN;
  const kept = cacheDir === null ? null : readCachedSettings(cacheDir, inputs);
  if (kept !== null) return { ...kept, isFresh: false };
  const { compileSettings } = await import("./parse-and-check.ts");
  const plan = await compileSettings(present, mcpPlaces);
  if (cacheDir !== null) writeCachedSettings(cacheDir, inputs, plan);
  return { ...plan, isFresh: true };
}

function missingFile(file: string): CompiledFile {
  const problem: ConfigProblem = { code: "CONFIG_NOT_READABLE", file, cause: "it does not exist" };
  return { scope: "user", folder: "", file, isBlank: false, data: NO_SETTINGS, problem };
}

/** The user's settings file; null: there is none. */
export const userFileIn = ({ files }: CompiledSettings): CompiledFile | null =>
  files.find(({ scope }) => scope === "user") ?? null;

/** The machine's settings file; null: there is none. */
export const machineFileIn = ({ files }: CompiledSettings): CompiledFile | null =>
  files.find(({ scope }) => scope === "machine") ?? null;

/** The settings files of the project folders, those of the outermost folder first. */
export const projectFilesIn = ({ files }: CompiledSettings): readonly CompiledFile[] =>
  files.filter(({ scope }) => scope === "project");

/** The files of one scope that have no effect, each with its problem. */
export const ignoredFilesIn = (
  { ignoredFiles }: CompiledSettings,
  wanted: CompiledFile["scope"],
): readonly CompiledFile[] => ignoredFiles.filter(({ scope }) => scope === wanted);
