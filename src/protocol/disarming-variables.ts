/**
 * Environment variables that run other code in the place of a registered line, or before it: the prefix and the shell of an
 * agent, the start files of shells, and the loader of the shell itself. NODE_OPTIONS is not one: the launcher keeps it away
 * from the runtime, and the line blocks without an answer. Neither is ENV: shells read it only for a person.
 */
export const DISARMING_VARIABLES: readonly string[] = [
  ...["CLAUDE_CODE_SHELL_PREFIX", "CLAUDE_CODE_SHELL", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "OPENCODE_PURE"],
  ...["CLAUDE_CODE_PERSONAL_HOOKS_OFF", "CLAUDE_CODE_MANAGED_SETTINGS_PATH", "CLAUDE_CODE_REMOTE_SETTINGS_PATH"],
  ...["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "OPENCODE_DISABLE_PROJECT_CONFIG", "HOME", "SHELL", "PATH"],
  ...["BASH_ENV", "SHELLOPTS", "BASHOPTS", "ZDOTDIR"],
];

/** Exported functions of bash, and the dynamic loaders of Linux and macOS. */
const DISARMING_PREFIXES = ["BASH_FUNC_", "LD_", "DYLD_"];

/** True if an agent's settings that set it could keep hookctl from being asked. */
export const isDisarmingVariable = (name: string): boolean =>
  DISARMING_VARIABLES.includes(name) || DISARMING_PREFIXES.some((prefix) => name.startsWith(prefix));
