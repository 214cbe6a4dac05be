import { expect, test } from "vitest";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { AGENTS } from "../agents.ts";
import { loadAgent } from "../load-agent.ts";

test.each(AGENT_NAMES)("%s is loaded under its own name", async (name) => {
  expect(await loadAgent(name)).toBe(AGENTS[name]);
  expect(AGENTS[name].name).toBe(name);
});
