import { basename } from "node:path";
import type { ConfigProblem } from "../protocol/problem.ts";
import { isReynFile, type ScopeSettings } from "../protocol/settings-file.ts";
import { checkUserMcp, compileOwn, compilePack, compileReyn, compileShared, withRuleFiles } from "./compile-entries.ts";
import type { CompiledFile, CompiledSettings } from "./compiled-settings.ts";
import type { ConfigFile } from "./config-files.ts";
import { attachServers } from "./entry-servers.ts";
import { parseText } from "./parse-file.ts";
import { checkWholeConfig } from "./schema/check-config.ts";

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
    places.filter(({ isShared, packDir, isRules }) => !isShared && packDir === undefined && isRules !== true),
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
  const rules = places.filter(({ isRules }) => isRules);
  return [withRuleFiles(own, rules), ...shared, ...ofPacks];
}

/** The settings in a text of a project's own file; null: it is invalid, or its servers are in another file. */
export function parseOwnSettings(text: string, file: string): ScopeSettings | null {
  const parsed = basename(file) === "package.json" ? null : parseText(text, file);
  const config = parsed?.ok === true ? checkWholeConfig(parsed.value, file, "project") : null;
  if (config?.ok !== true) return null;
  const { hooks: _hooks, mcp_servers: _servers, entryProblems: _problems, ...parts } = config.value;
  const { entries } = attachServers(config.value, file, []);
  return entries.ok ? { ...parts, entries: entries.value } : null;
}
