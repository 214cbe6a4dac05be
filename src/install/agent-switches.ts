import type { AgentName } from "../agents/agent.ts";
import type { FoundRegistration } from "./find-registrations.ts";
import type { SettingsFileFormat } from "./settings-text.ts";
import { arrayOr, isObject, type UncheckedObject } from "./unchecked.ts";

/** One setting by which an agent disablesHooks running hooks. */
export interface HooksSwitch {
  /** Below the project, below the user's folder (an agent's variable may move it), or anywhere. */
  readonly at: "project" | "user" | "machine";
  readonly file: string;
  readonly format: Exclude<SettingsFileFormat, "module">;
  /** The path of the setting. */
  readonly key: readonly string[];
  /** Does this value stop our lines? */
  readonly disablesHooks: (value: unknown, lines: readonly FoundRegistration[]) => boolean;
}

const isTrue = (value: unknown): boolean => value === true;
const isFalse = (value: unknown): boolean => value === false;

/** The rows of one setting; where it is a yes or a no, the first file that has it decides. */
function rows(
  key: readonly string[],
  disablesHooks: HooksSwitch["disablesHooks"],
  files: readonly (readonly [at: HooksSwitch["at"], file: string])[],
): readonly HooksSwitch[] {
  return files.map(([at, file]) => ({
    at,
    file,
    format: file.endsWith(".toml") ? "toml" : "json",
    key,
    disablesHooks,
  }));
}

const managed = [
  ["machine", "/etc/claude-code/managed-settings.json"],
  ["machine", "/Library/Application Support/ClaudeCode/managed-settings.json"],
] as const;
const claudeFiles = [
  ...managed,
  ["project", ".claude/settings.local.json"],
  ["project", ".claude/settings.json"],
  ["user", ".claude/settings.json"],
] as const;
const geminiFiles = [
  ["machine", "/etc/gemini-cli/settings.json"],
  ["project", ".gemini/settings.json"],
  ["user", ".gemini/settings.json"],
] as const;
const qwenFiles = [
  ["machine", "/etc/qwen-code/settings.json"],
  ["project", ".qwen/settings.json"],
  ["user", ".qwen/settings.json"],
] as const;
const codexFiles = [
  ["machine", "/etc/codex/requirements.toml"],
  ["project", ".codex/config.toml"],
  ["user", ".codex/config.toml"],
  ["machine", "/etc/codex/config.toml"],
] as const;
const copilotFiles = [
  ["project", ".github/copilot/settings.local.json"],
  ["project", ".github/copilot/settings.json"],
  ["user", ".copilot/settings.json"],
  ["user", ".copilot/config.json"],
] as const;

/** Gemini CLI switches single hooks off by their name or their command. */
const namesOurs: HooksSwitch["disablesHooks"] = (value, lines) =>
  lines.some(({ event, command }) => arrayOr(value).some((one) => one === `hookctl-${event}` || one === command));

/** The agents' switches. Cursor, goose, opencode and Droid have none in a file that is known. */
const SWITCHES: Partial<Readonly<Record<AgentName, readonly HooksSwitch[]>>> = {
  claude: [...rows(["disableAllHooks"], isTrue, claudeFiles), ...rows(["allowManagedHooksOnly"], isTrue, managed)],
  codex: [
    ...rows(["features", "hooks"], isFalse, codexFiles),
    ...rows(["allow_managed_hooks_only"], isTrue, [["machine", "/etc/codex/requirements.toml"]]),
  ],
  gemini: [
    ...rows(["hooksConfig", "enabled"], isFalse, geminiFiles),
    ...rows(["hooksConfig", "disabled"], namesOurs, geminiFiles),
  ],
  copilot: [
    // Of our own file: its hooks alone.
    ...rows(["disableAllHooks"], isTrue, [["project", ".github/hooks/hookctl.json"]]),
    ...rows(["disableAllHooks"], isTrue, [["user", ".copilot/hooks/hookctl.json"]]),
    ...rows(["disableAllHooks"], isTrue, copilotFiles),
  ],
  qwen: rows(["disableAllHooks"], isTrue, qwenFiles),
};

/** The switches that stop our lines, in files that `read` gives. */
export function disablingSwitches(
  agent: AgentName,
  lines: readonly FoundRegistration[],
  read: (row: HooksSwitch) => UncheckedObject,
): readonly HooksSwitch[] {
  const decided = new Set<string>();
  return (SWITCHES[agent] ?? []).filter((row) => {
    const setting = row.key.join(".");
    const value = valueAt(read(row), row.key);
    if (value === undefined || decided.has(setting)) return false;
    if (typeof value === "boolean") decided.add(setting);
    return row.disablesHooks(value, lines);
  });
}

const valueAt = (settings: UncheckedObject, key: readonly string[]): unknown =>
  key.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), settings);
