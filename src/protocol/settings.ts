import type { DeclaredEntry, McpServer, ResolvedEntry } from "./entry.ts";
import type { Match } from "./hook.ts";

/** The shape of one settings value; zod, JSON Schema and docs are built from these rows. */
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
  | readonly string[];

export interface SettingRow {
  readonly kind: SettingKind;
  /** The project may not set it: nothing in the project votes (SPEC 4). */
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
  record: settableByUser(["names", "payloads", "off"], "What the audit log stores. Default names and numbers."),
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
  sandbox: settableByAnyone(["off", "auto", "require"], "`require` needs a sandbox; without one the hook is refused."),
  required: settableByUser("flag", "`true`: missing, refused or failed means block."),
} as const satisfies Record<keyof Override, SettingRow>;

/** Where a user's settings go when there is no file yet. */
export const USER_SETTINGS_FILE = "~/.kodelet/hooks.json";

export const TOP_LEVEL_KEYS = ["$schema", "version", "settings", "overrides", "hooks", "mcp_servers"] as const;

/** One settings file after it was checked. Durations are milliseconds; a key that was not set is not there. */
export interface SettingsFile {
  readonly settings: GeneralSettings;
  readonly overrides: Readonly<Record<string, Override>>;
  readonly hooks: readonly DeclaredEntry[];
  readonly mcp_servers: Readonly<Record<string, McpServer>>;
}

/** `dialect`: after the event each hook stands where its own contract puts it. The others hold for all hooks alike. */
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
  readonly sandbox?: "off" | "auto" | "require";
  readonly required?: boolean;
}

/** The checked settings of one scope: one project folder, or the user. Durations are milliseconds. */
export interface ScopeSettings {
  readonly settings: GeneralSettings;
  readonly overrides: Readonly<Record<string, Override>>;
  /** The hooks that the file declares, each `tool` with its server. */
  readonly entries: readonly ResolvedEntry[];
}

export const NO_SETTINGS: ScopeSettings = { settings: {}, overrides: {}, entries: [] };

/** Reyn's own files: what an operator wrote, and what was added at run time. */
const REYN_FILES = ["reyn.yaml", ".reyn/hooks.yaml"] as const;

/**
 * Files of a project folder that may declare hooks in Base Coat's or Reyn's way and that other programs read as well. Only
 * their `hooks`, and Reyn's limit for them, count here; each is approved by itself, beside the project's own settings file.
 */
export const SHARED_FILES = [".kodelet/mcp.json", "mcp.json", ".mcp.json", "hooks.json", ...REYN_FILES] as const;

/** The shared file that a path of this folder is; null: another file, such as the folder's own settings file. */
export const sharedFileAt = (folder: string, path: string): string | null =>
  SHARED_FILES.find((name) => path === `${folder}/${name}`) ?? null;

/** Is this one of Reyn's files, in the folder that it belongs to? */
export const isReynFile = (folder: string, path: string): boolean =>
  REYN_FILES.some((name) => path === `${folder}/${name}`);
