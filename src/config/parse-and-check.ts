import { basename } from "node:path";
import type { ConfigProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { isReynFile, NO_SETTINGS, type ScopeSettings } from "../protocol/settings-file.ts";
import { checkUserMcp, compilePack, compileReyn, compileShared } from "./compile-entries.ts";
import type { CompiledFile, CompiledSettings } from "./compiled-settings.ts";
import type { ConfigFile, ConfigScope } from "./config-files.ts";
import { attachServers } from "./entry-servers.ts";
import { parseFile, parseText } from "./parse-file.ts";
import { type CheckedConfig, checkWholeConfig } from "./schema/check-config.ts";

/** Parses and checks the settings files that exist. Runs only when one of them has changed. */
export async function compileSettings(
  present: readonly ConfigFile[],
  mcpFiles: readonly ConfigFile[],
): Promise<CompiledSettings> {
  const folders = [...new Set(present.map(({ folder }) => folder))];
  const compiled = folders.flatMap((folder) => compileFolder(placesIn(folder, present), placesIn(folder, mcpFiles)));
  const userFile = present.find(({ scope, isShared }) => scope === "user" && !isShared)?.path;
  return {
    files: compiled.flatMap(({ files }) => files).map((plan) => withUserFile(plan, userFile)),
    ignoredFiles: compiled.flatMap(({ ignoredFiles }) => ignoredFiles),
    alsoRead: compiled.flatMap(({ alsoRead }) => alsoRead),
  };
}

/** A hint to move a setting names the user's existing file: a second one would be an error. */
function withUserFile(plan: CompiledFile, userFile: string | undefined): CompiledFile {
  const { problem, moreProblems } = plan;
  if (problem === null || userFile === undefined) return plan;
  const named = (one: ConfigProblem): ConfigProblem => (one.code === "CONFIG_USER_ONLY" ? { ...one, userFile } : one);
  return { ...plan, problem: named(problem), ...(moreProblems && { moreProblems: moreProblems.map(named) }) };
}

const placesIn = (folder: string, places: readonly ConfigFile[]): readonly ConfigFile[] =>
  places.filter((place) => place.folder === folder);

/** The folder's own settings file, and each shared file with hooks and each pack separately. */
function compileFolder(places: readonly ConfigFile[], mcpFiles: readonly ConfigFile[]): readonly CompiledSettings[] {
  const paths = mcpFiles.map(({ path }) => path);
  const own = compileOwn(
    places.filter(({ isShared, packDir }) => !isShared && packDir === undefined),
    paths,
  );
  const shared = places
    .filter(({ isShared }) => isShared)
    .map((place) => {
      if (place.scope === "user") return checkUserMcp(place);
      return isReynFile(place.folder, place.path) ? compileReyn(place, paths) : compileShared(place, paths);
    });
  const packs = new Set(places.flatMap(({ packDir }) => packDir ?? []));
  const ofPacks = [...packs].map((pack) => compilePack(places.filter(({ packDir }) => packDir === pack)));
  return [own, ...shared, ...ofPacks];
}

function compileOwn([place, ...others]: readonly ConfigFile[], mcpFiles: readonly string[]): CompiledSettings {
  if (place === undefined) return { files: [], ignoredFiles: [], alsoRead: [] };
  const { scope, folder, path: file } = place;
  const known = { scope, folder, file, isBlank: false, data: NO_SETTINGS };
  const failed = (faults: FileFaults, alsoRead: CompiledSettings["alsoRead"] = []): CompiledSettings => ({
    files: [{ ...known, ...faults }],
    ignoredFiles: [],
    alsoRead,
  });
  const [second] = others;
  // Ignoring one of two files would silently disable its hooks and overrides.
  if (second !== undefined) return failed({ problem: { code: "CONFIG_SECOND_FILE", file, second: second.path } });
  const read = readConfig(file, scope);
  if (!read.ok) return failed(read.error);
  const { config, isBlank } = read.value;
  const { entries, alsoRead } = attachServers(config, file, mcpFiles);
  if (!entries.ok) return failed({ problem: entries.error }, alsoRead);
  const { settings, overrides, guards, entryProblems } = config;
  const data = { settings, overrides, guards, entries: entries.value };
  return { files: [{ ...known, isBlank, data, problem: null, entryProblems }], ignoredFiles: [], alsoRead };
}

/** The settings in a text of a project's own file; null: it is invalid, or its servers are in another file. */
export function parseOwnSettings(text: string, file: string): ScopeSettings | null {
  const parsed = basename(file) === "package.json" ? null : parseText(text, file);
  const config = parsed?.ok === true ? checkWholeConfig(parsed.value, file, "project") : null;
  if (config?.ok !== true) return null;
  const { settings, overrides, guards } = config.value;
  const { entries } = attachServers(config.value, file, []);
  return entries.ok ? { settings, overrides, guards, entries: entries.value } : null;
}

interface FileFaults extends Pick<CompiledFile, "moreProblems"> {
  readonly problem: ConfigProblem;
}

interface ReadConfig {
  readonly config: CheckedConfig;
  readonly isBlank: boolean;
}

function readConfig(file: string, scope: ConfigScope): Result<ReadConfig, FileFaults> {
  const found = parseFile(file);
  if (!found.ok) return fail({ problem: found.error });
  const value = basename(file) === "package.json" ? memberOf(found.value, "hookctl") : found.value;
  const config = checkWholeConfig(value, file, scope);
  return config.ok ? ok({ config: config.value, isBlank: value === undefined || value === null }) : fail(config.error);
}

const memberOf = (object: unknown, key: string): unknown => new Map(Object.entries(Object(object))).get(key);
