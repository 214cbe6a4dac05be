import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { portableCall } from "../../../src/protocol/tools/translate.ts";
import { AGENTS } from "../agents.ts";

const callOf = (agent: AgentName, name: string) =>
  portableCall(AGENTS[agent].tools, { name, input: { kind: "object", raw: "{}" }, mcp: null });

/** How an agent names the tool `run` of the MCP server `s`. */
const MCP_NAME: Readonly<Record<AgentName, (server: string, tool: string) => string>> = {
  claude: (server, tool) => `mcp__${server}__${tool}`,
  codex: (server, tool) => `mcp__${server}__${tool}`,
  gemini: (server, tool) => `mcp_${server}_${tool}`,
  copilot: (server, tool) => `${server}-${tool}`,
  cursor: (_, tool) => `MCP:${tool}`,
  qwen: (server, tool) => `mcp__${server}__${tool}`,
  droid: (server, tool) => `${server}___${tool}`,
  goose: (server, tool) => `${server}__${tool}`,
  opencode: (server, tool) => `${server}_${tool}`,
  pi: (server, tool) => `mcp__${server}__${tool}`,
};

const toolsOf = (agent: AgentName) => ({ ...AGENTS[agent].tools.borrowed?.(), ...AGENTS[agent].tools.table });

describe.each(AGENT_NAMES)("%s", (agent) => {
  test("a tool of any MCP server has the kind mcp, unless the agent has a tool of that very name", () => {
    const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,12}$/);
    fc.assert(
      fc.property(word, word, (server, tool) => {
        const name = MCP_NAME[agent](server, tool);
        fc.pre(!Object.hasOwn(toolsOf(agent), name));
        expect(callOf(agent, name).kind).toBe("mcp");
      }),
    );
  });

  test("its own tools keep their kinds, and a name of one word is no MCP tool", () => {
    for (const [name, row] of Object.entries(toolsOf(agent)))
      expect([row].flat().map(({ kind }) => kind)).toContain(callOf(agent, name).kind);
    expect(callOf(agent, "unheard").kind).toBe("other");
  });
});

test.each([
  ["copilot", "s-run"],
  ["opencode", "s_run"],
  ["opencode", "my-server_run_all"],
] as const)("%s: %s, as it was seen, is an MCP tool", (agent, name) => {
  expect(callOf(agent, name).kind).toBe("mcp");
});
