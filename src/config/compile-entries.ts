import { basename, dirname, join, relative } from "node:path";
import { disk } from "../fs/disk.ts";
import { isInside } from "../fs/paths.ts";
import { type ResolvedEntry, SCHEME_NAMES, type SchemeName } from "../protocol/entry.ts";
import { findEvent, nearestEvent } from "../protocol/event.ts";
import type { ConfigProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type GeneralSettings, TOP_LEVEL_KEYS } from "../protocol/setting-rows.ts";
import { NO_SETTINGS, pluginPrefix, type ScopeSettings } from "../protocol/settings-file.ts";
import { nearest } from "../protocol/text/nearest.ts";
import type { CompiledFile, CompiledSettings } from "./compiled-settings.ts";
import type { ConfigFile } from "./config-files.ts";
import { attachServers } from "./entry-servers.ts";
import { parseFile } from "./parse-file.ts";
import { checkConfig, checkWholeConfig } from "./schema/check-config.ts";
import { type UncheckedFields, uncheckedFields } from "./schema/config-schema.ts";

const NOTHING: CompiledSettings = { files: [], ignoredFiles: [], alsoRead: [] };

const emptyFile = ({ scope, folder, path }: ConfigFile): CompiledFile => ({
  scope,
  folder,
  file: path,
  isBlank: false,
  data: NO_SETTINGS,
  problem: null,
});

/** The compiled settings of one file. */
const fileWith = (
  place: ConfigFile,
  part: Partial<CompiledFile>,
  alsoRead: CompiledSettings["alsoRead"] = [],
): CompiledSettings => ({ files: [{ ...emptyFile(place), ...part }], ignoredFiles: [], alsoRead });

const ignored = (place: ConfigFile, problem: ConfigProblem): CompiledSettings => ({
  ...NOTHING,
  ignoredFiles: [{ ...emptyFile(place), problem }],
});

/** Checks the parsed settings of a file, and attaches the MCP servers that its entries name. */
function compileChecked(place: ConfigFile, found: unknown, mcpFiles: readonly string[]): CompiledSettings {
  const { path: file, scope } = place;
  const config = checkWholeConfig(found, file, scope);
  if (!config.ok) return fileWith(place, config.error);
  const { entries, alsoRead } = attachServers(config.value, file, mcpFiles);
  if (!entries.ok) return fileWith(place, { problem: entries.error }, alsoRead);
  const { hooks: _hooks, mcp_servers: _servers, entryProblems, ...parts } = config.value;
  const data = { ...parts, entries: entries.value };
  const isBlank = found === undefined || found === null;
  return { files: [{ ...emptyFile(place), isBlank, data, entryProblems }], ignoredFiles: [], alsoRead };
}

/** Compiles the own settings file of a folder. */
export function compileOwn([place, ...others]: readonly ConfigFile[], mcpFiles: readonly string[]): CompiledSettings {
  if (place === undefined) return NOTHING;
  const { path: file } = place;
  const [second] = others;
  // Ignoring one of two files would silently disable its hooks and overrides.
  if (second !== undefined) return fileWith(place, { problem: secondFile(file, second) });
  const read = parseFile(file);
  if (!read.ok) return fileWith(place, { problem: read.error });
  const found = basename(file) === "package.json" ? uncheckedFields(read.value).hookctl : read.value;
  return compileChecked(place, found, mcpFiles);
}

const secondFile = (file: string, { path: second }: ConfigFile): ConfigProblem => ({
  code: "CONFIG_SECOND_FILE",
  file,
  second,
});

/** Adds the rule files of the machine to its settings. A fault in one of them is a fault of the settings. */
export function withRuleFiles(settings: CompiledSettings, [first, ...others]: readonly ConfigFile[]): CompiledSettings {
  if (first === undefined) return settings;
  const [own = { ...emptyFile(first), file: null }] = settings.files;
  const read = parseFile(first.path);
  const checked = read.ok ? checkConfig({ guard_rules: [read.value] }, first.path, "machine") : read;
  const added = checked.ok ? (checked.value.guard_rules ?? []).map((one) => ({ ...one, file: first.path })) : [];
  const data = { ...own.data, guard_rules: [...(own.data.guard_rules ?? []), ...added] };
  const problem = own.problem ?? (checked.ok ? null : inRuleFile(checked.error));
  return withRuleFiles({ ...settings, files: [{ ...own, data, problem }] }, others);
}

/** The place in a rule file, which has one table. */
const inRuleFile = (problem: ConfigProblem): ConfigProblem =>
  "entry" in problem ? { ...problem, entry: problem.entry.replace(/^guard_rules\.0\.?/, "") || "the file" } : problem;

/** Compiles the settings of a pack: hooks that it declares, and overrides of its own hooks. */
export function compilePack([place, ...others]: readonly ConfigFile[]): CompiledSettings {
  if (place === undefined) return NOTHING;
  const { folder, path: file } = place;
  const [second] = others;
  const read = second === undefined ? parseFile(file) : fail(secondFile(file, second));
  // kodelet takes whole repositories for plugins: the file may be another program's.
  if (read.ok && isInAnotherForm(uncheckedFields(read.value))) return ignored(place, anotherForm(file));
  const data = read.ok ? packSettings(read.value, file, folder) : read;
  return fileWith(place, data.ok ? { data: data.value } : { problem: data.error });
}

/** The settings of a pack in a project, with the names and paths that they have in this project. */
export function packSettings(found: unknown, file: string, project: string): Result<ScopeSettings, ConfigProblem> {
  const packDir = dirname(file);
  const checked = checkPackSettings(found, file, (name) => isFileIn(join(packDir, "hooks"), name));
  if (!checked.ok) return checked;
  const { entries, overrides, ...others } = checked.value;
  const prefix = pluginPrefix(basename(packDir));
  const own = Object.entries(overrides).map(([name, override]) => [`${prefix}${name}`, override]);
  return ok({
    ...NO_SETTINGS,
    ...others,
    overrides: Object.fromEntries(own),
    entries: entries.map((entry) => placedEntry(entry, prefix, relative(project, packDir))),
  });
}

const isFileIn = (folder: string, name: string): boolean =>
  disk.statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true;

const placedEntry = (entry: ResolvedEntry, prefix: string, folder: string): ResolvedEntry => ({
  ...entry,
  name: `${prefix}${entry.name}`,
  files: entry.files.map((path) => join(folder, path)),
});

const ALLOWED: readonly string[] = ["$schema", "version", "hooks", "overrides", "guard_rules"];

/** The settings of a pack, with the names and paths of the pack itself. */
type PackSettings = Pick<ScopeSettings, "entries" | "overrides" | "guard_rules">;

/**
 * Checks the settings that a pack may have. Everything else is for the project or the user to decide. `isHookFile` is
 * true for the name of a file in the hooks folder of the pack.
 */
export function checkPackSettings(
  found: unknown,
  file: string,
  isHookFile: (name: string) => boolean,
): Result<PackSettings, ConfigProblem> {
  const bad = (entry: string, detail: string) => fail({ code: "CONFIG_BAD_VALUE", file, entry, detail } as const);
  const keys = Object.keys(uncheckedFields(found));
  const refused = TOP_LEVEL_KEYS.find((key) => keys.includes(key) && !ALLOWED.includes(key));
  if (refused !== undefined)
    return bad(refused, "a pack may contain only hooks, overrides of its own hooks, and guard_rules");
  const config = checkConfig(found, file, "project");
  if (!config.ok) return config;
  const { hooks, overrides, guard_rules, entryProblems } = config.value;
  // Who adds a pack gets all of it.
  const [unsupported] = entryProblems;
  if (unsupported !== undefined) return fail(unsupported);
  // A slash could make it the name of another pack's hook.
  const foreign = Object.keys(overrides).find((name) => name.includes("/"));
  if (foreign !== undefined) return bad(`overrides.${foreign}`, "a pack can only name its own hooks, without a prefix");
  const missing = Object.keys(overrides).find((name) => !hooks.some((one) => one.name === name) && !isHookFile(name));
  if (missing !== undefined) return bad(`overrides.${missing}`, "the pack has no hook of this name");
  const named = hooks.find(({ name }) => name.includes("/"));
  if (named !== undefined) return bad(`hooks: ${named.name}`, "a name in a pack cannot contain a slash");
  const entries = hooks.flatMap((entry) => (entry.scheme === "tool" ? [] : [entry]));
  const server = hooks.find(({ scheme }) => scheme === "tool");
  if (server !== undefined) return bad(`hooks: ${server.name}.tool`, "a pack cannot have MCP servers");
  const outside = hooks.find(({ files }) => files.some((path) => !isInside("/pack", join("/pack", path))));
  return outside === undefined
    ? ok({ entries, overrides, ...(guard_rules && { guard_rules }) })
    : bad(`hooks: ${outside.name}.files`, "a file is not in the pack");
}

/**
 * Compiles the hooks of a file that other programs read as well. A file with hooks in another program's form has no
 * effect. Any other fault is a problem, as in any settings file, also of a file that cannot be read: it may hold hooks.
 */
export function compileShared(place: ConfigFile, mcpFiles: readonly string[]): CompiledSettings {
  const { path: file } = place;
  const read = parseFile(file);
  if (!read.ok) return fileWith(place, { problem: read.error });
  if (read.value === undefined)
    return fileWith(place, { problem: { code: "CONFIG_NOT_PARSED", file, cause: "it is empty" } });
  const misplaced = misplacedHooks(read.value, file);
  if (misplaced !== null) return fileWith(place, { problem: misplaced });
  const found = uncheckedFields(read.value);
  const isObject = Object(read.value) === read.value && !Array.isArray(read.value);
  if (isObject && (!Object.hasOwn(found, "hooks") || isEmpty(found.hooks))) return NOTHING;
  if (!isObject || isInAnotherForm(found)) {
    // No other program reads `.kodelet`.
    const isOwnFolder = basename(dirname(file)) === ".kodelet";
    return isOwnFolder ? fileWith(place, { problem: anotherForm(file) }) : ignored(place, anotherForm(file));
  }
  const elsewhere = ["settings", "overrides"].find((key) => Object.hasOwn(found, key));
  if (elsewhere !== undefined) return fileWith(place, { problem: notHere(elsewhere, file) });
  // A server of the same file takes precedence over one of the same name elsewhere.
  return compileChecked(place, partOf(found, basename(file)), [file, ...mcpFiles.filter((path) => path !== file)]);
}

/** The problem of hooks in hookctl's form that are not under the key `hooks`: under a similar or a further key, or none. */
function misplacedHooks(found: unknown, file: string): ConfigProblem | null {
  if (rawEntries(found).some((one) => isEvent(one.on) && isOurs(one)))
    return { code: "CONFIG_BAD_VALUE", file, entry: "the file", detail: "its hooks must be under the key `hooks`" };
  const similar = Object.entries(Array.isArray(found) ? {} : uncheckedFields(found)).find(
    ([key, value]) =>
      key !== "hooks" &&
      rawEntries(nearest(key, ["hooks"]) === null ? uncheckedFields(value).hooks : value).some(isOurs),
  );
  return similar === undefined
    ? null
    : { code: "CONFIG_UNKNOWN_KEY", file, entry: "the file", key: similar[0], nearest: "hooks" };
}

/** Warns about hooks in hookctl's form in the user's `mcp.json`, where they are not read, and names the right file. */
export function checkUserMcp(place: ConfigFile): CompiledSettings {
  const read = parseFile(place.path);
  const hooks = read.ok ? uncheckedFields(read.value).hooks : undefined;
  return rawEntries(hooks).some(isOurs) ? ignored(place, inUserMcp(place.path)) : NOTHING;
}

const inUserMcp = (file: string): ConfigProblem => ({
  code: "CONFIG_BAD_VALUE",
  file,
  entry: "hooks",
  detail: "user hooks are not read from this file; move them to ~/.kodelet/hooks.json",
});

/** In a hooks.json `version` is the version of the protocol; in an mcp.json it belongs to another program. */
const partOf = ({ version, hooks }: UncheckedFields, name: string): UncheckedFields =>
  name === "hooks.json" && version !== undefined ? { version, hooks } : { hooks };

interface RawEntry {
  readonly on: unknown;
  readonly entry: unknown;
}

/** The entries of either form, unchecked: by event, or one list whose entries name their event. */
function rawEntries(hooks: unknown): readonly RawEntry[] {
  if (Array.isArray(hooks)) return hooks.map((entry) => ({ on: uncheckedFields(entry).on, entry }));
  return Object.entries(uncheckedFields(hooks)).flatMap(([on, list]) => [list].flat().map((entry) => ({ on, entry })));
}

/** True if the file has hooks, and none in hookctl's form. */
const isInAnotherForm = ({ hooks }: UncheckedFields): boolean =>
  hooks !== undefined && !isEmpty(hooks) && !rawEntries(hooks).some(isOurs);

/** True for null and for empty lists: a file without hooks is no fault. */
const isEmpty = (hooks: unknown): boolean =>
  typeof hooks === "object" &&
  Object.values(uncheckedFields(hooks)).every((list) => Array.isArray(list) && list.length === 0);

/**
 * True for an entry in hookctl's form, also with a fault in it: one with an action that only hookctl has, any at a known
 * event, or a command at an event that is misspelt or missing. Other programs nest their commands or name a `type`.
 */
function isOurs({ on, entry }: RawEntry): boolean {
  const members = uncheckedFields(entry);
  const has = (key: string): boolean => Object.hasOwn(members, key);
  if (SCHEME_NAMES.some((name) => !GENERAL_SCHEMES.has(name) && has(name))) return true;
  if (entry === null || ["type", "hooks", "matcher"].some(has)) return false;
  if (typeof on === "string" && findEvent(on) !== null) return true;
  return SCHEME_NAMES.some(has) && isEvent(on);
}

/** True for an event, for the misspelt name of one, and where it is missing. */
const isEvent = (on: unknown): boolean => on === undefined || (typeof on === "string" && nearestEvent(on) !== null);

/** Other programs have actions of these names, too. */
const GENERAL_SCHEMES: ReadonlySet<SchemeName> = new Set<SchemeName>(["command", "tool"]);

const anotherForm = (file: string): ConfigProblem => ({
  code: "CONFIG_BAD_VALUE",
  file,
  entry: "hooks",
  detail: "it has no entry in hookctl's format, so it is ignored",
});

const notHere = (key: string, file: string): ConfigProblem => ({
  code: "CONFIG_BAD_VALUE",
  file,
  entry: key,
  detail: "only hooks are read from this file; settings belong in .kodelet/hooks.json",
});

/**
 * Compiles the `hooks` and the turn limits in `safety` of Reyn's own files. The rest belongs to Reyn, so a file without
 * hooks has no effect.
 */
export function compileReyn(place: ConfigFile, mcpFiles: readonly string[]): CompiledSettings {
  const { path: file } = place;
  const read = parseFile(file);
  if (!read.ok) return fileWith(place, { problem: read.error });
  const misplaced = misplacedHooks(read.value, file);
  if (misplaced !== null) return fileWith(place, { problem: misplaced });
  const { hooks, safety } = uncheckedFields(read.value);
  const settings = settingsOf(uncheckedFields(safety));
  const isNoHooks = hooks === undefined || hooks === null || isEmpty(hooks);
  if (!isNoHooks && !Array.isArray(hooks)) {
    const detail = "it must be a list of entries";
    return fileWith(place, { problem: { code: "CONFIG_BAD_VALUE", file, entry: "hooks", detail } });
  }
  if (isNoHooks && settings.max_hook_driven_turns === undefined) return NOTHING;
  return compileChecked(place, { hooks: isNoHooks ? [] : hooks, settings }, mcpFiles);
}

/** The turn limit with Reyn's meaning. For an invalid number the default is used, as in Reyn. */
function settingsOf({ loop, on_limit }: UncheckedFields): GeneralSettings {
  const turns = uncheckedFields(loop).max_hook_driven_turns;
  const { mode = on_limit, auto_extend_times: times = 1 } = uncheckedFields(on_limit);
  const isLimit = typeof turns === "number" && Number.isSafeInteger(turns) && turns >= 0;
  const factor = mode === "auto_extend" && typeof times === "number" && times >= 0 ? 1 + Math.trunc(times) : 1;
  const action = typeof mode === "string" ? ACTIONS.get(mode) : undefined;
  return {
    ...(isLimit ? { max_hook_driven_turns: turns * factor } : {}),
    ...(action === undefined ? {} : { on_limit: action }),
  };
}

/** Reyn's modes and actions. No mode ends the session; only a person can extend `interactive`. */
const ACTIONS: ReadonlyMap<string, "warn" | "ask_user" | "abort"> = new Map([
  ["interactive", "ask_user"],
  ["unattended", "warn"],
  ["auto_extend", "warn"],
  ["warn", "warn"],
  ["ask_user", "ask_user"],
  ["abort", "abort"],
]);
