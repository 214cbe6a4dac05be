import { basename, dirname } from "node:path";
import { SCHEME_NAMES } from "../protocol/entry.ts";
import { findEvent } from "../protocol/event.ts";
import type { ConfigProblem } from "../protocol/problem.ts";
import { NO_SETTINGS } from "../protocol/setting-rows.ts";
import type { ConfigFile } from "./config-files.ts";
import { attachServers } from "./entry-servers.ts";
import type { CompiledSettings } from "./load-settings.ts";
import { parseFile } from "./parse-file.ts";
import { checkWholeConfig } from "./schema/check-config.ts";
import { type UncheckedFields, uncheckedFields } from "./schema/unchecked-fields.ts";

/**
 * Compiles the hooks of a file that other programs read as well. A file without hooks in hookctl's form has no effect;
 * a fault in one with such hooks is a problem, as in any settings file.
 */
export function compileShared(
  { scope, folder, path: file }: ConfigFile,
  mcpFiles: readonly string[],
): CompiledSettings {
  const known = { scope, folder, file, isBlank: false, data: NO_SETTINGS };
  const failed = (problem: ConfigProblem, alsoRead: CompiledSettings["alsoRead"] = []): CompiledSettings => ({
    ...{ files: [{ ...known, problem }], ignoredFiles: [], alsoRead },
  });
  const ignored = (problem: ConfigProblem): CompiledSettings => ({
    files: [],
    ignoredFiles: [{ ...known, problem }],
    alsoRead: [],
  });
  // No other program reads `.kodelet`.
  const notOurs = basename(dirname(file)) === ".kodelet" ? failed : ignored;
  const read = parseFile(file);
  if (!read.ok) return notOurs(read.error);
  const found = uncheckedFields(read.value);
  if (!Object.hasOwn(found, "hooks") || isEmpty(found.hooks)) return { files: [], ignoredFiles: [], alsoRead: [] };
  if (isInAnotherForm(found)) return notOurs(anotherForm(file));
  const elsewhere = ["settings", "overrides"].find((key) => Object.hasOwn(found, key));
  if (elsewhere !== undefined) return failed(misplaced(elsewhere, file));

  const config = checkWholeConfig(partOf(found, basename(file)), file, scope);
  if (!config.ok) return { files: [{ ...known, ...config.error }], ignoredFiles: [], alsoRead: [] };
  // A server of the same file takes precedence over one of the same name elsewhere.
  const { entries, alsoRead } = attachServers(config.value, file, [file, ...mcpFiles.filter((path) => path !== file)]);
  if (!entries.ok) return failed(entries.error, alsoRead);
  const data = { ...NO_SETTINGS, entries: entries.value };
  return { files: [{ ...known, data, problem: null }], ignoredFiles: [], alsoRead };
}

/** Hooks in the user's `mcp.json` are not read; if some are in hookctl's form, a warning says where they belong. */
export function checkUserMcp({ scope, folder, path: file }: ConfigFile): CompiledSettings {
  const read = parseFile(file);
  const hooks = read.ok ? uncheckedFields(read.value).hooks : undefined;
  const known = { scope, folder, file, isBlank: false, data: NO_SETTINGS };
  const others = rawEntries(hooks).some(isOurs) ? [{ ...known, problem: inUserMcp(file) }] : [];
  return { files: [], ignoredFiles: others, alsoRead: [] };
}

const inUserMcp = (file: string): ConfigProblem => ({
  code: "CONFIG_BAD_VALUE",
  ...{ file, entry: "hooks", detail: "user hooks are not read from this file; move them to ~/.kodelet/hooks.json" },
});

/** In a hooks.json `version` is the version of the protocol; in an mcp.json it belongs to another program. */
const partOf = ({ version, hooks }: UncheckedFields, name: string): UncheckedFields =>
  name === "hooks.json" && version !== undefined ? { version, hooks } : { hooks };

interface RawEntry {
  readonly on: unknown;
  readonly entry: unknown;
}

/** The entries of either form, unchecked: lists by event, or one list whose entries name their event. */
function rawEntries(hooks: unknown): readonly RawEntry[] {
  if (Array.isArray(hooks)) return hooks.map((entry) => ({ on: uncheckedFields(entry).on, entry }));
  return Object.entries(uncheckedFields(hooks)).flatMap(([on, list]) =>
    Array.isArray(list) ? list.map((entry) => ({ on, entry })) : [],
  );
}

/** True if the file has hooks, and none in hookctl's form. */
export const isInAnotherForm = ({ hooks }: UncheckedFields): boolean =>
  hooks !== undefined && !isEmpty(hooks) && !rawEntries(hooks).some(isOurs);

/** True for null and for empty lists: a file without hooks is no fault. */
const isEmpty = (hooks: unknown): boolean =>
  typeof hooks === "object" &&
  Object.values(uncheckedFields(hooks)).every((list) => Array.isArray(list) && list.length === 0);

/** True for an entry in hookctl's form: other programs nest their commands, name a `type`, or use other events. */
function isOurs({ on, entry }: RawEntry): boolean {
  if (typeof on !== "string" || findEvent(on) === null) return false;
  const members = uncheckedFields(entry);
  const has = (key: string): boolean => Object.hasOwn(members, key);
  return SCHEME_NAMES.some(has) && !["type", "hooks", "matcher"].some(has);
}

export const anotherForm = (file: string): ConfigProblem => ({
  code: "CONFIG_BAD_VALUE",
  ...{ file, entry: "hooks", detail: "it has no entry in hookctl's format, so it is ignored" },
});

const misplaced = (key: string, file: string): ConfigProblem => ({
  code: "CONFIG_BAD_VALUE",
  ...{ file, entry: key, detail: "only hooks are read from this file; settings belong in .kodelet/hooks.json" },
});
