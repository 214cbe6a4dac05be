import type * as z from "zod";
import {
  type ConfigData,
  type ConfigSettings,
  OVERRIDE_ROWS,
  type Override,
  SETTING_ROWS,
  TOP_KEYS,
} from "../contract/config.ts";
import { nearest } from "../contract/nearest.ts";
import type { ConfigProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { checkEntries } from "./check-entries.ts";
import { configSchema } from "./config-schema.ts";
import { hasUnkeptName, UNKEPT_NAME } from "./unkept-name.ts";

type Scope = "project" | "user";

/** A parsed settings file -> checked data, or the first thing wrong with it. */
export function checkConfig(found: unknown, file: string, scope: Scope): Result<ConfigData, ConfigProblem> {
  // First, because a union of two forms has no good words for what is wrong in one of them.
  const declared = Object.hasOwn(Object(found), "hooks") ? checkEntries(Object(found).hooks, file) : ok([]);
  if (!declared.ok) return declared;
  const checked = configSchema().safeParse(found ?? {});
  if (!checked.success) return fail(problemOf(checked.error, file));
  const unkept = unkeptName(Object(found));
  if (unkept !== null) return fail({ code: "CONFIG_BAD_VALUE", file, entry: unkept, detail: UNKEPT_NAME });
  const data = checked.data as {
    settings?: object;
    overrides?: Record<string, Override>;
    mcp_servers?: unknown;
  };
  const hooks = declared.value;
  const config: ConfigData = { settings: data.settings ?? {}, overrides: data.overrides ?? {}, hooks };
  if (data.mcp_servers !== undefined) return fail({ code: "CONFIG_NOT_SUPPORTED", file, entry: "mcp_servers" });
  const problem = (scope === "project" ? userOnlyKey(config, file) : null) ?? contradiction(config, file);
  return problem === null ? ok(config) : fail(problem);
}

/** Where a member has a name that checking drops without a word, and with it what the file says of a guard. */
function unkeptName({ overrides = {}, settings }: { overrides?: Record<string, Override>; settings?: ConfigSettings }) {
  if (hasUnkeptName(overrides)) return "overrides";
  if (hasUnkeptName(settings?.timeouts)) return "settings.timeouts";
  const found = Object.entries(overrides).find(([, override]) => hasUnkeptName(override.match));
  return found === undefined ? null : `overrides.${found[0]}.match`;
}

function userOnlyKey(config: ConfigData, file: string): ConfigProblem | null {
  const setting = Object.keys(config.settings).find((key) => rowOf(SETTING_ROWS, key)?.isUserOnly);
  if (setting !== undefined) return { code: "CONFIG_USER_ONLY", file, entry: `settings.${setting}` };
  for (const [name, override] of Object.entries(config.overrides)) {
    const key = Object.keys(override).find((one) => rowOf(OVERRIDE_ROWS, one)?.isUserOnly);
    if (key !== undefined) return { code: "CONFIG_USER_ONLY", file, entry: `overrides.${name}.${key}` };
  }
  const required = config.hooks.find((entry) => entry.required !== undefined);
  if (required !== undefined) return { code: "CONFIG_USER_ONLY", file, entry: `hooks: ${required.name}.required` };
  return null;
}

const rowOf = (rows: typeof SETTING_ROWS | typeof OVERRIDE_ROWS, key: string): { isUserOnly: boolean } | undefined =>
  Object.entries(rows).find(([name]) => name === key)?.[1];

/** An observer decides nothing, so its failure cannot block (SPEC 7.5). */
function contradiction(config: ConfigData, file: string): ConfigProblem | null {
  const found = Object.entries(config.overrides).find(
    ([, override]) => override.observe && (override.fail_open === false || override.required),
  );
  if (found === undefined) return null;
  return {
    code: "CONFIG_CONTRADICTION",
    file,
    entry: `overrides.${found[0]}`,
    detail: "an observer decides nothing, so it can have neither fail_open: false nor required: true",
  };
}

function problemOf(error: z.ZodError, file: string): ConfigProblem {
  const issue = error.issues[0];
  const entry = issue === undefined || issue.path.length === 0 ? "the file" : issue.path.join(".");
  if (issue?.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    return { code: "CONFIG_UNKNOWN_KEY", file, entry, key, nearest: nearest(key, keysAt(issue.path)) };
  }
  return { code: "CONFIG_BAD_VALUE", file, entry, detail: issue?.message ?? "not valid" };
}

function keysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path[0] === "settings") return Object.keys(SETTING_ROWS);
  return path[0] === "overrides" ? Object.keys(OVERRIDE_ROWS) : TOP_KEYS;
}
