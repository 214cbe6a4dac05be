import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

test("payload AGENT:EVENT prints what the agent sent, with values by portable names", async () => {
  await using place = await workspace();
  const { stdout, stderr, code } = await runInProcess(place, "payload gemini:BeforeTool tool_input.command=ls");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const payload = { hook_event_name: "BeforeTool", cwd: "DIR/project", tool_name: "run_shell_command" };
  expect(JSON.parse(stdout)).toMatchObject({ ...payload, tool_input: { command: "ls" } });
});

test("payload says which samples are from documentation", async () => {
  await using place = await workspace();
  const { stdout, stderr, code } = await runInProcess(place, "payload cursor:preToolUse");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "• Written from Cursor's documentation, not captured\n" });
  expect(JSON.parse(stdout)).toMatchObject({ tool_name: "Shell" });
});

test.each([
  ["payload gemini:BeforeTol", 'Unknown event "gemini:BeforeTol". Did you mean gemini:BeforeTool?'],
  ["payload gemini:BeforeTool nothing", '"nothing" is not PATH=VALUE.'],
  ["payload gemini:BeforeTool foo=1", "Gemini CLI sends no foo with BeforeTool."],
])("%s is wrong", async (call, message) => {
  await using place = await workspace();
  const { stdout, stderr, code } = await runInProcess(place, call);
  expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
  expect(stderr).toContain(message);
});

const GEMINI_ONLY = '{"event":"before_tool_call","match":{"tool_name":"run_shell_command"}}';

test("list names the connected agents whose tools a match never fits, and foreign names", async () => {
  await using place = await workspace();
  await place.hook("no-push", 'case "$(cat)" in *x*) [ "$tool" = "Bash" ] ;; esac', { says: GEMINI_ONLY });
  const alone = await runInProcess(place, "list");
  expect(alone.stdout).not.toContain("never matches");
  await runInProcess(place, "install claude");
  const { stdout, stderr, code } = await runInProcess(place, "list");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("▲ no-push never matches a tool of Claude Code\n");
  const { hooks } = JSON.parse((await runInProcess(place, "list --json")).stdout);
  expect(hooks).toMatchObject([
    { name: "no-push", unmatched_agents: ["claude"], foreign_names: [{ name: "Bash", use: "bash" }] },
  ]);
});

test("check fails for a match that fits no agent, and warns of one that fits some", async () => {
  await using place = await workspace();
  await place.hook("some", "cat >/dev/null", { scope: "project", says: GEMINI_ONLY });
  const warned = await runInProcess(place, "check .");
  expect(warned.stdout).toContain("▲ some never matches a tool of Claude Code, Codex CLI");
  expect({ code: warned.code, stderr: warned.stderr }).toEqual({ code: 0, stderr: "" });
  await place.hook("none", "cat >/dev/null", {
    scope: "project",
    says: GEMINI_ONLY.replace("run_shell_command", "file_wirte"),
  });
  const failed = await runInProcess(place, "check .");
  expect({ code: failed.code, stderr: failed.stderr }).toEqual({ code: 1, stderr: "" });
  expect(failed.stdout).toContain("none never matches a tool of any agent");
});

test("doctor blocks with the user's own hooks, and says which it could not check", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
  await place.hook("other", printResponse({ blocked: true, reason: "no" }));
  await place.write(
    "home/.kodelet/tests/a.yaml",
    "hook: guard\ncases: [{ name: stops, expect: { decision: block } }]\n",
  );
  const text = '[ "$1" = run ] && echo \'{"blocked":true}\' || echo before_tool_call';
  await place.write("home/.kodelet/plugins/acme/hooks/third", `#!/bin/sh\n${text}\n`, 0o755);
  await runInProcess(place, "install claude");
  const { stdout } = await runInProcess(place, "doctor claude");
  expect(stdout).toContain("  Its pack brings none. Try it on a call: hookctl try acme/third\n");
  expect(stdout).toContain("✔ guard stops “stops” as a call of Claude Code\n");
  expect(stdout).toContain("▲ hook: other was not checked: it has no test case that expects a block\n");
  await place.hook("guard", "cat >/dev/null");
  const failed = await runInProcess(place, "doctor claude");
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain("✖ hook: guard: expected the decision block, got allow\n");
});
