import type { AgentName } from "../agents/agent.ts";
import type { JsonRecord } from "../protocol/json/write.ts";
import { AGENT_FILES, type AgentFiles } from "./agent-files.ts";
import { opencodeModule, piModule } from "./module-text.ts";

/** One line that an agent is to call. */
export interface Registration {
  /** The agent's own name of the event. */
  readonly event: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly failClosed: boolean;
}

/** Where and in which shape an agent wants its hooks. */
export type InstallFormat = SettingsFormat | ModuleFormat;

/** Entries in a settings file that belongs to others as well. */
export interface SettingsFormat extends InstallFacts {
  readonly shape: "settings";
  /** What a file needs beside the hooks. */
  readonly root: JsonRecord;
  readonly entry: (line: Registration) => JsonRecord;
}

/** A file of code that is ours alone. */
interface ModuleFormat extends InstallFacts {
  readonly shape: "module";
  readonly module: (lines: readonly Registration[]) => string;
}

interface InstallFacts extends AgentFiles {
  /** Other files that belong to it, whole. */
  readonly beside?: Readonly<Record<string, JsonRecord>>;
  /** Its lines go through the person's own login shell, in place of `sh -c`. */
  readonly isLoginShell?: true;
  /** What the person still has to do. */
  readonly stillToDo: string;
}

/** An agent that counts in seconds is given one at least. */
export const timeoutSeconds = ({ timeoutMs }: Registration): number => Math.max(1, Math.round(timeoutMs / 1000));

/** A group without a matcher: every tool, filtering is the hooks' own matter. */
const group = (handler: JsonRecord): JsonRecord => ({ hooks: [handler] });
const inSeconds = (line: Registration): JsonRecord =>
  group({ type: "command", command: line.command, timeout: timeoutSeconds(line) });
const inMilliseconds = (line: Registration): JsonRecord =>
  group({ name: `hookctl-${line.event}`, type: "command", command: line.command, timeout: line.timeoutMs });

export const INSTALL_FORMATS: Readonly<Record<AgentName, InstallFormat>> = {
  claude: {
    ...AGENT_FILES.claude,
    shape: "settings",
    root: {},
    entry: inSeconds,
    stillToDo: "Claude Code reads it when a session begins; with -p it runs project hooks without asking.",
  },
  codex: {
    ...AGENT_FILES.codex,
    shape: "settings",
    root: {},
    entry: inSeconds,
    isLoginShell: true,
    stillToDo:
      "Codex skips new hooks in silence: open /hooks in Codex and trust them. A project has to be trusted too.",
  },
  gemini: {
    ...AGENT_FILES.gemini,
    shape: "settings",
    root: {},
    entry: inMilliseconds,
    stillToDo: "Gemini CLI runs hooks only in a folder that you have trusted.",
  },
  copilot: {
    ...AGENT_FILES.copilot,
    shape: "settings",
    root: { version: 1 },
    entry: (line) => ({ type: "command", command: line.command, timeoutSec: timeoutSeconds(line) }),
    stillToDo: "Copilot skips a project's hooks in silence until you have trusted the folder.",
  },
  cursor: {
    ...AGENT_FILES.cursor,
    shape: "settings",
    root: { version: 1 },
    entry: (line) => ({
      command: line.command,
      timeout: timeoutSeconds(line),
      failClosed: line.failClosed ? true : undefined,
    }),
    stillToDo: "Cursor runs project hooks only in a trusted workspace.",
  },
  qwen: {
    ...AGENT_FILES.qwen,
    shape: "settings",
    root: {},
    entry: inSeconds,
    stillToDo: "Qwen Code runs a project's hooks without asking.",
  },
  droid: {
    ...AGENT_FILES.droid,
    shape: "settings",
    root: {},
    entry: inSeconds,
    stillToDo: "Factory Droid reads it when a session begins, without asking.",
  },
  goose: {
    ...AGENT_FILES.goose,
    shape: "settings",
    root: {},
    entry: (line) => ({ ...inSeconds(line), on_failure: line.failClosed ? "block" : undefined }),
    beside: { "../plugin.json": { name: "hookctl", version: "1.0.0", description: "Asks hookctl's hooks." } },
    stillToDo: "goose reads it when a session begins.",
  },
  opencode: {
    ...AGENT_FILES.opencode,
    shape: "module",
    module: opencodeModule,
    stillToDo: "opencode loads it when it starts, without asking.",
  },
  pi: {
    ...AGENT_FILES.pi,
    shape: "module",
    module: piModule,
    stillToDo:
      "pi 0.79 and later load a project's extension only after you trusted the folder (/trust), or with --approve. Yours, with --scope user, they load without asking.",
  },
};
