import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

/** A project hook that leaves a file however it is started. It names its event in its text. */
const canary = (place: Workspace, name = "upload-logs", plugin?: string) => {
  const body = `#!/bin/sh\n${touch(join(place.dir, "canary"))}\n[ "$1" = hook ] && exec echo before_tool_call\n${printResponse({ blocked: true })}`;
  return place.hook(name, body, { scope: "project", ...(plugin === undefined ? {} : { plugin }) });
};

const refusal = "▲ upload-logs is not approved, so it was not started. Read it, then: hookctl trust upload-logs\n";

const harmless: { title: string; args: readonly string[]; stdin?: string }[] = [
  { title: "list", args: ["list"] },
  { title: "list --all", args: ["list", "--all"] },
  { title: "list --json", args: ["list", "--json"] },
  { title: "list --no-cache", args: ["list", "--no-cache"] },
  { title: "list --hooks-dir", args: ["list", "--hooks-dir", ".kodelet/hooks"] },
  { title: "run", args: ["run", "before_tool_call"], stdin: toolCall() },
  { title: "run --json", args: ["run", "before_tool_call", "--json"], stdin: toolCall() },
  { title: "run --hook", args: ["run", "before_tool_call", "--hook", "upload-logs"], stdin: toolCall() },
  { title: "run at another event", args: ["run", "session_end"], stdin: "{}" },
  { title: "run --dry-run", args: ["run", "before_tool_call", "--dry-run"] },
  { title: "run --no-hooks --trust", args: ["run", "before_tool_call", "--no-hooks", "--trust"], stdin: toolCall() },
  { title: "run --dry-run --trust", args: ["run", "before_tool_call", "--dry-run", "--trust"] },
];

test.each(harmless)("a project hook that nobody approved is not started by $title", async ({ args, stdin }) => {
  await using place = await workspace();
  await canary(place);
  await canary(place, "other", "acme@tools");
  const result = await runMain(place, args, { env: { CI: "true" }, ...(stdin === undefined ? {} : { stdin }) });
  expect(result).toMatchObject({ code: 0, signal: null, stderr: expect.any(String) });
  expect(result.stdout).not.toBe("");
  expect(await place.read("canary")).toBeNull();
});

test("a hook that is not approved is refused, loud on stderr and in the JSON", async () => {
  await using place = await workspace();
  await canary(place);
  const plain = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(plain).toMatchObject({ code: 0, signal: null, stderr: expect.stringContaining(refusal) });
  const warnings = ["upload-logs is not approved, so it was not started"];
  expect(JSON.parse(plain.stdout)).toEqual({ blocked: false, warnings });

  const full = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
  expect(full).toMatchObject({ code: 0, stderr: "" });
  expect(parseRunJson(full)).toMatchObject({
    decision: "continue",
    hooks: [{ name: "upload-logs", outcome: "refused", failure: { code: "HOOK_REFUSED_UNTRUSTED" }, exit_code: null }],
    warnings,
  });
});

test("at an event that its text does not name it is skipped without a word", async () => {
  await using place = await workspace();
  await canary(place);
  const full = await runMain(place, ["run", "session_end", "--json"], { stdin: "{}" });
  expect(full).toMatchObject({ code: 0, signal: null });
  expect(parseRunJson(full)).toMatchObject({ decision: "continue", hooks: [{ outcome: "skipped" }], warnings: [] });
});

test("list shows what a file claims, read and not run", async () => {
  await using place = await workspace();
  const path = await canary(place);
  const shown = await runMain(place, ["list"]);
  expect(shown).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(shown.stdout).toMatch(
    /^before_tool_call \(mentioned, not declared\)\n {2}- {2}upload-logs +project +✖ not approved {3}sh, 4 lines; event named in its text: before_tool_call\n/,
  );
  expect(parseListJson(await runMain(place, ["list", "--json"])).hooks).toMatchObject([
    { name: "upload-logs", path, trust: "untrusted", events: [], claims: ["before_tool_call"] },
  ]);
});

test("--trust approves for this call only, and says so in one line", async () => {
  await using place = await workspace();
  await canary(place);
  const result = await runMain(place, ["run", "before_tool_call", "--trust"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 2, signal: null, stdout: expect.stringContaining('{"blocked":true') });
  const notices = result.stderr.split("\n").filter((line) => line.includes("--trust"));
  expect(notices).toEqual(["▲ --trust: 1 project hook approved for this call only"]);
  expect(await place.read("canary")).toBe("");
  const next = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(next).toMatchObject({ code: 0, stderr: "" });
});

test("the user's project_hooks: allow approves the hooks of a project in a safe place", async () => {
  await using place = await workspace();
  await canary(place);
  await place.write("home/.kodelet/hooks.json", '{"settings":{"project_hooks":"allow"}}');
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({
    code: 2,
    signal: null,
    stderr: "",
    stdout: expect.stringContaining('"blocked":true'),
  });
});

test("on_untrusted: fail blocks where a hook was never approved", async () => {
  await using place = await workspace();
  await canary(place);
  await place.write("home/.kodelet/hooks.json", '{"settings":{"on_untrusted":"fail"}}');
  const result = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 2, signal: null, stderr: "" });
  expect(parseRunJson(result)).toMatchObject({
    decision: "block",
    decided_by: "upload-logs",
    hooks: [{ outcome: "refused" }],
  });
  expect(await place.read("canary")).toBeNull();
});
