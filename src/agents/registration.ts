import type { JsonRecord } from "../contract/json-text.ts";
import type { AgentName } from "../dialects/agents/agent.ts";
import { opencodeModule, piModule } from "./module-text.ts";

export const INSTALL_SCOPES = ["project", "user", "local"] as const;
export type InstallScope = (typeof INSTALL_SCOPES)[number];

/** One line that an agent is to call. */
export interface Line {
  /** The agent's own name of the event. */
  readonly event: string;
  readonly command: string;
  readonly limitMs: number;
  readonly failClosed: boolean;
}

/** Where and in which shape an agent wants its hooks. */
export type Registration = SettingsRegistration | ModuleRegistration;

/** Entries in a settings file that belongs to others as well. */
export interface SettingsRegistration extends Registered {
  readonly shape: "settings";
  /** What a file needs beside the hooks. */
  readonly root: JsonRecord;
  readonly entry: (line: Line) => JsonRecord;
}

/** A file of code that is ours alone. */
interface ModuleRegistration extends Registered {
  readonly shape: "module";
  readonly module: (lines: readonly Line[]) => string;
}

interface Registered {
  /** Below the project or the home folder. An absent scope is not offered by the agent. */
  readonly files: Partial<Readonly<Record<InstallScope, string>>>;
  /** Its variable that moves the user's folder, and what stands in place of it. */
  readonly home?: { readonly variable: string; readonly instead: string };
  /** Other files that belong to it, whole. */
  readonly beside?: Readonly<Record<string, JsonRecord>>;
  /** Its lines go through the person's own login shell, in place of `sh -c`. */
  readonly isLoginShell?: true;
  /** What the person still has to do. */
  readonly stillToDo: string;
}

const seconds = ({ limitMs }: Line): number => Math.max(1, Math.round(limitMs / 1000));

/** A group without a matcher: every tool, filtering is the hooks' own matter. */
const group = (handler: JsonRecord): JsonRecord => ({ hooks: [handler] });
const inSeconds = (line: Line): JsonRecord => group({ type: "command", command: line.command, timeout: seconds(line) });
const inMilliseconds = (line: Line): JsonRecord =>
  group({ name: `hookctl-${line.event}`, type: "command", command: line.command, timeout: line.limitMs });

export const REGISTRATIONS: Readonly<Record<AgentName, Registration>> = {
  claude: {
    files: { project: ".claude/settings.json", local: ".claude/settings.local.json", user: ".claude/settings.json" },
    home: { variable: "CLAUDE_CONFIG_DIR", instead: ".claude" },
    shape: "settings",
    root: {},
    entry: inSeconds,
    stillToDo: "Claude Code reads it when a session begins; with -p it runs project hooks without asking.",
  },
  codex: {
    files: { project: ".codex/hooks.json", user: ".codex/hooks.json" },
    home: { variable: "CODEX_HOME", instead: ".codex" },
    shape: "settings",
    root: {},
    entry: inSeconds,
    isLoginShell: true,
    stillToDo:
      "Codex skips new hooks in silence: open /hooks in Codex and trust them. A project has to be trusted too.",
  },
  gemini: {
    files: { project: ".gemini/settings.json", user: ".gemini/settings.json" },
    shape: "settings",
    root: {},
    entry: inMilliseconds,
    stillToDo: "Gemini CLI runs hooks only in a folder that you have trusted.",
  },
  copilot: {
    files: { project: ".github/hooks/hookctl.json", user: ".copilot/hooks/hookctl.json" },
    home: { variable: "COPILOT_HOME", instead: ".copilot" },
    shape: "settings",
    root: { version: 1 },
    entry: (line) => ({ type: "command", command: line.command, timeoutSec: seconds(line) }),
    stillToDo: "Copilot skips a project's hooks in silence until you have trusted the folder.",
  },
  cursor: {
    files: { project: ".cursor/hooks.json", user: ".cursor/hooks.json" },
    shape: "settings",
    root: { version: 1 },
    entry: (line) => ({
      command: line.command,
      timeout: seconds(line),
      failClosed: line.failClosed ? true : undefined,
    }),
    stillToDo: "Cursor runs project hooks only in a trusted workspace. Known from its documentation alone.",
  },
  qwen: {
    files: { project: ".qwen/settings.json", user: ".qwen/settings.json" },
    shape: "settings",
    root: {},
    entry: inSeconds,
    stillToDo: "Qwen Code runs a project's hooks without asking.",
  },
  droid: {
    files: { project: ".factory/hooks.json", user: ".factory/hooks.json" },
    shape: "settings",
    root: {},
    entry: inSeconds,
    stillToDo: "Known from Factory Droid's documentation alone.",
  },
  goose: {
    files: {
      project: ".agents/plugins/hookctl/hooks/hooks.json",
      user: ".agents/plugins/hookctl/hooks/hooks.json",
    },
    shape: "settings",
    root: {},
    entry: (line) => ({ ...inSeconds(line), on_failure: line.failClosed ? "block" : undefined }),
    beside: { "../plugin.json": { name: "hookctl", version: "1.0.0", description: "Asks hookctl's hooks." } },
    stillToDo: "Known from goose's documentation alone.",
  },
  opencode: {
    files: { project: ".opencode/plugins/hookctl.js", user: ".config/opencode/plugins/hookctl.js" },
    home: { variable: "XDG_CONFIG_HOME", instead: ".config" },
    shape: "module",
    module: opencodeModule,
    stillToDo: "opencode loads it when it starts, without asking.",
  },
  pi: {
    files: { project: ".pi/extensions/hookctl.ts", user: ".pi/agent/extensions/hookctl.ts" },
    home: { variable: "PI_CODING_AGENT_DIR", instead: ".pi/agent" },
    shape: "module",
    module: piModule,
    stillToDo: "pi loads it when it starts, without asking.",
  },
};
