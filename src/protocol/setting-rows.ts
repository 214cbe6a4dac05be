import { type Match, READS } from "./hook-kind.ts";
import type { SandboxGrants, SandboxSetting } from "./sandbox.ts";

/** What a rule of a guard does: from the least to the most restrictive. */
export const RULE_CHOICES = ["off", "ask", "block"] as const;
export type RuleChoice = (typeof RULE_CHOICES)[number];

/** The types of settings values, by their kinds. The zod schema, the JSON Schema and the docs are built from the rows below. */
interface KindTypes {
  /** In milliseconds. */
  readonly duration: number;
  /** In bytes. */
  readonly size: number;
  readonly text: string;
  readonly flag: boolean;
  readonly count: number;
  readonly number: number;
  readonly texts: readonly string[];
  readonly network: "open" | "off" | readonly string[];
  readonly match: Match;
  readonly durations: Readonly<Record<string, number>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly sandbox: SandboxSetting;
  readonly ruleChoices: Readonly<Record<string, RuleChoice>>;
}
/** A list names all values of a setting. */
export type SettingKind = keyof KindTypes | readonly string[];

export interface SettingRow<Kind extends SettingKind = SettingKind> {
  readonly kind: Kind;
  /** True if a project's settings file may not set it. */
  readonly isUserOnly: boolean;
  readonly about: string;
}

/** The settings that the rows describe; one that is not set is absent. */
export type SettingsOf<Rows extends Readonly<Record<string, SettingRow>>> = {
  readonly [Key in keyof Rows]?: Rows[Key] extends SettingRow<infer Kind> ? ValueOf<Kind> : never;
};
type ValueOf<Kind extends SettingKind> = Kind extends readonly (infer Choice)[]
  ? Choice
  : Kind extends keyof KindTypes
    ? KindTypes[Kind]
    : never;

const settableByAnyone = <const Kind extends SettingKind>(kind: Kind, about: string): SettingRow<Kind> => ({
  kind,
  isUserOnly: false,
  about,
});
const settableByUser = <const Kind extends SettingKind>(kind: Kind, about: string): SettingRow<Kind> => ({
  kind,
  isUserOnly: true,
  about,
});

export const SETTING_ROWS = {
  enabled: settableByAnyone("flag", "`false` disables hooks; in a project's file only the project's."),
  timeout: settableByAnyone("duration", "Timeout of a hook; in a project's file, of the project's hooks. Default 30s."),
  timeouts: settableByAnyone("durations", 'The same for single events: `{"before_tool_call": "5s"}`.'),
  deadline: settableByUser("duration", "Timeout of the whole chain. Default: none."),
  post_order: settableByAnyone(
    ["dialect", "forward", "reverse"],
    "Order of priorities at post events: as at pre events, reversed, or (default) by each hook's dialect.",
  ),
  max_hook_driven_turns: settableByAnyone("count", "Consecutive turns that hooks may start. Default 25, 0: no limit."),
  on_limit: settableByAnyone(["warn", "ask_user", "abort"], "What happens above that limit."),
  project_hooks: settableByUser(
    ["ask", "allow"],
    "`allow` approves the hooks of every project in a folder that only you can change.",
  ),
  on_untrusted: settableByUser(
    ["warn", "ask", "fail"],
    "If a hook was never approved, `fail` blocks, and `ask` prompts on the terminal like `run --ask`. `fail` also exits with 77 if `HOOKCTL_TRUST` approves nothing.",
  ),
  resident: settableByUser(
    "flag",
    "`true`: a resident server answers agents' calls faster. The machine's setting takes precedence. Default `true`, in CI and in containers `false`.",
  ),
  own_commands: settableByUser(
    ["allow", "ask"],
    "`ask`: your own `shell_exec` and `shell_push` entries need your approval, too, as in Reyn.",
  ),
  person: settableByUser(
    ["none", "terminal", "sudo", "polkit"],
    "What a command that weakens a guard requires: a person's `terminal` (default), or also a password by `sudo` (with Touch ID if configured) or `polkit`; `none`, only in the machine's settings, for CI.",
  ),
  record: settableByUser(
    ["names", "payloads", "off"],
    "`names` (default): names, numbers and a summary of each call. `payloads`: also payloads without secrets, for `replay` and `log --case`.",
  ),
  record_size: settableByUser(
    "size",
    "Maximum size of the audit log, and of the payload log: `64MiB`. Default 256MiB each.",
  ),
  record_days: settableByUser("count", "Number of days that both logs keep runs. Default 30, 0 for no limit."),
  export: settableByUser(
    "text",
    "An OpenTelemetry collector to which `hookctl export` sends runs: `http://localhost:4318`.",
  ),
  restore: settableByUser(
    ["by_person", "at_once"],
    "`at_once`: the next call restores what an agent's settings have lost since they were [sealed](trust.md#seal).",
  ),
  env_allow: settableByUser("texts", "Variables that project hooks get in addition to the allow-list."),
  path_allow: settableByUser(
    "texts",
    'Folders of the project in which hooks may find programs: `["node_modules/.bin"]`.',
  ),
};
export type GeneralSettings = SettingsOf<typeof SETTING_ROWS>;

export const OVERRIDE_ROWS = {
  enabled: settableByAnyone("flag", "`false` skips the hook; it is still listed."),
  priority: settableByAnyone("number", "Lower runs first. Default 100."),
  fail_open: settableByAnyone("flag", "`false`: a failure of this hook blocks."),
  observe: settableByAnyone("flag", "`true`: it runs even after a block, and changes nothing."),
  timeout: settableByAnyone("duration", "Timeout of this hook."),
  match: settableByAnyone("match", 'Only payloads with these values: `{"tool_name": ["bash", "mcp_*"]}`.'),
  output_limit: settableByAnyone(
    "size",
    "Maximum size of stdout: `64MiB`. Default: 4 times the payload, at least 4MiB.",
  ),
  background: settableByAnyone("flag", "`true`: processes that it leaves running are not killed."),
  sandbox: settableByAnyone(
    "sandbox",
    "`require` or an object of grants: without a [sandbox](sandbox.md) the hook is refused; `auto`: it runs without one.",
  ),
  required: settableByUser("flag", "`true`: blocks if the hook is missing, refused or fails."),
};
/** The settings of one hook. */
export type Override = SettingsOf<typeof OVERRIDE_ROWS>;

/** The keys of an entry in addition to its action: those of an override, a name and its files. */
export const ENTRY_ROWS = {
  ...OVERRIDE_ROWS,
  name: settableByAnyone("text", "Name of the hook. Default: `<event>#<n>`."),
  files: settableByAnyone("texts", "Files of the project that it needs; an approval covers them."),
  reads: settableByAnyone(READS, "`env`: a `command` also gets the call's values in variables."),
};

export const GRANT_ROWS = {
  network: settableByAnyone("flag", "`true`: it may use the network. Default `false`."),
  subprocess: settableByAnyone("flag", "`false`: it may not start processes. Default `true`."),
  write_paths: settableByAnyone("texts", "Files and folders that it may write, relative to the project."),
} satisfies Record<keyof SandboxGrants, SettingRow>;

/** The settings of one guard; `true` and `false` are short for `enabled`. */
export const GUARD_ROWS = {
  enabled: settableByAnyone("flag", "`false` disables the guard."),
  decision: settableByAnyone(["ask", "block"], "The decision for each finding. Default: that of the rule."),
  unknown: settableByAnyone(
    ["ask", "block", "allow"],
    "What to do when the verdict depends on a value known only at run time. Default `ask`.",
  ),
  observe: settableByAnyone("flag", "`true`: block nothing, and record what would have been blocked."),
  allow: settableByAnyone(
    "texts",
    "Command lines that are allowed, compared word by word (`*` is any one word), and paths of files.",
  ),
  rules: settableByAnyone(
    "ruleChoices",
    'Single rules of the guard: `{"discard-changes": "ask"}`, `off` or `block`. `unknown` still applies to rules that are on.',
  ),
  paths: settableByAnyone("texts", "For `protected-paths`: globs of files that may not be changed."),
};
export type GuardSettings = SettingsOf<typeof GUARD_ROWS>;

/** Where and how the shell calls of agents run inside the cage. */
export const CAGE_ROWS = {
  mode: settableByUser(
    ["off", "observe", "fallback", "require"],
    "`observe`: calls run outside, and hookctl records what the cage would refuse. If the cage is not available, `require` blocks calls. Default `fallback`.",
  ),
  network: settableByUser("network", "`off`: none. A list: only [these hosts](cage.md#hosts). Default `open`."),
  write: settableByUser("texts", "Files and folders that a call may also write: `~/.cache/foo`."),
  read: settableByUser("texts", "Hidden files and folders that it may read: `~/work/shared`."),
  env: settableByUser("texts", "Variables to pass although their names look secret."),
};
export type CageSettings = SettingsOf<typeof CAGE_ROWS>;

/** A rule of a person about commands, files or hosts; `"npm publish *"` is short for its `match` alone. */
export const RULE_ROWS = {
  match: settableByAnyone(
    "text",
    "A command, the glob of a path, or a host (`*.example.org`, `example.org:8080`). `*` is any part of a word, ` *` at the end any further words.",
  ),
  reason: settableByAnyone("text", "The reason that the agent reads."),
  unless: settableByAnyone("texts", "Exceptions, in the same form."),
  until: settableByAnyone("text", "When it ends: `2026-12-01T00:00:00Z`."),
  once: settableByAnyone("text", "For `allow`: an id of your choice; the rule allows one call per id."),
};
export type RuleSettings = SettingsOf<typeof RULE_ROWS>;

export const SERVER_ROWS = {
  command: settableByAnyone("text", "The program to start, without a shell. It must exist."),
  args: settableByAnyone("texts", "Its arguments, unchanged."),
  env: settableByAnyone("variables", "Variables that it gets in addition to those of a hook, unchanged."),
  cwd: settableByAnyone("text", "Where it runs. Default: the folder of the file that declares it."),
};
/** An MCP server over stdio, as a settings file or an agent's `mcp.json` declares it. */
export type McpServer = SettingsOf<typeof SERVER_ROWS> & { readonly command: string };

export const TOP_LEVEL_KEYS = [
  "$schema",
  "version",
  "settings",
  "overrides",
  "guards",
  "commands",
  "files",
  "hosts",
  "guard_rules",
  "cage",
  "projects",
  "hooks",
  "mcp_servers",
] as const;
