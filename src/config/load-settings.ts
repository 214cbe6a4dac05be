import type { ConfigProblem } from "../protocol/problem.ts";
import { NO_SETTINGS } from "../protocol/settings.ts";
import {
  type CompiledFile,
  type CompiledSettings,
  readCachedSettings,
  writeCachedSettings,
} from "./compiled-settings.ts";
import {
  ABSENT,
  type ConfigFolders,
  configFileState,
  configFiles,
  type FileState,
  mcpConfigFiles,
} from "./config-files.ts";

export interface LoadInput extends ConfigFolders {
  /** Where compiled plans are kept; null: nowhere. */
  readonly cacheDir: string | null;
}

export interface LoadedFiles extends CompiledSettings {
  /** It was parsed and checked by this very call. */
  readonly isFresh: boolean;
}

const NO_PLAN: LoadedFiles = { files: [], ignoredFiles: [], alsoRead: [], isFresh: false };

/** The settings files of this call. Without one no library is loaded; of unchanged ones the compiled plan is read. */
export async function loadConfigFiles(input: LoadInput): Promise<LoadedFiles> {
  const places = configFiles(input);
  const inputs = places.map((place): FileState => [place.path, configFileState(place)]);
  const present = places.filter((_, index) => inputs[index]?.[1] !== ABSENT);
  if (input.explicitFile !== null && !present.some(({ path }) => path === input.explicitFile)) {
    return { ...NO_PLAN, files: [missingFile(input.explicitFile)] };
  }
  if (present.length === 0) return NO_PLAN;
  const kept = input.cacheDir === null ? null : readCachedSettings(input.cacheDir, inputs);
  if (kept !== null) return { ...kept, isFresh: false };
  const { compileSettings } = await import("./compile.ts");
  const plan = await compileSettings(present, mcpConfigFiles(input));
  if (input.cacheDir !== null) writeCachedSettings(input.cacheDir, inputs, plan);
  return { ...plan, isFresh: true };
}

function missingFile(file: string): CompiledFile {
  const problem: ConfigProblem = { code: "CONFIG_NOT_READABLE", file, cause: "it does not exist" };
  return { scope: "user", folder: "", file, isBlank: false, data: NO_SETTINGS, problem };
}

/** The plan of the user's one settings file; null: there is none. */
export const userFileIn = ({ files }: CompiledSettings): CompiledFile | null =>
  files.find(({ scope }) => scope === "user") ?? null;

/** The plan of each file that counts in a project folder, the outermost folder's first. */
export const projectFilesIn = ({ files }: CompiledSettings): readonly CompiledFile[] =>
  files.filter(({ scope }) => scope === "project");

/** Files of one scope from which nothing is read, each with the reason. */
export const ignoredFilesIn = (
  { ignoredFiles }: CompiledSettings,
  wanted: CompiledFile["scope"],
): readonly CompiledFile[] => ignoredFiles.filter(({ scope }) => scope === wanted);
