import { AGENT_NAMES, type AgentName } from "../../src/protocol/agent-names.ts";
import type { Agent } from "./agent.ts";
import type { AgentInstall } from "./agent-install.ts";
import { claude, claudeInstall } from "./claude/claude.ts";
import { codex, codexInstall } from "./codex/codex.ts";
import { copilot, copilotInstall } from "./copilot/copilot.ts";
import { cursor, cursorInstall } from "./cursor/cursor.ts";
import { droid, droidInstall } from "./droid/droid.ts";
import { gemini, geminiInstall } from "./gemini/gemini.ts";
import { goose, gooseInstall } from "./goose/goose.ts";
import { opencode, opencodeInstall } from "./opencode/opencode.ts";
import { pi, piInstall } from "./pi/pi.ts";
import { qwen, qwenInstall } from "./qwen/qwen.ts";

/** Every agent by its name: a name without one does not compile. */
export const AGENTS: Readonly<Record<AgentName, Agent>> = {
  claude,
  codex,
  gemini,
  copilot,
  cursor,
  qwen,
  droid,
  goose,
  opencode,
  pi,
};

/** How each agent is installed, by its name. */
export const AGENT_INSTALLS: Readonly<Record<AgentName, AgentInstall>> = {
  claude: claudeInstall,
  codex: codexInstall,
  gemini: geminiInstall,
  copilot: copilotInstall,
  cursor: cursorInstall,
  qwen: qwenInstall,
  droid: droidInstall,
  goose: gooseInstall,
  opencode: opencodeInstall,
  pi: piInstall,
};

/** The agents whose existing hooks `adopt` can take over. A function, so that the bundle of `bridge` can leave it out. */
export const adoptableAgents = (): readonly AgentName[] =>
  AGENT_NAMES.filter((name) => AGENT_INSTALLS[name].adoptableHooks !== undefined);
