import { describe, expect, test } from "vitest";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import type { Match } from "../../../../src/protocol/hook.ts";
import { membersOf, spanOfRaw } from "../../../../src/protocol/json/read.ts";
import { matches } from "../../../../src/protocol/match.ts";
import { portableCall } from "../../../../src/protocol/tools/translate.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";
import { adoptHooks } from "../../install/adopt/adopt-hooks.ts";

const settingsOf = (handler: object, matcher?: string): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", ...handler }] }] } });
const takenFrom = (handler: object) => adoptHooks(settingsOf(handler), AGENTS.droid, []).adopted[0];

test("a hook that names its files by the agent's own variable runs, and its approval covers them", async () => {
  await using place = await workspace();
  const command = '"$FACTORY_PROJECT_DIR"/.factory/guard.sh';
  await place.write("project/.factory/settings.json", settingsOf({ command }));
  await place.write("project/.factory/guard.sh", "#!/bin/sh\necho no >&2; exit 2\n", 0o755);
  expect(await runInProcess(place, "adopt droid")).toMatchObject({ stderr: "", code: 0 });
  const call = { stdin: JSON.stringify({ ...NATIVE.claude.PreToolUse, hook_event_name: "PreToolUse" }) };
  const denied = await runInProcess(place, "bridge droid --event PreToolUse", call);
  expect(denied.stdout).toContain("no (droid-PreToolUse-1,");
  await place.write("project/.factory/guard.sh", "#!/bin/sh\n", 0o755);
  const changed = await runInProcess(place, "bridge droid --event PreToolUse", call);
  expect(changed.stdout).toContain('"permissionDecision":"deny"');
});

test("what a hook reads and is not given is named, unless the user allows it", async () => {
  await using place = await workspace();
  const command = `x=1; curl -s "$POLICY_URL/\${TEAM:-all}" "$HOME" "$x" "$PWD" "$CLAUDE_PROJECT_DIR" \\$literal`;
  await place.write("project/.claude/settings.json", settingsOf({ command }));
  const words = "claude-PreToolUse-1 reads $POLICY_URL, $TEAM, which project hooks do not get.\n";
  const result = await runInProcess(place, "adopt claude --dry-run");
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain(
    `▲ ${words}  To pass them on, add to your settings file: "env_allow": ["POLICY_URL","TEAM"]\n`,
  );
  const json = JSON.parse((await runInProcess(place, "adopt claude --dry-run --json")).stdout);
  expect(json).toMatchObject({
    adopted: [{ name: "claude-PreToolUse-1", on: "claude:PreToolUse", command }],
    missing_variables: { "claude-PreToolUse-1": ["POLICY_URL", "TEAM"] },
  });
  await place.write("home/.kodelet/hooks.json", '{"settings":{"env_allow":["POLICY_URL","TEAM"]}}');
  expect((await runInProcess(place, "adopt claude --dry-run")).stdout).not.toContain("do not get");
});

test("the user's own hooks see everything, so nothing is named", async () => {
  await using place = await workspace();
  await place.write("home/.claude/settings.json", settingsOf({ command: "$MINE" }));
  const result = await runInProcess(place, "adopt claude --scope user --dry-run");
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain("1 hook. Nothing was written");
  expect(result.stdout).not.toContain("do not get");
});

describe("the limit of the original is carried over", () => {
  test.each([
    [undefined, "60s"],
    [5, "5s"],
    [1.5, "1500ms"],
    [600, "600s"],
    [0, "60s"],
    [1e9, "86400s"],
  ])("%s becomes %s", (timeout, limit) => {
    expect(takenFrom({ command: "x", timeout })?.entry.timeout).toBe(limit);
  });
});

test.each([
  [{ command: "x", if: "Bash(git:*)" }, 'PreToolUse: "if" has no equivalent in hookctl\'s settings'],
  [{ command: "x", args: ["y"] }, 'PreToolUse: "args" has no equivalent in hookctl\'s settings'],
  [{ type: "prompt", prompt: "x" }, "PreToolUse: only command hooks can be"],
  [{ command: "x", async: true }, "PreToolUse: it is asynchronous"],
])("%j stays where it is", (handler, why) => {
  const text = settingsOf(handler);
  expect(adoptHooks(text, AGENTS.claude, [])).toMatchObject({ adopted: [], kept: [why], left: text });
});

test.each(["_comment", "comment", "$comment", "//"])("a handler with a remark in %s is taken over", (key) => {
  expect(adoptHooks(settingsOf({ command: "x", [key]: "why" }), AGENTS.claude, [])).toMatchObject({ kept: [] });
  expect(takenFrom({ command: "x", [key]: "why" })?.entry).toEqual(takenFrom({ command: "x" })?.entry);
});

test("a hook in one group with our own line stays, and is named", () => {
  const ours = { type: "command", command: "hookctl bridge claude --event Stop --deadline 1s" };
  const text = JSON.stringify({
    hooks: { Stop: [{ hooks: [ours, { type: "command", command: "x" }] }, { hooks: [ours] }] },
  });
  const kept = ["Stop: it is in the same group as hookctl's registration"];
  expect(adoptHooks(text, AGENTS.claude, [])).toMatchObject({ adopted: [], kept, left: text });
});

test("a name that another entry has is not given again", () => {
  const { adopted } = adoptHooks(settingsOf({ command: "x" }), AGENTS.claude, ["claude-PreToolUse-1"]);
  expect(adopted.map(({ name }) => name)).toEqual(["claude-PreToolUse-2"]);
});

describe("a matcher on a tool means the same tool in each agent", () => {
  const toolsFor = (agent: "claude" | "droid", matcher: string) =>
    adoptHooks(settingsOf({ command: "x" }, matcher), AGENTS[agent], []).adopted[0]?.entry.match;

  test.each([
    ["claude", "Write", ["Write"], ["Write", "create", "Create", "write_file", "write"]],
    ["claude", "Bash", ["Bash"], ["Bash", "bash", "Execute", "run_shell_command", "Shell", "developer__shell"]],
    ["droid", "Execute", ["bash"], ["Execute", "Bash", "bash", "run_shell_command", "Shell"]],
    ["droid", "Create", ["file_write"], ["Create", "create", "write_file", "Write"]],
    ["droid", "Execute|Create", ["bash", "file_write"], ["Execute", "Create", "Bash", "Write"]],
  ] as const)("%s: %s", (agent, matcher, wanted, tools) => {
    const match = { tool_name: [...wanted] };
    expect(toolsFor(agent, matcher)).toEqual(match);
    expect(tools.filter((name) => !AGENT_NAMES.some((one) => runsFor(match, one, name)))).toEqual([]);
  });

  /** True if an agent has a tool of this name, and the `match` fits its calls. */
  const runsFor = (match: Match, agent: AgentName, name: string): boolean => {
    const { tools } = AGENTS[agent];
    if (!Object.hasOwn(tools.table, name)) return false;
    const { tool, names } = portableCall(tools, { name, input: { kind: "object", raw: "{}" }, mcp: null });
    return matches(match, membersOf(spanOfRaw(JSON.stringify({ tool_name: tool, tool_names: names }))));
  };

  test("and no other tool of its own agent", () => {
    expect(toolsFor("claude", "Edit")).toMatchObject({ tool_name: expect.not.arrayContaining(["MultiEdit", "Write"]) });
    expect(toolsFor("claude", "Unheard")).toEqual({ tool_name: ["Unheard"] });
  });
});

test.each([
  ["alone", null],
  ["beside hooks.json", settingsOf({ command: "y" })],
])("hooks in Codex's config.toml, %s, stay and are named", async (_, json) => {
  await using place = await workspace();
  const toml = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n';
  await place.write("project/.codex/config.toml", toml);
  if (json !== null) await place.write("project/.codex/hooks.json", json);
  const result = await runInProcess(place, "adopt codex");
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain(
    "▲ not migrated: Stop: it is in .codex/config.toml; adopt moves hooks of JSON files only\n",
  );
  expect(result.stdout.includes("codex-PreToolUse-1")).toBe(json !== null);
  expect(await place.read("project/.codex/config.toml")).toBe(toml);
});
