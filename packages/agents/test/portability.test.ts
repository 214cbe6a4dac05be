import { describe, expect, test } from "vitest";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { knownTools, type MatchingHook, unmatchedAgents } from "../match-coverage.ts";
import { foreignNames } from "../portability.ts";

const hookWith = (match: MatchingHook["match"], more: Partial<MatchingHook> = {}): MatchingHook => ({
  ...{ match, events: ["before_tool_call"], dialect: "kodelet", ...more },
});
const all = await knownTools(AGENT_NAMES);

describe("agents whose tools a match never fits", () => {
  test.each<[MatchingHook["match"], readonly string[]]>([
    [null, []],
    [{ tool_name: "bash" }, []],
    [{ tool_name: "Bash" }, []],
    [{ tool_name: ["file_write", "file_edit", "apply_patch"] }, []],
    [{ tool_name: "Write" }, []],
    [{ tool_kind: "shell" }, []],
    [{ tool_name: "run_shell_command" }, ["claude", "codex", "copilot", "cursor", "droid", "goose", "opencode", "pi"]],
    [{ tool_name: "mcp__*" }, []],
    [{ tool_name: "mcp__github__*" }, []],
    [{ tool_name: "!bash" }, []],
    [{ tool_name: "file_wirte" }, [...AGENT_NAMES]],
    [{ tool_name: "bash", "tool_input.command": "git push*" }, []],
    [{ tool_name: "web_search", "tool_input.file_path": "*" }, [...AGENT_NAMES]],
    [{ tool_name: "view_image" }, AGENT_NAMES.filter((name) => name !== "codex")],
    [{ tool_name: "run_shell_command", "agent.name": "gemini" }, []],
    [{ tool_name: "Execute", "agent.name": "gemini" }, ["gemini"]],
    [{ cwd: "/x/*" }, []],
  ])("%j", (match, expected) => {
    expect(unmatchedAgents(hookWith(match), all)).toEqual(expected);
  });

  test("a hook of other events, too, is not judged", () => {
    expect(unmatchedAgents(hookWith({ tool_name: "no" }, { events: ["before_tool_call", "agent_stop"] }), all)).toEqual(
      [],
    );
  });
});

describe("names of some agents in a hook's text", () => {
  test.each<[string, readonly string[]]>([
    ['if tool == "run_shell_command":', ["run_shell_command → bash"]],
    ["if (tool_name === 'Bash') {", ["Bash → bash"]],
    ['if tool in ("Bash", "bash"):', []],
    ['print("Read the docs")', []],
    ['label = "Read"', []],
    ['# tool_name == "Bash"', []],
    ['echo \'{"event":"before_tool_call","match":{"tool_name":"Bash"}}\' # tool ==', []],
    ["jq -r '.toolName'", ["toolName → tool_name"]],
    ['p["toolArgs"]', ["toolArgs → tool_input"]],
    ['if tool == "Execute":', ["Execute → bash"]],
    ['command == "str_replace"', ["str_replace → file_edit"]],
    ['tool == "file_write"', []],
  ])("%s", (text, expected) => {
    expect(foreignNames(hookWith(null), [text]).map(({ name, use }) => `${name} → ${use}`)).toEqual(expected);
  });

  test("a hook that gets Claude Code's names may have them", () => {
    expect(foreignNames(hookWith(null, { dialect: "claude" }), ['tool == "Bash"'])).toEqual([]);
  });
  test("toolName is part of a portable output", () => {
    expect(foreignNames(hookWith(null, { events: ["after_tool_call"] }), ['p["toolName"]'])).toEqual([]);
  });
});
