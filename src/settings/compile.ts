import { basename } from "node:path";
import type { ConfigData } from "../contract/config.ts";
import type { ConfigProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { NO_SETTINGS } from "../contract/scope-settings.ts";
import { checkConfig } from "../schema/check-config.ts";
import { entriesWithServers } from "./entry-servers.ts";
import type { Place, PlaceState, Scope } from "./places.ts";
import type { Plan, ScopePlan } from "./plan.ts";
import { readParsed } from "./read-file.ts";

/** The cold path: parses and checks the files that are there. */
export async function compilePlan(present: readonly Place[], mcpFiles: readonly Place[]): Promise<Plan> {
  const folders = [...new Set(present.map(({ folder }) => folder))];
  const compiled = folders.map((folder) => compileScope(placesIn(folder, present), placesIn(folder, mcpFiles)));
  const userFile = present.find(({ scope }) => scope === "user")?.path;
  return {
    scopes: compiled.flatMap(({ plan }) => plan).map((plan) => withUserFile(plan, userFile)),
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

interface CompiledScope {
  readonly plan: readonly ScopePlan[];
  readonly alsoRead: readonly PlaceState[];
}

function compileScope([place, ...others]: readonly Place[], mcpFiles: readonly Place[]): CompiledScope {
  if (place === undefined) return { plan: [], alsoRead: [] };
  const { scope, folder, path: file } = place;
  const known = { scope, folder, file, isBlank: false, data: NO_SETTINGS };
  const failed = (problem: ConfigProblem, alsoRead: readonly PlaceState[] = []): CompiledScope => ({
    plan: [{ ...known, problem }],
    alsoRead,
  });
  const [second] = others;
  // To take one of two in silence would switch off whatever stands in the other.
  if (second !== undefined) return failed({ code: "CONFIG_SECOND_FILE", file, second: second.path });
  const read = readConfig(file, scope);
  if (!read.ok) return failed(read.error);
  const { config, isBlank } = read.value;
  const paths = mcpFiles.map(({ path }) => path);
  const { entries, alsoRead } = entriesWithServers(config, file, paths);
  if (!entries.ok) return failed(entries.error, alsoRead);
  const data = { settings: config.settings, overrides: config.overrides, entries: entries.value };
  return { plan: [{ ...known, isBlank, data, problem: null }], alsoRead };
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
