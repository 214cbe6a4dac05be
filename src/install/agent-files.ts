import type { AgentName } from "../agents/agent.ts";

export const INSTALL_SCOPES = ["project", "user", "local"] as const;
export type InstallScope = (typeof INSTALL_SCOPES)[number];

/** Where an agent looks for its hooks. */
export interface AgentFiles {
  /** Below the project or the home folder. An absent scope is not offered by the agent. */
  readonly files: Partial<Readonly<Record<InstallScope, string>>>;
  /** Where earlier versions of hookctl wrote: the agent reads no hooks there, and ours are taken out. */
  readonly formerFiles?: AgentFiles["files"];
  /** The project's file is read only by an agent that was started in the project's own folder. */
  readonly isStartFolderOnly?: true;
  /** Its variable that moves the user's folder, and what stands in place of it. */
  readonly userFolder?: { readonly variable: string; readonly instead: string };
}

/** Apart from what is written there: `bridge` needs to know the places, and nothing else of a registration. */
export const AGENT_FILES: Readonly<Record<AgentName, AgentFiles>> = {
  claude: {
    files: { project: ".claude/settings.json", local: ".claude/settings.local.json", user: ".claude/settings.json" },
    isStartFolderOnly: true,
    userFolder: { variable: "CLAUDE_CONFIG_DIR", instead: ".claude" },
  },
  codex: {
    files: { project: ".codex/hooks.json", user: ".codex/hooks.json" },
    userFolder: { variable: "CODEX_HOME", instead: ".codex" },
  },
  gemini: { files: { project: ".gemini/settings.json", user: ".gemini/settings.json" }, isStartFolderOnly: true },
  copilot: {
    files: { project: ".github/hooks/hookctl.json", user: ".copilot/hooks/hookctl.json" },
    userFolder: { variable: "COPILOT_HOME", instead: ".copilot" },
  },
  cursor: { files: { project: ".cursor/hooks.json", user: ".cursor/hooks.json" } },
  qwen: { files: { project: ".qwen/settings.json", user: ".qwen/settings.json" }, isStartFolderOnly: true },
  droid: {
    files: { project: ".factory/settings.json", user: ".factory/settings.json" },
    formerFiles: { project: ".factory/hooks.json", user: ".factory/hooks.json" },
  },
  goose: {
    files: {
      project: ".agents/plugins/hookctl/hooks/hooks.json",
      user: ".agents/plugins/hookctl/hooks/hooks.json",
    },
  },
  opencode: {
    files: { project: ".opencode/plugins/hookctl.js", user: ".config/opencode/plugins/hookctl.js" },
    userFolder: { variable: "XDG_CONFIG_HOME", instead: ".config" },
  },
  pi: {
    files: { project: ".pi/extensions/hookctl.ts", user: ".pi/agent/extensions/hookctl.ts" },
    isStartFolderOnly: true,
    userFolder: { variable: "PI_CODING_AGENT_DIR", instead: ".pi/agent" },
  },
};
