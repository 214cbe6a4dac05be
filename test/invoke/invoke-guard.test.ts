import { expect, test, vi } from "vitest";
import type { Guard } from "../../packages/guards/guard.ts";
import { filesystem } from "../../packages/guards/rules/filesystem.ts";
import { runMain } from "../support/in-process.ts";
import { spawnHookctl } from "../support/spawn-hookctl.ts";
import { testOnNode, workspace } from "../support/workspace.ts";

const PAYLOAD = JSON.stringify({ tool_name: "bash", tool_input: { command: "ls" } });

test("a guard that fails blocks, like any fail-closed hook, and the run goes on", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ guards: { filesystem: true, git: true } }));
  const broken = vi.spyOn(filesystem as Required<Guard>, "judgeCall").mockImplementation(() => {
    throw new RangeError("Maximum call stack size exceeded");
  });
  const { stdout, stderr, code } = await runMain(place, ["run", "before_tool_call"], { stdin: PAYLOAD });
  broken.mockRestore();
  expect(JSON.parse(stdout).blocked).toBe(true);
  expect(stderr).toContain("could not judge the call: RangeError: Maximum call stack size exceeded");
  expect(code).toBe(2);
});

/** 22.3 to 22.11 cannot load an ECMAScript module at once: a parser that is needed in the middle has to be waited for. */
testOnNode.each([
  { command: ["bash", "-lc", "rm -rf / # x"] },
  { command: "eval time rm -rf /" },
  { command: "bash", args: ["-c", "rm -rf / ; ls"] },
])("without require() of modules %j is judged as ever", async (input) => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ guards: { filesystem: true } }));
  const env = { ...place.env, NODE_OPTIONS: "--no-experimental-require-module" };
  const stdin = JSON.stringify({ tool_name: "bash", tool_input: input });
  const ended = await spawnHookctl({ ...place, env }, ["run", "before_tool_call"], { stdio: "pipe", stdin });
  expect(JSON.parse(ended.stdout).blocked).toBe(true);
  expect(ended.code).toBe(2);
});

test.each([
  [{ guards: { git: true } }, false],
  [
    { hooks: { before_tool_call: [{ name: "no", match: { tool_name: "none" }, block: "no" }, { command: "true" }] } },
    true,
  ],
])("with %j a session's values are read: %s", async (settings, isRead) => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", JSON.stringify(settings));
  await place.write("home/.local/state/hookctl/sessions/s1/state", "no JSON");
  const stdin = JSON.stringify({ conv_id: "s1", tool_name: "bash", tool_input: { command: "ls" } });
  const { stderr, code } = await runMain(place, ["run", "before_tool_call"], { stdin });
  expect(stderr.includes("sessions/s1")).toBe(isRead);
  expect(code).toBe(0);
});
