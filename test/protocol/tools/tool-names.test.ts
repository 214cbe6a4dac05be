import { expect, test } from "vitest";
import { AGENTS } from "../../../packages/agents/agents.ts";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { type JsonSpan, spanOfRaw } from "../../../src/protocol/json/read.ts";
import { matches, type ToolNames } from "../../../src/protocol/match.ts";
import { addToolFacts } from "../../../src/protocol/tools/tool-facts.ts";
import { portableCall } from "../../../src/protocol/tools/translate.ts";
import { namesOfPortable, PORTABLE_TOOLS, portableToolNamed } from "../../../src/protocol/tools/vocabulary.ts";

/** The members of a payload that decide which tool it is, as a bridge makes them. */
function toolOf(agent: AgentName, name: string): Map<string, JsonSpan> {
  const call = portableCall(AGENTS[agent].tools, { name, input: spanOfRaw("{}"), mcp: null });
  const facts = { tool_name: call.tool, tool_kind: call.kind, tool_names: call.names };
  return new Map(Object.entries(facts).map(([key, value]) => [key, spanOfRaw(JSON.stringify(value))]));
}

const fits = (agent: AgentName, tool: string, wanted: string | readonly string[], names: ToolNames = "all") =>
  matches({ tool_name: wanted }, toolOf(agent, tool), undefined, names);

test.each<readonly [agent: AgentName, tool: string, wanted: string | readonly string[], isMet: boolean]>([
  ["gemini", "run_shell_command", "bash", true],
  ["gemini", "run_shell_command", "Bash", true],
  ["gemini", "run_shell_command", "run_shell_command", true],
  ["gemini", "run_shell_command", "Execute", false],
  ["gemini", "run_shell_command", "run_*", true],
  ["codex", "apply_patch", ["Edit", "Write"], true],
  ["claude", "mcp__shop__run", "mcp__shop_run", true],
  ["claude", "mcp__shop__run", "mcp__shop__*", true],
  ["copilot", "shop-run", "mcp__shop__run", true],
  ["droid", "shop___run", "mcp__shop_run", true],
  ["opencode", "shop_run", "mcp__shop_run", true],
  ["cursor", "MCP:run", "mcp__*", true],
  ["droid", "Execute", "!bash", false],
  ["droid", "Execute", "!Execute", false],
  ["droid", "Read", "!bash", true],
  ["droid", "Read", ["file_*", "!file_read"], false],
  ["droid", "Create", ["file_*", "!file_read"], true],
])("%s %s, and a match on %j: %s", (agent, tool, wanted, isMet) => {
  expect(fits(agent, tool, wanted)).toBe(isMet);
});

test.each<readonly [agent: AgentName, tool: string]>([
  ["claude", "bash"],
  ["codex", "Edit"],
  ["gemini", "bash"],
  ["opencode", "web_fetch"],
  ["pi", "Bash"],
])("%s: a provided tool called %s is blocked like its namesake, and exempt from nothing", (agent, tool) => {
  const named = portableToolNamed(tool) ?? "";
  expect(fits(agent, tool, tool)).toBe(true);
  for (const name of namesOfPortable(named)) {
    expect(fits(agent, tool, name, "certain")).toBe(false);
    expect(fits(agent, tool, `!${name}`)).toBe(true);
  }
});

test("no tool outside the tables of an agent has a portable tool's name", () => {
  const names = Object.keys(PORTABLE_TOOLS).flatMap(namesOfPortable);
  for (const agent of AGENT_NAMES) {
    for (const name of names) {
      const { table, borrowed } = AGENTS[agent].tools;
      if ([table, borrowed?.() ?? {}].some((one) => Object.hasOwn(one, name))) continue;
      const call = portableCall(AGENTS[agent].tools, { name, input: spanOfRaw("{}"), mcp: null });
      expect(portableToolNamed(call.tool), `${agent} ${name}`).toBeNull();
    }
  }
});

test.each([
  [{ tool_name: "bash" }, { tool_kind: "shell", tool_names: ["bash", "Bash"] }],
  [{ tool_name: "Bash" }, { tool_kind: "shell", tool_names: ["Bash", "bash"] }],
  [{ tool_name: "mcp__a_b" }, { tool_kind: "mcp", tool_names: ["mcp__a_b"] }],
  [
    { tool_name: "own", tool_kind: "web" },
    { tool_kind: "web", tool_names: ["own"] },
  ],
  [
    { tool_name: "web", tool_kind: "shell", tool_names: ["bash"] },
    { tool_kind: "other", tool_names: ["web"] },
  ],
])("what a caller sends as %j becomes %j", (sent, facts) => {
  const members = new Map(Object.entries(sent).map(([key, value]) => [key, spanOfRaw(JSON.stringify(value))]));
  addToolFacts(members);
  const found = Object.fromEntries([...members].map(([key, { raw }]) => [key, JSON.parse(raw)]));
  expect(found).toEqual({ tool_name: sent.tool_name, ...facts });
});
