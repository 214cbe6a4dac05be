import { nameSet } from "./json/table.ts";

/**
 * Environment variables with which other code runs in the place of a registered line or before it, or with which hooks,
 * settings and programs are looked for elsewhere.
 */
const DISARMING_VARIABLES = nameSet(
  "HOME PATH SHELL ENV BASH_ENV SHELLOPTS BASHOPTS IFS PS4 ZDOTDIR CDPATH " +
    "NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_REPL_EXTERNAL_MODULE BUN_OPTIONS " +
    "CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME GEMINI_CLI_HOME PI_CODING_AGENT_DIR " +
    "XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR " +
    "CLAUDE_CODE_SHELL_PREFIX CLAUDE_CODE_SHELL CLAUDE_CODE_SIMPLE CLAUDE_CODE_SAFE_MODE CLAUDE_CODE_PERSONAL_HOOKS_OFF CLAUDE_CODE_MANAGED_SETTINGS_PATH CLAUDE_CODE_REMOTE_SETTINGS_PATH " +
    "OPENCODE_PURE OPENCODE_DISABLE_PROJECT_CONFIG OPENCODE_CONFIG_DIR",
);

/** Exported functions of bash, the dynamic loaders of Linux and macOS, and hookctl's own. */
const DISARMING_PREFIXES = ["BASH_FUNC_", "LD_", "DYLD_", "HOOKCTL_"];

/** True if an agent's settings or a shell's profile that set it could keep hookctl from being asked. */
export const isDisarmingVariable = (name: string): boolean =>
  DISARMING_VARIABLES.has(name) || DISARMING_PREFIXES.some((prefix) => name.startsWith(prefix));
