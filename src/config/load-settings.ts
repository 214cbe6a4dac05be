import type { ConfigProblem } from "../protocol/problem.ts";
import { NO_SETTINGS } from "../protocol/setting-rows.ts";
import {
  ABSENT,
  type ConfigFolders,
  configFileState,
  configFiles,
  type FileState,
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
  const inputs = places.map((place): FileState => [place.path, configFileState(place)]);
  const present = places.filter((_, index) => inputs[index]?.[1] !== ABSENT);
  if (input.explicitFile !== null && !present.some(({ path }) => path === input.explicitFile)) {
    return { ...NO_PLAN, files: [missingFile(input.explicitFile)] };
  }
  if (present.length === 0) return NO_PLAN;
  const kept = input.cacheDir === null ? null : readCachedSettings(input.cacheDir, inputs);
  if (kept !== null) return { ...kept, isFresh: false };
  const { compileSettings } = await import("./parse-and-check.ts");
  const plan = await compileSettings(present, mcpConfigFiles(input));
  if (input.cacheDir !== null) writeCachedSettings(input.cacheDir, inputs, plan);
  return { ...plan, isFresh: true };
}

function missingFile(file: string): CompiledFile {
  const problem: ConfigProblem = { code: "CONFIG_NOT_READABLE", file, cause: "it does not exist" };
  return { scope: "user", folder: "", file, isBlank: false, data: NO_SETTINGS, problem };
}

/** The user's settings file; null: there is none. */
export const userFileIn = ({ files }: CompiledSettings): CompiledFile | null =>
  files.find(({ scope }) => scope === "user") ?? null;

/** The settings files of the project folders, those of the outermost folder first. */
export const projectFilesIn = ({ files }: CompiledSettings): readonly CompiledFile[] =>
  files.filter(({ scope }) => scope === "project");

/** The files of one scope that have no effect, each with its problem. */
export const ignoredFilesIn = (
  { ignoredFiles }: CompiledSettings,
  wanted: CompiledFile["scope"],
): readonly CompiledFile[] => ignoredFiles.filter(({ scope }) => scope === wanted);
