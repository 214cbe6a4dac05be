import type { GeneralSettings } from "../protocol/setting-rows.ts";
import { NO_SETTINGS } from "../protocol/setting-rows.ts";
import type { ConfigFile } from "./config-files.ts";
import { attachServers } from "./entry-servers.ts";
import type { CompiledSettings } from "./load-settings.ts";
import { parseFile } from "./parse-file.ts";
import { checkWholeConfig } from "./schema/check-config.ts";
import { type UncheckedFields, uncheckedFields } from "./schema/unchecked-fields.ts";

const NOTHING: CompiledSettings = { files: [], ignoredFiles: [], alsoRead: [] };

/**
 * Compiles the `hooks` and the turn limits in `safety` of Reyn's own files. The rest belongs to Reyn, so a file without
 * hooks has no effect.
 */
export function compileReyn({ scope, folder, path: file }: ConfigFile, mcpFiles: readonly string[]): CompiledSettings {
  const known = { scope, folder, file, isBlank: false, data: NO_SETTINGS };
  const read = parseFile(file);
  if (!read.ok) return { ...NOTHING, ignoredFiles: [{ ...known, problem: read.error }] };
  const { hooks, safety } = uncheckedFields(read.value);
  const settings = settingsOf(uncheckedFields(safety));
  // Like Reyn, anything but a list means no hooks.
  const isNoHooks = !Array.isArray(hooks) || hooks.length === 0;
  if (isNoHooks && settings.max_hook_driven_turns === undefined) return NOTHING;
  const config = checkWholeConfig({ hooks: isNoHooks ? [] : hooks, settings }, file, scope);
  if (!config.ok) return { ...NOTHING, files: [{ ...known, ...config.error }] };
  const { entries, alsoRead } = attachServers(config.value, file, mcpFiles);
  if (!entries.ok) return { files: [{ ...known, problem: entries.error }], ignoredFiles: [], alsoRead };
  const data = { ...NO_SETTINGS, settings, entries: entries.value };
  return { files: [{ ...known, data, problem: null }], ignoredFiles: [], alsoRead };
}

/** The turn limit with Reyn's meaning. An invalid number falls back on the default, as in Reyn. */
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

/** Reyn's modes and actions. Each keeps the session alive; only a person can extend `interactive`. */
const ACTIONS: ReadonlyMap<string, "warn" | "ask_user" | "abort"> = new Map([
  ["interactive", "ask_user"],
  ["unattended", "warn"],
  ["auto_extend", "warn"],
  ["warn", "warn"],
  ["ask_user", "ask_user"],
  ["abort", "abort"],
]);
