/** Environment variables that decide which program a hook starts, which files it reads, or whether it runs at all. */
export const DISARMING_VARIABLES: readonly string[] = [
  ...["HOME", "PATH", "SHELL", "ENV", "BASH_ENV", "IFS", "PS4", "ZDOTDIR", "CDPATH"],
  ...["NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_REPL_EXTERNAL_MODULE", "BUN_OPTIONS"],
  ...["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "PI_CODING_AGENT_DIR"],
  ...["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"],
  ...["CLAUDE_CODE_SHELL_PREFIX", "CLAUDE_CODE_SHELL", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"],
  ...["OPENCODE_PURE", "OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_CONFIG_DIR"],
];

const PREFIXES = ["BASH_FUNC_", "LD_", "DYLD_", "HOOKCTL_"];

/** True for a variable that can take hooks out of an agent that is started with it. */
export const isDisarmingVariable = (name: string): boolean =>
  DISARMING_VARIABLES.includes(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
