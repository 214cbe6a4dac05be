import { basename, dirname, join, relative } from "node:path";
import { isInside } from "../fs/paths.ts";
import type { ResolvedEntry } from "../protocol/entry.ts";
import { pluginPrefix } from "../protocol/pack-settings.ts";
import type { ConfigProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { NO_SETTINGS, type ScopeSettings, TOP_LEVEL_KEYS } from "../protocol/setting-rows.ts";
import { anotherForm, isInAnotherForm } from "./compile-shared.ts";
import type { ConfigFile } from "./config-files.ts";
import type { CompiledSettings } from "./load-settings.ts";
import { parseFile } from "./parse-file.ts";
import { checkConfig } from "./schema/check-config.ts";
import { uncheckedFields } from "./schema/unchecked-fields.ts";

/** Compiles the settings of a pack: hooks that it declares, and overrides of its own hooks. */
export function compilePack([place, ...others]: readonly ConfigFile[]): CompiledSettings {
  if (place === undefined) return { files: [], ignoredFiles: [], alsoRead: [] };
  const { scope, folder, path: file } = place;
  const known = { scope, folder, file, isBlank: false };
  const [second] = others;
  const read = second === undefined ? parseFile(file) : twoFiles(file, second.path);
  // kodelet takes whole repositories for plugins: the file may be another program's.
  if (read.ok && isInAnotherForm(uncheckedFields(read.value)))
    return { files: [], ignoredFiles: [{ ...known, data: NO_SETTINGS, problem: anotherForm(file) }], alsoRead: [] };
  const data = read.ok ? packSettings(read.value, file, folder) : read;
  const compiled = data.ok
    ? { ...known, data: data.value, problem: null }
    : { ...known, data: NO_SETTINGS, problem: data.error };
  return { files: [compiled], ignoredFiles: [], alsoRead: [] };
}

const twoFiles = (file: string, second: string): Result<never, ConfigProblem> =>
  fail({ code: "CONFIG_SECOND_FILE", file, second });

/** The settings in a pack's file that lies in a project, with the names and paths that they have there. */
export function packSettings(found: unknown, file: string, project: string): Result<ScopeSettings, ConfigProblem> {
  const checked = checkPackSettings(found, file);
  if (!checked.ok) return checked;
  const { entries, overrides } = checked.value;
  const packDir = dirname(file);
  const prefix = pluginPrefix(basename(packDir));
  const own = Object.entries(overrides).map(([name, override]) => [`${prefix}${name}`, override]);
  return ok({
    ...NO_SETTINGS,
    overrides: Object.fromEntries(own),
    entries: entries.map((entry) => placedEntry(entry, prefix, relative(project, packDir))),
  });
}

const placedEntry = (entry: ResolvedEntry, prefix: string, folder: string): ResolvedEntry => ({
  ...entry,
  name: `${prefix}${entry.name}`,
  files: entry.files.map((path) => join(folder, path)),
});

const ALLOWED: readonly string[] = ["$schema", "version", "hooks", "overrides"];

/** What a pack says, with the names and paths of the pack itself. */
type PackSettings = Pick<ScopeSettings, "entries" | "overrides">;

/** Checks what a pack may say. Everything else is for the project or the user to decide. */
export function checkPackSettings(found: unknown, file: string): Result<PackSettings, ConfigProblem> {
  const bad = (entry: string, detail: string) => fail({ code: "CONFIG_BAD_VALUE", file, entry, detail } as const);
  const keys = Object.keys(uncheckedFields(found));
  const refused = TOP_LEVEL_KEYS.find((key) => keys.includes(key) && !ALLOWED.includes(key));
  if (refused !== undefined) return bad(refused, "a pack may only have hooks, and overrides of its own hooks");
  const config = checkConfig(found, file, "project");
  if (!config.ok) return config;
  const { hooks, overrides } = config.value;
  // A slash could make it the name of another pack's hook.
  const foreign = Object.keys(overrides).find((name) => name.includes("/"));
  if (foreign !== undefined) return bad(`overrides.${foreign}`, "a pack names its own hooks, without a prefix");
  const named = hooks.find(({ name }) => name.includes("/"));
  if (named !== undefined) return bad(`hooks: ${named.name}`, "in a pack a name has no slash");
  const entries = hooks.flatMap((entry) => (entry.scheme === "tool" ? [] : [entry]));
  const server = hooks.find(({ scheme }) => scheme === "tool");
  if (server !== undefined) return bad(`hooks: ${server.name}.tool`, "a pack has no MCP servers");
  const outside = hooks.find(({ files }) => files.some((path) => !isInside("/pack", join("/pack", path))));
  return outside === undefined
    ? ok({ entries, overrides })
    : bad(`hooks: ${outside.name}.files`, "a file is not in the pack");
}
