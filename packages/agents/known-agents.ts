import type { AgentName } from "../../src/protocol/agent-names.ts";
import { tableOf } from "../../src/protocol/json/table.ts";
import type { KnownAgent } from "./agent.ts";
import claude from "./claude/agent.json" with { type: "json" };
import codex from "./codex/agent.json" with { type: "json" };
import copilot from "./copilot/agent.json" with { type: "json" };
import cursor from "./cursor/agent.json" with { type: "json" };
import droid from "./droid/agent.json" with { type: "json" };
import gemini from "./gemini/agent.json" with { type: "json" };
import goose from "./goose/agent.json" with { type: "json" };
import opencode from "./opencode/agent.json" with { type: "json" };
import pi from "./pi/agent.json" with { type: "json" };
import qwen from "./qwen/agent.json" with { type: "json" };

const FACTS = { claude, codex, gemini, copilot, cursor, qwen, droid, goose, opencode, pi } satisfies Record<
  AgentName,
  unknown
>;

/**
 * How each agent is recognized on a machine: by its processes, its folders and its settings files. Separate from its protocol, so that
 * finding the caller does not load the payloads of all agents.
 */
export const KNOWN_AGENTS = tableOf<Readonly<Record<AgentName, KnownAgent>>>(FACTS);
