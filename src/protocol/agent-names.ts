/** Agents that can call hookctl, by hooks of their own or by a module that hookctl writes for them. */
export const AGENT_NAMES = [
  "claude",
  "codex",
  "gemini",
  "copilot",
  "cursor",
  "qwen",
  "droid",
  "goose",
  "opencode",
  "pi",
] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

export const INSTALL_SCOPES = ["project", "user", "local", "machine"] as const;
export type InstallScope = (typeof INSTALL_SCOPES)[number];
