import { expect, test } from "vitest";
import { AGENTS } from "../../src/agents/agents.ts";
import { loadAgent } from "../../src/agents/load-agent.ts";
import { AGENT_NAMES } from "../../src/protocol/agent-names.ts";

test.each(AGENT_NAMES)("%s is loaded under its own name", async (name) => {
  expect(await loadAgent(name)).toBe(AGENTS[name]);
  expect(AGENTS[name].name).toBe(name);
});
