import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const canary = (place: Workspace) =>
  place.hook("canary", `#!/bin/sh\n${touch(join(place.dir, "canary"))}\necho before_tool_call`);

const ways: { title: string; args: readonly string[]; env?: Record<string, string> }[] = [
  { title: "--no-hooks before the verb", args: ["--no-hooks", "run", "before_tool_call"] },
  { title: "--no-hooks after the verb", args: ["run", "before_tool_call", "--no-hooks"] },
  { title: "--no-hooks between", args: ["run", "--no-hooks", "before_tool_call"] },
  { title: "HOOKCTL_NO_HOOKS=1", args: ["run", "before_tool_call"], env: { HOOKCTL_NO_HOOKS: "1" } },
  { title: "HOOKCTL_NO_HOOKS=true", args: ["run", "PreToolUse"], env: { HOOKCTL_NO_HOOKS: "true" } },
];

test.each(ways)("$title: nothing is started, the answer is no action, exit 0", async ({ args, env }) => {
  await using place = await workspace();
  await canary(place);
  const options = env === undefined ? { stdin: toolCall() } : { stdin: toolCall(), env };
  // A variable may have been set by somebody else, so it is told; the option stands in the command line.
  const result = env === undefined ? [] : ["no hooks were run: HOOKCTL_NO_HOOKS is set"];
  const [stdout, stderr] =
    env === undefined
      ? ['{"blocked":false}\n', ""]
      : [`{"blocked":false,"warnings":${JSON.stringify(result)}}\n`, `▲ ${result}\n`];
  expect(await runMain(place, args, options)).toEqual({ stdout, stderr, code: 0, signal: null });
  const json = await runMain(place, [...args, "--json"], options);
  expect(json).toMatchObject({ stderr, code: 0 });
  expect(parseRunJson(json).warnings).toEqual(result);
  expect(await place.read("canary")).toBeNull();
  expect(await place.read("home/.local/state/hookctl/audit.jsonl")).toBeNull();
});

test("--no-hooks reads the whole payload, so that its writer is not cut off", async () => {
  await using place = await workspace();
  const stdin = toolCall("x".repeat(4 * 1024 * 1024));
  const result = await runMain(place, ["run", "before_tool_call", "--no-hooks"], { stdin });
  expect(result).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0, signal: null });
});

test("--no-hooks needs no payload", async () => {
  await using place = await workspace();
  const result = await runMain(place, ["run", "session_end", "--no-hooks"]);
  expect(result).toEqual({ stdout: "{}\n", stderr: "", code: 0, signal: null });
});

test("HOOKCTL_NO_HOOKS=0 switches nothing off", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
  const result = await runMain(place, ["run", "before_tool_call", "-q"], {
    stdin: toolCall(),
    env: { HOOKCTL_NO_HOOKS: "0" },
  });
  expect(result).toEqual({ stdout: '{"blocked":true,"reason":"no"}\n', stderr: "", code: 2, signal: null });
});

test("list --no-hooks starts nothing either", async () => {
  await using place = await workspace();
  await canary(place);
  expect(await runMain(place, ["list", "--no-hooks"])).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(await place.read("canary")).toBeNull();
});

test("run --dry-run tells the plan, starts nothing and needs no payload", async () => {
  await using place = await workspace();
  await canary(place);
  await place.hook("2-off", ":");
  await place.hook("3-project", ":", { scope: "project" });
  await place.write("home/.kodelet/hooks.json", '{"overrides":{"2-off":{"enabled":false}}}');
  const result = await runMain(place, ["run", "before_tool_call", "--dry-run"]);
  expect(result).toMatchObject({ code: 0, signal: null });
  expect(result.stderr).toMatch(/^before_tool_call\n.*Nothing was started\.\n$/s);
  const { plan } = JSON.parse(result.stdout) as { plan: { name: string; would_start: boolean }[] };
  expect(Object.fromEntries(plan.map((step) => [step.name, step.would_start]))).toMatchObject({ "3-project": false });
  expect(await place.read("canary")).toBeNull();
  expect(await place.read("home/.local/state/hookctl/audit.jsonl")).toBeNull();
});

test("run --dry-run without hooks is an empty plan", async () => {
  await using place = await workspace();
  const stderr = "No hooks for before_tool_call: nothing would run.\n";
  const result = await runMain(place, ["run", "before_tool_call", "--dry-run"]);
  expect(result).toEqual({ stdout: '{"plan":[]}\n', stderr, code: 0, signal: null });
});

test("--json without hooks is a whole record", async () => {
  await using place = await workspace();
  const result = await runMain(place, ["run", "before_tool_call", "--json"], { stdin: toolCall() });
  expect(result).toMatchObject({ stderr: "", code: 0, signal: null });
  expect(parseRunJson(result)).toMatchObject({
    decision: "continue",
    decided_by: null,
    hooks: [],
    result: { blocked: false },
  });
});
