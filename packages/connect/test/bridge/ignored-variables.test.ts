import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { printResponse, touch } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";

/** The settings of a cloned project may set variables for an agent's hooks: none of them takes a guard away. */
const VARIABLES: readonly (readonly [name: string, value: string])[] = [
  ["HOOKCTL_DEADLINE", "1ms"],
  ["HOOKCTL_DEADLINE", "garbage"],
  ["HOOKCTL_TIMEOUT", "1ms"],
  ["HOOKCTL_TIMEOUT", "garbage"],
  ["HOOKCTL_NO_HOOKS", "1"],
];

describe.each(VARIABLES)("bridge ignores %s=%s", (name, value) => {
  test.each([true, false])("with a guard, fail_open: %s", async (failOpen) => {
    await using place = await workspace();
    const says = `{"event":"before_tool_call","fail_open":${failOpen}}`;
    await place.hook("guard", `sleep 0.1; ${printResponse({ blocked: true, reason: "frozen" })}`, { says });
    const stdin = JSON.stringify(NATIVE.claude.PreToolUse);
    const result = await runInProcess(place, "bridge claude --event PreToolUse", { stdin, env: { [name]: value } });
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: expect.stringContaining("frozen") },
    });
  });
});

test.each(["1", "yes", "sha256:0"])("bridge approves nothing by HOOKCTL_TRUST=%s", async (value) => {
  await using place = await workspace();
  await place.hook("new", touch(join(place.dir, "started")), { scope: "project" });
  const stdin = JSON.stringify(NATIVE.claude.PreToolUse);
  await runInProcess(place, "bridge claude --event PreToolUse", { stdin, env: { HOOKCTL_TRUST: value } });
  expect(await place.read("started")).toBeNull();
});

test("with --fail-closed the user's settings that cannot be loaded block, also where no guard is known", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", "{");
  const stdin = JSON.stringify(NATIVE.claude.PreToolUse);
  const { stdout } = await runInProcess(place, "bridge claude --event PreToolUse --fail-closed", { stdin });
  expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
});
