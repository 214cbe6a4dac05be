import type { AgentName, InstallScope } from "./agent.ts";

/**
 * How an agent is recognized on a machine: by its processes, its folders and its settings files. Separate from its
 * protocol, so that finding the caller does not load the payloads of all agents.
 */
export interface KnownAgent {
  readonly title: string;
  readonly settings: AgentSettings;
  /** Its folders below the home directory and in a project: their presence shows that the agent is used. */
  readonly ownFolders: Readonly<Record<"user" | "project", string>>;
  readonly process: AgentProcess;
}

/** The files from which an agent reads hooks. */
export interface AgentSettings {
  /**
   * Relative to the project or to the home directory; the machine's is absolute. The agent does not have a scope that is
   * absent.
   */
  readonly files: Partial<Readonly<Record<InstallScope, string>>>;
  /** The machine's file on macOS, if it is another. */
  readonly machineFileOnMac?: string;
  /** Files that earlier versions of hookctl wrote: the agent reads no hooks there, and install removes ours. */
  readonly formerFiles?: AgentSettings["files"];
  /** The project's file is read only if the agent was started in the project's root folder. */
  readonly isStartFolderOnly?: true;
  /** The variable that replaces a folder below the home directory. */
  readonly userFolder?: { readonly variable: string; readonly instead: string };
  /** A TOML file in the same folder that can hold hooks as well. */
  readonly tomlFile?: string;
  /** True if it reads hooks from every JSON file in the folder. */
  readonly readsWholeFolder?: true;
}

/** How to recognize a process of the agent, or one that it started. */
export interface AgentProcess {
  /**
   * Variables that the agent sets for commands it runs and that a person's shell does not have. Prefixes are not enough:
   * the terminal of an editor sets many similar ones.
   */
  readonly variables: readonly string[];
  /** The name that it sets in `AGENT`, a variable that several programs use. */
  readonly nameInAgentVariable?: string;
  readonly programs: readonly string[];
  /** Packages in `node_modules` that hold its program, for a command line such as `node …/cli.js`. */
  readonly packages: readonly string[];
}

/** Every agent by its name: a name without a row does not compile. */
export const KNOWN_AGENTS: Readonly<Record<AgentName, KnownAgent>> = {
  claude: {
    title: "Claude Code",
    settings: {
      files: {
        project: ".claude/settings.json",
        local: ".claude/settings.local.json",
        user: ".claude/settings.json",
        machine: "/etc/claude-code/managed-settings.d/hookctl.json",
      },
      machineFileOnMac: "/Library/Application Support/ClaudeCode/managed-settings.d/hookctl.json",
      isStartFolderOnly: true,
      userFolder: { variable: "CLAUDE_CONFIG_DIR", instead: ".claude" },
    },
    ownFolders: { user: ".claude", project: ".claude" },
    process: {
      variables: [
        "CLAUDECODE",
        "CLAUDE_CODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_SESSION_ID",
      ],
      nameInAgentVariable: "claude",
      programs: ["claude"],
      packages: ["@anthropic-ai/claude-code"],
    },
  },
  codex: {
    title: "Codex CLI",
    settings: {
      files: { project: ".codex/hooks.json", user: ".codex/hooks.json", machine: "/etc/codex/requirements.toml" },
      formerFiles: { machine: "/etc/codex/hooks.json" },
      userFolder: { variable: "CODEX_HOME", instead: ".codex" },
      tomlFile: "config.toml",
    },
    ownFolders: { user: ".codex", project: ".codex" },
    process: {
      variables: ["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"],
      nameInAgentVariable: "codex",
      programs: ["codex"],
      packages: ["@openai/codex"],
    },
  },
  gemini: {
    title: "Gemini CLI",
    settings: {
      files: {
        project: ".gemini/settings.json",
        user: ".gemini/settings.json",
        machine: "/etc/gemini-cli/settings.json",
      },
      machineFileOnMac: "/Library/Application Support/GeminiCli/settings.json",
      isStartFolderOnly: true,
    },
    ownFolders: { user: ".gemini", project: ".gemini" },
    process: {
      variables: ["GEMINI_CLI"],
      nameInAgentVariable: "gemini",
      programs: ["gemini"],
      packages: ["@google/gemini-cli"],
    },
  },
  copilot: {
    title: "GitHub Copilot CLI",
    settings: {
      files: {
        project: ".github/hooks/hookctl.json",
        user: ".copilot/hooks/hookctl.json",
        machine: "/etc/github-copilot/policy.d/hookctl.json",
      },
      userFolder: { variable: "COPILOT_HOME", instead: ".copilot" },
      readsWholeFolder: true,
    },
    ownFolders: { user: ".copilot", project: ".github/copilot" },
    process: {
      variables: ["COPILOT_CLI", "COPILOT_AGENT", "COPILOT_AGENT_SESSION_ID"],
      programs: ["copilot"],
      packages: ["@github/copilot"],
    },
  },
  cursor: {
    title: "Cursor",
    settings: {
      files: { project: ".cursor/hooks.json", user: ".cursor/hooks.json", machine: "/etc/cursor/hooks.json" },
      machineFileOnMac: "/Library/Application Support/Cursor/hooks.json",
    },
    ownFolders: { user: ".cursor", project: ".cursor" },
    process: {
      // The second is also set in each terminal of its editor: a person there answers one more prompt.
      variables: ["CURSOR_AGENT", "CURSOR_TRACE_ID"],
      programs: ["cursor-agent"],
      packages: [],
    },
  },
  qwen: {
    title: "Qwen Code",
    settings: {
      files: {
        project: ".qwen/settings.json",
        user: ".qwen/settings.json",
        machine: "/etc/qwen-code/settings.json",
      },
      machineFileOnMac: "/Library/Application Support/QwenCode/settings.json",
      isStartFolderOnly: true,
    },
    ownFolders: { user: ".qwen", project: ".qwen" },
    process: { variables: ["QWEN_CODE"], programs: ["qwen"], packages: ["@qwen-code/qwen-code"] },
  },
  droid: {
    title: "Factory Droid",
    settings: {
      files: {
        project: ".factory/settings.json",
        user: ".factory/settings.json",
        machine: "/etc/factory/settings.json",
      },
      machineFileOnMac: "/Library/Application Support/Factory/settings.json",
      formerFiles: { project: ".factory/hooks.json", user: ".factory/hooks.json" },
    },
    ownFolders: { user: ".factory", project: ".factory" },
    process: { variables: [], programs: ["droid"], packages: [] },
  },
  goose: {
    title: "goose",
    settings: {
      files: {
        project: ".agents/plugins/hookctl/hooks/hooks.json",
        user: ".agents/plugins/hookctl/hooks/hooks.json",
      },
    },
    ownFolders: { user: ".config/goose", project: ".goose" },
    process: { variables: ["GOOSE_TERMINAL"], nameInAgentVariable: "goose", programs: ["goose"], packages: [] },
  },
  opencode: {
    title: "opencode",
    settings: {
      files: { project: ".opencode/plugins/hookctl.js", user: ".config/opencode/plugins/hookctl.js" },
      userFolder: { variable: "XDG_CONFIG_HOME", instead: ".config" },
    },
    ownFolders: { user: ".config/opencode", project: ".opencode" },
    process: {
      variables: ["OPENCODE", "OPENCODE_CLIENT"],
      nameInAgentVariable: "opencode",
      programs: ["opencode"],
      packages: ["opencode-ai"],
    },
  },
  pi: {
    title: "pi",
    settings: {
      files: { project: ".pi/extensions/hookctl.ts", user: ".pi/agent/extensions/hookctl.ts" },
      isStartFolderOnly: true,
      userFolder: { variable: "PI_CODING_AGENT_DIR", instead: ".pi/agent" },
    },
    ownFolders: { user: ".pi/agent", project: ".pi" },
    process: {
      variables: ["PI_CODING_AGENT"],
      programs: ["pi"],
      packages: ["@mariozechner/pi-coding-agent", "@earendil-works/pi-coding-agent"],
    },
  },
};
