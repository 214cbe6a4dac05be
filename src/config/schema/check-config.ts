import type * as z from "zod";
import type { McpServer } from "../../protocol/entry.ts";
import { type AddedRules, GUARD_NAMES, type GuardsSettings } from "../../protocol/guard-settings.ts";
import type { ConfigProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { RULE_LISTS, RULE_SUBJECTS, type RulesSettings, rulesIn } from "../../protocol/rule-settings.ts";
import type { CageSettings, Override } from "../../protocol/setting-rows.ts";
import {
  CAGE_ROWS,
  GRANT_ROWS,
  GUARD_ROWS,
  OVERRIDE_ROWS,
  RULE_ROWS,
  SERVER_ROWS,
  SETTING_ROWS,
  TOP_LEVEL_KEYS,
} from "../../protocol/setting-rows.ts";
import { type ProjectRules, type SettingsFile, USER_SETTINGS_FILE } from "../../protocol/settings-file.ts";
import { nearest } from "../../protocol/text/nearest.ts";
import { checkEntries } from "./check-entries.ts";
import { ruleFaults } from "./check-rules.ts";
import { configSchema, issueText, uncheckedFields } from "./config-schema.ts";

export type Scope = "project" | "user" | "machine";

/** A checked settings file. */
export interface CheckedConfig extends SettingsFile {
  /** The entries that hookctl cannot raise or run. They have no effect; the rest of the file does. */
  readonly entryProblems: readonly ConfigProblem[];
}

/** Checks a parsed settings file. Returns its data or the first fault. */
export function checkConfig(found: unknown, file: string, scope: Scope): Result<CheckedConfig, ConfigProblem> {
  const checked = checkWholeConfig(found, file, scope);
  return checked.ok ? checked : fail(checked.error.problem);
}

/** The faults of a settings file, in its order. */
interface ConfigFaults {
  readonly problem: ConfigProblem;
  readonly moreProblems: readonly ConfigProblem[];
}

/** The same, but with all faults. */
export function checkWholeConfig(found: unknown, file: string, scope: Scope): Result<CheckedConfig, ConfigFaults> {
  const checked = readWhole(found, file, scope);
  if (checked.ok) return checked;
  const unknown = { code: "CONFIG_BAD_VALUE", file, entry: "the file", detail: "not valid" } as const;
  const [problem = unknown, ...moreProblems] = checked.error;
  return fail({ problem, moreProblems });
}

function readWhole(found: unknown, file: string, scope: Scope): Result<CheckedConfig, readonly ConfigProblem[]> {
  const lost = lostKeyAt(found, "");
  if (lost !== null) return fail([{ code: "CONFIG_UNKNOWN_KEY", file, entry: lost, key: LOST_KEY, nearest: null }]);
  const { hooks: raw, ...others } = uncheckedFields(found);
  const declared = raw === undefined ? ok({ entries: [], unsupported: [] }) : checkEntries(raw, file);
  const isObject = typeof found === "object" && !Array.isArray(found);
  const checked = configSchema().safeParse(isObject ? others : (found ?? {}));
  if (!declared.ok || !checked.success) {
    const issues = checked.error?.issues ?? [];
    return fail([
      ...(declared.ok ? declared.value.unsupported : declared.error),
      ...issues.flatMap((issue) => problemsOf(issue, file)),
    ]);
  }
  const data = checked.data as {
    settings?: object;
    overrides?: Record<string, Override>;
    guards?: GuardsSettings;
    guard_rules?: readonly AddedRules[];
    cage?: CageSettings;
    projects?: Record<string, ProjectRules>;
    mcp_servers?: Record<string, McpServer>;
  } & RulesSettings;
  const { entries: hooks, unsupported } = declared.value;
  const { settings = {}, overrides = {}, guards = {}, mcp_servers = {}, projects, commands, files, hosts } = data;
  const { guard_rules, cage } = data;
  const rules = { ...(commands && { commands }), ...(files && { files }), ...(hosts && { hosts }) };
  const own = { settings, overrides, guards, hooks, mcp_servers };
  const some = { ...(cage && { cage }), ...(projects && { projects }), ...(guard_rules && { guard_rules }) };
  const config: SettingsFile = { ...own, ...(rulesIn(rules).length > 0 && { rules }), ...some };
  const problems = [
    ...(scope === "project" ? userOnlyKeys(config, file) : []),
    ...(projects !== undefined && scope !== "user" ? [userOnly("projects", file)] : []),
    ...(cage !== undefined && scope === "project" ? [userOnly("cage", file)] : []),
    ...contradictions(config, file),
    ...ruleFaults(rules, file),
    ...Object.entries(projects ?? {}).flatMap(([folder, one]) => projectFaults(folder, one, file)),
  ];
  // What an administrator decided must hold as a whole, and a file of which nothing is left is a faulty one.
  const isFaulty = scope === "machine" || Object.values(config).every((part) => Object.keys(part).length === 0);
  const all = isFaulty || problems.length > 0 ? [...problems, ...unsupported] : [];
  return all.length === 0 ? ok({ ...config, entryProblems: unsupported }) : fail(all);
}

/** zod drops this key silently, and a match without its condition would fit everything. */
const LOST_KEY = "__proto__";

/** The path of such a key, or null. Values that YAML aliases repeat are visited once. */
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

const projectFaults = (folder: string, said: ProjectRules, file: string): readonly ConfigProblem[] => [
  ...(folder.startsWith("/")
    ? []
    : [{ code: "CONFIG_BAD_VALUE", file, entry: `projects.${folder}`, detail: NO_FOLDER } as const]),
  ...ruleFaults(said, file, `projects.${folder}.`),
];

const NO_FOLDER = "it must be the absolute path of a project";

const userOnlyKeys = (config: SettingsFile, file: string): readonly ConfigProblem[] =>
  userOnlyEntries(config).map((entry) => userOnly(entry, file));

const userOnly = (entry: string, file: string): ConfigProblem => ({
  code: "CONFIG_USER_ONLY",
  file,
  entry,
  userFile: USER_SETTINGS_FILE,
});

const userOnlyEntries = ({ settings, overrides, hooks }: SettingsFile): readonly string[] => [
  ...userOnlyIn(SETTING_ROWS, settings).map((key) => `settings.${key}`),
  ...Object.entries(overrides).flatMap(([name, override]) =>
    userOnlyIn(OVERRIDE_ROWS, override).map((key) => `overrides.${name}.${key}`),
  ),
  ...hooks.filter(({ required }) => required !== undefined).map(({ name }) => `hooks: ${name}.required`),
];

const userOnlyIn = (rows: Parameters<typeof rowOf>[0], values: object): readonly string[] =>
  Object.keys(values).filter((key) => rowOf(rows, key)?.isUserOnly);

const rowOf = (rows: typeof SETTING_ROWS | typeof OVERRIDE_ROWS, key: string): { isUserOnly: boolean } | undefined =>
  Object.entries(rows).find(([name]) => name === key)?.[1];

/** An observer decides nothing, so its failure cannot block. */
function contradictions({ overrides }: SettingsFile, file: string): readonly ConfigProblem[] {
  const detail = "an observer cannot decide, so it can have neither fail_open: false nor required: true";
  return Object.entries(overrides)
    .filter(([, override]) => override.observe && (override.fail_open === false || override.required))
    .map(([name]) => ({ code: "CONFIG_CONTRADICTION", file, entry: `overrides.${name}`, detail }));
}

function problemsOf(found: z.core.$ZodIssue, file: string): readonly ConfigProblem[] {
  return innermost(found).flatMap((issue): readonly ConfigProblem[] => {
    const entry = issue.path.length === 0 ? "the file" : issue.path.join(".");
    if (issue.code !== "unrecognized_keys")
      return [{ code: "CONFIG_BAD_VALUE", file, entry, detail: issueText(issue) }];
    const known = keysAt(issue.path);
    return issue.keys.map((key) => ({ code: "CONFIG_UNKNOWN_KEY", file, entry, key, nearest: nearest(key, known) }));
  });
}

/** The faults inside an object with two possible forms: only those of the matching form. */
function innermost(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (
    issue.code !== "invalid_union" ||
    !(issue.path.at(-1) === "sandbox" || WITH_FORMS.includes(String(issue.path[0])))
  )
    return [issue];
  const inner = issue.errors.flat().filter(({ path, code }) => path.length > 0 || code === "unrecognized_keys");
  return inner.length === 0 ? [issue] : inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

/** Settings with a short form and an object. */
const WITH_FORMS: readonly string[] = ["guards", "projects", ...RULE_SUBJECTS];

function keysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path[0] === "projects")
    return path.length === 2 ? [...RULE_SUBJECTS, "guards", "cage", "settings", "overrides"] : keysAt(path.slice(2));
  if (path[0] === "cage") return Object.keys(CAGE_ROWS);
  if (RULE_SUBJECTS.some((subject) => subject === path[0]))
    return path.length === 1 ? RULE_LISTS : Object.keys(RULE_ROWS);
  if (path[0] === "settings") return Object.keys(SETTING_ROWS);
  if (path[0] === "guards" && path.length === 1) return GUARD_NAMES;
  if (path.at(-1) === "sandbox") return Object.keys(GRANT_ROWS);
  if (path[0] === "guards")
    return Object.keys(GUARD_ROWS).filter((key) => key !== "paths" || path[1] === "protected-paths");
  if (path[0] === "mcp_servers") return Object.keys(SERVER_ROWS);
  return path[0] === "overrides" ? Object.keys(OVERRIDE_ROWS) : TOP_LEVEL_KEYS;
}
