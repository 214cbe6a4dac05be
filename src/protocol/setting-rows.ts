import { READS } from "./hook-kind.ts";
import type { Override } from "./override.ts";
import type { SandboxGrants } from "./sandbox.ts";
import type { SettingKind, SettingRow } from "./setting-row.ts";
import { type GeneralSettings, PERSON_PROOFS } from "./settings-file.ts";

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
    "Where a hook was never approved, `fail` blocks, and `ask` asks on the terminal as `run --ask` does. `fail` also exits with 77 where `HOOKCTL_TRUST` approves nothing.",
  ),
  own_commands: settableByUser(
    ["allow", "ask"],
    "`ask`: your own `shell_exec` and `shell_push` entries need your approval, too, as in Reyn.",
  ),
  person: settableByUser(
    PERSON_PROOFS,
    "What commands that weaken a guard demand: a person's `terminal` (default), also `sudo` (with Touch ID where sudo has it) or `polkit`; `none`, in the machine's settings alone, for CI.",
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
  restore: settableByUser(
    ["by_person", "at_once"],
    "`at_once`: what an agent's settings lost since they were [sealed](trust.md#seal) is restored by the next call.",
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

/** The keys of an entry in addition to its action: those of an override, a name and its files. */
export const ENTRY_ROWS = {
  ...OVERRIDE_ROWS,
  name: { kind: "text", isUserOnly: false, about: "What it is called. Default: `<event>#<n>`." },
  files: { kind: "texts", isUserOnly: false, about: "Files of the project that it needs; an approval covers them." },
  reads: { kind: READS, isUserOnly: false, about: "`env`: of a `command`, the call's values are in variables, too." },
} as const satisfies Record<string, SettingRow>;

export const GRANT_ROWS = {
  network: settableByAnyone("flag", "`true`: it may use the network. Default `false`."),
  subprocess: settableByAnyone("flag", "`false`: it may not start processes. Default `true`."),
  write_paths: settableByAnyone("texts", "Files and folders that it may write, relative to the project."),
} as const satisfies Record<keyof SandboxGrants, SettingRow>;

export const TOP_LEVEL_KEYS = [
  "$schema",
  "version",
  "settings",
  "overrides",
  "guards",
  "hooks",
  "mcp_servers",
] as const;
