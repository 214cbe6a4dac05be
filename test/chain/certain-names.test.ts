import { describe, expect, test } from "vitest";
import { aHook, aPayload, result } from "./builders.ts";

/** A tool of a plugin that is called like the built-in one, and a built-in tool of another agent. */
const PLUGIN = { tool_name: "custom_tool_bash", tool_names: ["custom_tool_bash", "bash"] };
const BUILT_IN = { tool_name: "bash", tool_names: ["bash", "run_shell_command", "Bash"] };
const guard = aHook("guard", { match: { tool_name: ["Bash", "bash"] } });

const decided = async (tool: Readonly<Record<string, unknown>>, response: string) => {
  const { verdict } = await result(aPayload("before_tool_call", tool), [[guard, response]]);
  const { decision, isAllowed, change } = verdict;
  return { decision, isAllowed, change };
};

describe("a hook for a built-in tool, asked about a tool that has only its name", () => {
  test.each([
    ["blocks it", '{"blocked":true}', { decision: "block" }],
    ["asks about it", '{"decision":"ask"}', { decision: "ask" }],
    ["does not allow it", '{"decision":"allow"}', { decision: "continue", isAllowed: false }],
    ["does not change it: the call is blocked", '{"input":{"command":"ls"}}', { decision: "block", change: null }],
  ])("%s", async (_title, response, expected) => {
    expect(await decided(PLUGIN, response)).toMatchObject(expected);
  });
});

test("the built-in tool of any agent is allowed and changed", async () => {
  expect(await decided(BUILT_IN, '{"decision":"allow"}')).toMatchObject({ decision: "continue", isAllowed: true });
  expect(await decided(BUILT_IN, '{"input":{"command":"ls"}}')).toMatchObject({ change: '{"command":"ls"}' });
});
