import type * as z from "zod";
import { type McpServer, SERVER_ROWS } from "../../protocol/entry.ts";
import { GUARD_NAMES, GUARD_ROWS, type GuardName, type GuardsSettings } from "../../protocol/guard-settings.ts";
import type { ConfigProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import {
  GRANT_ROWS,
  OVERRIDE_ROWS,
  type Override,
  SETTING_ROWS,
  type SettingsFile,
  TOP_LEVEL_KEYS,
  USER_SETTINGS_FILE,
} from "../../protocol/setting-rows.ts";
import { nearest } from "../../protocol/text/nearest.ts";
import { checkEntries } from "./check-entries.ts";
import { configSchema } from "./config-schema.ts";

/** The only guard with the key `paths`. */
const PATHS_GUARD: GuardName = "protected-paths";

type Scope = "project" | "user" | "machine";

/** Checks a parsed settings file. Returns its data or the first fault. */
export function checkConfig(found: unknown, file: string, scope: Scope): Result<SettingsFile, ConfigProblem> {
  const lost = lostKeyAt(found, "");
  if (lost !== null) return fail({ code: "CONFIG_UNKNOWN_KEY", file, entry: lost, key: LOST_KEY, nearest: null });
  // First, because zod's messages for a union of two forms do not name the fault.
  const declared = Object.hasOwn(Object(found), "hooks") ? checkEntries(Object(found).hooks, file) : ok([]);
  if (!declared.ok) return declared;
  const checked = configSchema().safeParse(found ?? {});
  if (!checked.success) return fail(problemOf(checked.error, file));
  const data = checked.data as {
    settings?: object;
    overrides?: Record<string, Override>;
    guards?: GuardsSettings;
    mcp_servers?: Record<string, McpServer>;
  };
  const hooks = declared.value;
  const { settings = {}, overrides = {}, guards = {}, mcp_servers = {} } = data;
  const config: SettingsFile = { settings, overrides, guards, hooks, mcp_servers };
  const problem = (scope === "project" ? userOnlyKey(config, file) : null) ?? contradiction(config, file);
  return problem === null ? ok(config) : fail(problem);
}

/** zod drops this key silently, and a match without its condition would fit everything. */
const LOST_KEY = "__proto__";

/** The path of such a key; null: none. Values that YAML aliases repeat are visited once. */
function lostKeyAt(found: unknown, place: string, seen = new Set<unknown>()): string | null {
  if (typeof found !== "object" || found === null || seen.has(found)) return null;
  seen.add(found);
  if (Object.hasOwn(found, LOST_KEY)) return place === "" ? "the file" : place;
  for (const [key, value] of Object.entries(found)) {
    const inner = lostKeyAt(value, place === "" ? key : `${place}.${key}`, seen);
    if (inner !== null) return inner;
  }
  return null;
}

function userOnlyKey(config: SettingsFile, file: string): ConfigProblem | null {
  const entry = userOnlyEntry(config);
  return entry === null ? null : { code: "CONFIG_USER_ONLY", file, entry, userFile: USER_SETTINGS_FILE };
}

function userOnlyEntry(config: SettingsFile): string | null {
  const setting = Object.keys(config.settings).find((key) => rowOf(SETTING_ROWS, key)?.isUserOnly);
  if (setting !== undefined) return `settings.${setting}`;
  for (const [name, override] of Object.entries(config.overrides)) {
    const key = Object.keys(override).find((one) => rowOf(OVERRIDE_ROWS, one)?.isUserOnly);
    if (key !== undefined) return `overrides.${name}.${key}`;
  }
  const required = config.hooks.find((entry) => entry.required !== undefined);
  return required === undefined ? null : `hooks: ${required.name}.required`;
}

const rowOf = (rows: typeof SETTING_ROWS | typeof OVERRIDE_ROWS, key: string): { isUserOnly: boolean } | undefined =>
  Object.entries(rows).find(([name]) => name === key)?.[1];

/** An observer decides nothing, so its failure cannot block. */
function contradiction(config: SettingsFile, file: string): ConfigProblem | null {
  const found = Object.entries(config.overrides).find(
    ([, override]) => override.observe && (override.fail_open === false || override.required),
  );
  if (found === undefined) return null;
  return {
    code: "CONFIG_CONTRADICTION",
    file,
    entry: `overrides.${found[0]}`,
    detail: "an observer cannot decide, so it can have neither fail_open: false nor required: true",
  };
}

function problemOf(error: z.ZodError, file: string): ConfigProblem {
  const issue = innermost(error.issues[0]);
  const entry = issue === undefined || issue.path.length === 0 ? "the file" : issue.path.join(".");
  if (issue?.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    return { code: "CONFIG_UNKNOWN_KEY", file, entry, key, nearest: nearest(key, keysAt(issue.path)) };
  }
  return { code: "CONFIG_BAD_VALUE", file, entry, detail: issue?.message ?? "not valid" };
}

/** The fault inside an object that is one of two forms: the other one says nothing of it. */
function innermost(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== "invalid_union" || !(issue.path[0] === "guards" || issue.path.at(-1) === "sandbox")) return issue;
  const inner = issue.errors.flat().find(({ path }) => path.length > 0);
  return inner === undefined ? issue : { ...inner, path: [...issue.path, ...inner.path] };
}

function keysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path[0] === "settings") return Object.keys(SETTING_ROWS);
  if (path[0] === "guards" && path.length === 1) return GUARD_NAMES;
  if (path.at(-1) === "sandbox") return Object.keys(GRANT_ROWS);
  if (path[0] === "guards") return Object.keys(GUARD_ROWS).filter((key) => key !== "paths" || path[1] === PATHS_GUARD);
  if (path[0] === "mcp_servers") return Object.keys(SERVER_ROWS);
  return path[0] === "overrides" ? Object.keys(OVERRIDE_ROWS) : TOP_LEVEL_KEYS;
}
