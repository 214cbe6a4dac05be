import { basename } from "node:path";
import type { ConfigProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import type { ConfigData } from "../protocol/settings.ts";
import { isReynFile, NO_SETTINGS } from "../protocol/settings.ts";
import { compileReyn } from "./compile-reyn.ts";
import { compileShared, hooksInUserMcp } from "./compile-shared.ts";
import { entriesWithServers } from "./entry-servers.ts";
import type { Place, Scope } from "./places.ts";
import type { Plan, ScopePlan } from "./plan.ts";
import { readParsed } from "./read-file.ts";
import { checkConfig } from "./schema/check-config.ts";

/** The cold path: parses and checks the files that are there. */
export async function compilePlan(present: readonly Place[], mcpFiles: readonly Place[]): Promise<Plan> {
  const folders = [...new Set(present.map(({ folder }) => folder))];
  const compiled = folders.flatMap((folder) => compileFolder(placesIn(folder, present), placesIn(folder, mcpFiles)));
  const userFile = present.find(({ scope, isShared }) => scope === "user" && !isShared)?.path;
  return {
    scopes: compiled.flatMap(({ scopes }) => scopes).map((plan) => withUserFile(plan, userFile)),
    others: compiled.flatMap(({ others }) => others),
    alsoRead: compiled.flatMap(({ alsoRead }) => alsoRead),
  };
}

/** A hint to move a setting names the file that is there: a second one would be an error. */
function withUserFile(plan: ScopePlan, userFile: string | undefined): ScopePlan {
  const { problem } = plan;
  if (problem?.code !== "CONFIG_USER_ONLY" || userFile === undefined) return plan;
  return { ...plan, problem: { ...problem, userFile } };
}

const placesIn = (wanted: string, places: readonly Place[]): readonly Place[] =>
  places.filter(({ folder }) => folder === wanted);

/** The folder's own settings file, and each shared file with hooks by itself. */
function compileFolder(places: readonly Place[], mcpFiles: readonly Place[]): readonly Plan[] {
  const paths = mcpFiles.map(({ path }) => path);
  const own = compileOwn(
    places.filter(({ isShared }) => !isShared),
    paths,
  );
  const shared = places
    .filter(({ isShared }) => isShared)
    .map((place) => {
      if (place.scope === "user") return hooksInUserMcp(place);
      return isReynFile(place.folder, place.path) ? compileReyn(place, paths) : compileShared(place, paths);
    });
  return [own, ...shared];
}

function compileOwn([place, ...others]: readonly Place[], mcpFiles: readonly string[]): Plan {
  if (place === undefined) return { scopes: [], others: [], alsoRead: [] };
  const { scope, folder, path: file } = place;
  const known = { scope, folder, file, isBlank: false, data: NO_SETTINGS };
  const failed = (problem: ConfigProblem, alsoRead: Plan["alsoRead"] = []): Plan => ({
    scopes: [{ ...known, problem }],
    others: [],
    alsoRead,
  });
  const [second] = others;
  // To take one of two in silence would switch off whatever stands in the other.
  if (second !== undefined) return failed({ code: "CONFIG_SECOND_FILE", file, second: second.path });
  const read = readConfig(file, scope);
  if (!read.ok) return failed(read.error);
  const { config, isBlank } = read.value;
  const { entries, alsoRead } = entriesWithServers(config, file, mcpFiles);
  if (!entries.ok) return failed(entries.error, alsoRead);
  const data = { settings: config.settings, overrides: config.overrides, entries: entries.value };
  return { scopes: [{ ...known, isBlank, data, problem: null }], others: [], alsoRead };
}

interface ReadConfig {
  readonly config: ConfigData;
  readonly isBlank: boolean;
}

function readConfig(file: string, scope: Scope): Result<ReadConfig, ConfigProblem> {
  const found = readParsed(file);
  if (!found.ok) return found;
  const value = basename(file) === "package.json" ? memberOf(found.value, "hookctl") : found.value;
  const config = checkConfig(value, file, scope);
  return config.ok ? ok({ config: config.value, isBlank: value === undefined || value === null }) : fail(config.error);
}

const memberOf = (object: unknown, key: string): unknown => new Map(Object.entries(Object(object))).get(key);
