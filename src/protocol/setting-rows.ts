import type { DeclaredEntry, McpServer, ResolvedEntry } from "./entry.ts";
import type { GuardsSettings } from "./guard-settings.ts";
import type { Match } from "./hook.ts";
import type { SandboxGrants, SandboxSetting } from "./sandbox.ts";

/** The type of one settings value. The zod schema, the JSON Schema and the docs are built from these rows. */
export type SettingKind =
  | "duration"
  | "size"
  | "text"
  | "flag"
  | "count"
  | "number"
  | "texts"
  | "match"
  | "durations"
  | "variables"
  | "sandbox"
  | readonly string[];

export interface SettingRow {
  readonly kind: SettingKind;
  /** True if a project's settings file may not set it. */
  readonly isUserOnly: boolean;
  readonly about: string;
}

const settableByAnyone = (kind: SettingKind, about: string): SettingRow => ({ kind, isUserOnly: false, about });
const settableByUser = (kind: SettingKind, about: string): SettingRow => ({ kind, isUserOnly: true, about });

export const SETTING_ROWS = {
  enabled: settableByAnyone("flag", "`false` switches hooks off; in a project's file only the project's own."),
  timeout: settableByAnyone("duration", "How long one hook may take; in a project's file one of its own. Default 30s."),
  timeouts: settableByAnyone("durations", 'The same for single events: `{"before_tool_call": "5s"}`.'),
  deadline: settableByUser("duration", "How long the whole chain may take. Default: no limit."),
  post_order: settableByAnyone(
    ["dialect", "forward", "reverse"],
    "Priorities at post events: as before the event, turned around, or (default) each hook as its dialect has it.",
  ),
  max_hook_driven_turns: settableByAnyone("count", "Turns in a row that hooks may start. Default 25, 0 for no limit."),
  on_limit: settableByAnyone(["warn", "ask_user", "abort"], "What happens over that limit."),
  project_hooks: settableByUser(
    ["ask", "allow"],
    "`allow` approves the hooks of every project that lies in a safe place.",
  ),
  on_untrusted: settableByUser(
    ["warn", "ask", "fail"],
    "Where a hook was never approved, `fail` blocks, and `ask` asks on the terminal as `run --ask` does.",
  ),
  own_commands: settableByUser(
    ["allow", "ask"],
    "`ask`: your own `shell_exec` and `shell_push` entries need your approval, too, as in Reyn.",
  ),
  record: settableByUser(
    ["names", "payloads", "off"],
    "`names` (default): names, numbers and each call in short. `payloads`: payloads, too, without secrets, for `replay` and `log --case`.",
  ),
  record_size: settableByUser(
    "size",
    "How large the audit log may be, and the payload log: `64MiB`. Default 256MiB each.",
  ),
  record_days: settableByUser("count", "How many days both logs are kept. Default 30, 0 for no limit."),
  export: settableByUser(
    "text",
    "An OpenTelemetry collector to which `hookctl export` sends runs: `http://localhost:4318`.",
  ),
  env_allow: settableByUser("texts", "Variables that project hooks may see beside the allow-list."),
  path_allow: settableByUser(
    "texts",
    'Folders of the project in which hooks may find programs: `["node_modules/.bin"]`.',
  ),
} as const satisfies Record<keyof GeneralSettings, SettingRow>;

export const OVERRIDE_ROWS = {
  enabled: settableByAnyone("flag", "`false` takes the hook out of the chain, visibly."),
  priority: settableByAnyone("number", "Lower runs first. Default 100."),
  fail_open: settableByAnyone("flag", "`false`: a failure of this hook blocks."),
  observe: settableByAnyone("flag", "`true`: it runs even after a block, and changes nothing."),
  timeout: settableByAnyone("duration", "How long this hook may take."),
  match: settableByAnyone("match", 'Only payloads with these values: `{"tool_name": ["bash", "mcp_*"]}`.'),
  output_limit: settableByAnyone(
    "size",
    "How much this hook may print: `64MiB`. Default: 4 times its payload, at least 4MiB.",
  ),
  background: settableByAnyone("flag", "`true`: processes that it leaves running are not killed."),
  sandbox: settableByAnyone(
    "sandbox",
    "`require` or an object of grants: without a [sandbox](sandbox.md) the hook is refused; `auto`: it runs without.",
  ),
  required: settableByUser("flag", "`true`: missing, refused or failed means block."),
} as const satisfies Record<keyof Override, SettingRow>;

export const GRANT_ROWS = {
  network: settableByAnyone("flag", "`true`: it may use the network. Default `false`."),
  subprocess: settableByAnyone("flag", "`false`: it may not start processes. Default `true`."),
  write_paths: settableByAnyone("texts", "Files and folders that it may write, relative to the project."),
} as const satisfies Record<keyof SandboxGrants, SettingRow>;

/** The file in which new user settings are written. */
export const USER_SETTINGS_FILE = "~/.kodelet/hooks.json";

export const TOP_LEVEL_KEYS = [
  "$schema",
  "version",
  "settings",
  "overrides",
  "guards",
  "hooks",
  "mcp_servers",
] as const;

/** A validated settings file. Durations are in milliseconds; keys that were not set are absent. */
export interface SettingsFile {
  readonly settings: GeneralSettings;
  readonly overrides: Readonly<Record<string, Override>>;
  readonly guards: GuardsSettings;
  readonly hooks: readonly DeclaredEntry[];
  readonly mcp_servers: Readonly<Record<string, McpServer>>;
}

/** The order of hooks at post events. `dialect`: each hook's own dialect decides; the others apply to all hooks. */
export type PostOrder = "dialect" | "forward" | "reverse";

export interface GeneralSettings {
  readonly enabled?: boolean;
  readonly timeout?: number;
  readonly timeouts?: Readonly<Record<string, number>>;
  readonly deadline?: number;
  readonly post_order?: PostOrder;
  readonly max_hook_driven_turns?: number;
  readonly on_limit?: "warn" | "ask_user" | "abort";
  readonly project_hooks?: "ask" | "allow";
  readonly on_untrusted?: "warn" | "ask" | "fail";
  readonly own_commands?: "allow" | "ask";
  readonly record?: "names" | "payloads" | "off";
  readonly record_size?: number;
  readonly record_days?: number;
  readonly export?: string;
  readonly env_allow?: readonly string[];
  readonly path_allow?: readonly string[];
}

export interface Override {
  readonly enabled?: boolean;
  readonly priority?: number;
  readonly fail_open?: boolean;
  readonly observe?: boolean;
  readonly timeout?: number;
  readonly match?: Match;
  /** In bytes. */
  readonly output_limit?: number;
  readonly background?: boolean;
  readonly sandbox?: SandboxSetting;
  readonly required?: boolean;
}

/** The validated settings of one scope: a project folder or the user. Durations are in milliseconds. */
export interface ScopeSettings {
  readonly settings: GeneralSettings;
  readonly overrides: Readonly<Record<string, Override>>;
  readonly guards: GuardsSettings;
  /** The hooks that the file declares; a `tool` entry comes with its MCP server. */
  readonly entries: readonly ResolvedEntry[];
}

export const NO_SETTINGS: ScopeSettings = { settings: {}, overrides: {}, guards: {}, entries: [] };

/** Reyn's own files: one written by the operator, one by Reyn at run time. */
const REYN_FILES = ["reyn.yaml", ".reyn/hooks.yaml"] as const;

/**
 * Files of a project that other programs read, too, and that may declare hooks in Base Coat's or Reyn's format. hookctl
 * reads their `hooks`, MCP servers and Reyn's turn limit. Each file is approved separately.
 */
export const SHARED_FILES = [".kodelet/mcp.json", "mcp.json", ".mcp.json", "hooks.json", ...REYN_FILES] as const;

/** The name of the shared file at this path, or null if it is another file. */
export const sharedFileAt = (folder: string, path: string): string | null =>
  SHARED_FILES.find((name) => path === `${folder}/${name}`) ?? null;

/** True if the path is one of Reyn's files in this folder. */
export const isReynFile = (folder: string, path: string): boolean =>
  REYN_FILES.some((name) => path === `${folder}/${name}`);

/** The names of a pack's settings file, beside its hooks folder. A pack has one of them. */
export const PACK_SETTINGS_FILES = ["hooks.json", "hooks.yaml"] as const;

/** The prefix of the names of a plugin's hooks: the folder `org@repo` has `org/repo/`. */
export const pluginPrefix = (folderName: string): string => `${folderName.replace(AFTER_ORG, "/")}/`;

/** The first @ that is not at the beginning, because a name that begins with a slash would be a path. */
const AFTER_ORG = /(?<=^[^@]+)@/;

const IN_PACK = /^(\.kodelet\/plugins\/[^/]+)\/hooks\.(?:json|yaml)$/;

/** The folder of the pack, relative to the project, whose settings file this path is; null: it is another file. */
export const packOfSettings = (project: string, path: string): string | null =>
  path.startsWith(`${project}/`) ? (IN_PACK.exec(path.slice(project.length + 1))?.[1] ?? null) : null;

/**
 * The separately approved part of a project's settings: the name of a shared file, the folder of a pack, or null for
 * the project's own settings in a file of any name.
 */
export const settingsSlotAt = (project: string, path: string): string | null =>
  sharedFileAt(project, path) ?? packOfSettings(project, path);
