import { describe, expect, test } from "vitest";
import { adoption } from "../../src/agents/adopted.ts";
import { AGENTS } from "../../src/dialects/agents/agents.ts";
import { inside } from "../support/inside.ts";
import { workspace } from "../support/workspace.ts";
import { NATIVE } from "./payloads.ts";

const settingsOf = (handler: object, matcher?: string): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", ...handler }] }] } });
const takenFrom = (handler: object) => adoption(settingsOf(handler), AGENTS.droid, []).adopted[0];

test("a hook that names its files by the agent's own variable runs, and its approval covers them", async () => {
  await using place = await workspace();
  const command = '"$FACTORY_PROJECT_DIR"/.factory/guard.sh';
  await place.write("project/.factory/hooks.json", settingsOf({ command }));
  await place.write("project/.factory/guard.sh", "#!/bin/sh\necho no >&2; exit 2\n", 0o755);
  expect(await inside(place, "adopt droid")).toMatchObject({ stderr: "", code: 0 });
  const call = { stdin: JSON.stringify({ ...NATIVE.claude.PreToolUse, hook_event_name: "PreToolUse" }) };
  const denied = await inside(place, "bridge droid --event PreToolUse", call);
  expect(denied.stdout).toContain("no (droid-PreToolUse-1,");
  await place.write("project/.factory/guard.sh", "#!/bin/sh\n", 0o755);
  const changed = await inside(place, "bridge droid --event PreToolUse", call);
  expect(changed.stdout).toContain('"permissionDecision":"deny"');
});

test("what a hook reads and is not given is named, unless the user allows it", async () => {
  await using place = await workspace();
  const command = `x=1; curl -s "$POLICY_URL/\${TEAM:-all}" "$HOME" "$x" "$PWD" "$CLAUDE_PROJECT_DIR" \\$literal`;
  await place.write("project/.claude/settings.json", settingsOf({ command }));
  const words = "claude-PreToolUse-1 reads $POLICY_URL, $TEAM, which a project's hook does not see.\n";
  const told = await inside(place, "adopt claude --dry-run");
  expect(told).toMatchObject({ stderr: "", code: 0 });
  expect(told.stdout).toContain(
    `▲ ${words}  If it needs that, say so in your own settings: "env_allow": ["POLICY_URL","TEAM"]\n`,
  );
  const json = JSON.parse((await inside(place, "adopt claude --dry-run --json")).stdout);
  expect(json).toMatchObject({
    adopted: [{ name: "claude-PreToolUse-1", on: "claude:PreToolUse", command }],
    missing_variables: { "claude-PreToolUse-1": ["POLICY_URL", "TEAM"] },
  });
  await place.write("home/.kodelet/hooks.json", '{"settings":{"env_allow":["POLICY_URL","TEAM"]}}');
  expect((await inside(place, "adopt claude --dry-run")).stdout).not.toContain("does not see");
});

test("the user's own hooks see everything, so nothing is named", async () => {
  await using place = await workspace();
  await place.write("home/.claude/settings.json", settingsOf({ command: "$MINE" }));
  const told = await inside(place, "adopt claude --scope user --dry-run");
  expect(told).toMatchObject({ stderr: "", code: 0 });
  expect(told.stdout).toContain("1 hook, nothing written");
  expect(told.stdout).not.toContain("does not see");
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
  [{ command: "x", if: "Bash(git:*)" }, 'PreToolUse: "if" cannot be said in hookctl\'s settings'],
  [{ command: "x", args: ["y"] }, 'PreToolUse: "args" cannot be said in hookctl\'s settings'],
  [{ type: "prompt", prompt: "x" }, "PreToolUse: only commands can be taken over"],
  [{ command: "x", async: true }, "PreToolUse: it does not wait for the answer"],
])("%j stays where it is", (handler, why) => {
  const text = settingsOf(handler);
  expect(adoption(text, AGENTS.claude, [])).toMatchObject({ adopted: [], kept: [why], left: text });
});

test("a hook in one group with our own line stays, and is named", () => {
  const ours = { type: "command", command: "hookctl bridge claude --event Stop --deadline 1s" };
  const text = JSON.stringify({
    hooks: { Stop: [{ hooks: [ours, { type: "command", command: "x" }] }, { hooks: [ours] }] },
  });
  const kept = ["Stop: it stands in one group with hookctl's own line"];
  expect(adoption(text, AGENTS.claude, [])).toMatchObject({ adopted: [], kept, left: text });
});

test("a name that another entry has is not given again", () => {
  const { adopted } = adoption(settingsOf({ command: "x" }), AGENTS.claude, ["claude-PreToolUse-1"]);
  expect(adopted.map(({ name }) => name)).toEqual(["claude-PreToolUse-2"]);
});
