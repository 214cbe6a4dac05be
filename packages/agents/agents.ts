import { AGENT_NAMES, type AgentName } from "../../src/protocol/agent-names.ts";
import type { Agent } from "./agent.ts";
import { type AgentInstall, installOf } from "./agent-install.ts";
import { claude } from "./claude/claude.ts";
import claudeInstall from "./claude/install.json" with { type: "json" };
import { codex } from "./codex/codex.ts";
import codexInstall from "./codex/install.json" with { type: "json" };
import { copilot } from "./copilot/copilot.ts";
import copilotInstall from "./copilot/install.json" with { type: "json" };
import { cursor } from "./cursor/cursor.ts";
import cursorInstall from "./cursor/install.json" with { type: "json" };
import { droid } from "./droid/droid.ts";
import droidInstall from "./droid/install.json" with { type: "json" };
import { gemini } from "./gemini/gemini.ts";
import geminiInstall from "./gemini/install.json" with { type: "json" };
import { goose } from "./goose/goose.ts";
import gooseInstall from "./goose/install.json" with { type: "json" };
import opencodeInstall from "./opencode/install.json" with { type: "json" };
import { opencode } from "./opencode/opencode.ts";
import piInstall from "./pi/install.json" with { type: "json" };
import { pi } from "./pi/pi.ts";
import qwenInstall from "./qwen/install.json" with { type: "json" };
import { qwen } from "./qwen/qwen.ts";
import { codexQuery, codexTrust, copilotTrust, geminiTrust, piTrust } from "./trust-checks.ts";

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
  claude: installOf(claudeInstall),
  codex: installOf(codexInstall, { check: codexTrust, query: codexQuery }),
  gemini: installOf(geminiInstall, { check: geminiTrust }),
  copilot: installOf(copilotInstall, { check: copilotTrust }),
  cursor: installOf(cursorInstall),
  qwen: installOf(qwenInstall),
  droid: installOf(droidInstall),
  goose: installOf(gooseInstall),
  opencode: installOf(opencodeInstall),
  pi: installOf(piInstall, { check: piTrust }),
};

/** The agents whose existing hooks `adopt` can take over. A function, so that the bundle of `bridge` can leave it out. */
export const adoptableAgents = (): readonly AgentName[] =>
  AGENT_NAMES.filter((name) => AGENT_INSTALLS[name].adoptableHooks !== undefined);
