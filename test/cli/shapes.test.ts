import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

test("run --json prints the full record in place of the result", async () => {
  await using place = await workspace();
  await place.hook("1-change", printResponse({ input: { command: "ls -a" } }));
  await place.hook("2-crash", "echo oops >&2; exit 3");
  await place.hook("3-signal", "kill -KILL $$");
  await place.hook("4-guard", printResponse({ blocked: true, reason: "no" }));
  await place.hook("5-late", printResponse({}));
  const result = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({ stderr: "", code: 2, signal: null });
  expect(result.stdout).toMatch(/^\{.*\}\n$/);
  const output = parseRunJson(result);
  expect(Object.keys(output)).toEqual([
    ...["schema", "run_id", "event", "decision", "reason", "decided_by", "result"],
    ...["hooks", "warnings", "duration_ms"],
  ]);
  const asked = { duration_ms: expect.any(Number), stderr: "", sandbox: null, signal: null };
  expect(output).toEqual({
    schema: "hookctl.run/1",
    run_id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
    event: "before_tool_call",
    decision: "block",
    reason: "no",
    decided_by: "4-guard",
    result: { blocked: true, reason: "no", warnings: output.warnings },
    hooks: [
      expect.objectContaining({ ...asked, name: "1-change", outcome: "modify", exit_code: 0 }),
      expect.objectContaining({
        ...asked,
        name: "2-crash",
        outcome: "failed",
        failure: { code: "HOOK_EXITED", message: "2-crash failed: exit 3, oops", hint: expect.any(String) },
        exit_code: 3,
        stderr: "oops\n",
      }),
      expect.objectContaining({
        ...asked,
        name: "3-signal",
        outcome: "failed",
        failure: expect.objectContaining({ code: "HOOK_SIGNALLED" }),
        exit_code: null,
        signal: "SIGKILL",
      }),
      expect.objectContaining({ ...asked, name: "4-guard", outcome: "block", exit_code: 0 }),
      expect.objectContaining({ ...asked, name: "5-late", outcome: "skipped", exit_code: null }),
    ],
    warnings: [expect.stringContaining("2-crash failed"), expect.stringContaining("3-signal was killed by SIGKILL")],
    duration_ms: expect.any(Number),
  });
});

test("list --json prints every hook with all that is known of it", async () => {
  await using place = await workspace();
  const says = '{"event":["PreToolUse","turn_end"],"priority":5,"timeout":"2s","match":{"tool_name":"bash"}}';
  const path = await place.hook("guard", ":", { says });
  const note = await place.write("home/.kodelet/hooks/notes.md", "notes");
  const result = await runMain(place, ["list", "--json"]);
  expect(result).toMatchObject({ stderr: "", code: 0, signal: null });
  expect(JSON.parse(result.stdout)).toEqual({
    schema: "hookctl.list/1",
    hooks: [
      {
        name: "guard",
        path,
        source: "user",
        kind: "executable",
        events: ["before_tool_call", "turn_end"],
        claims: [],
        priority: 5,
        fail_open: true,
        foreign_names: [],
        unmatched_agents: [],
        observe: false,
        timeout_ms: 2_000,
        dialect: "basecoat",
        dialects: { before_tool_call: "basecoat", turn_end: "kodelet" },
        match: { tool_name: "bash" },
        trust: "trusted",
        shadows: null,
        sandbox: null,
        enabled: true,
        narrowed: false,
      },
    ],
    skipped: [{ name: "notes.md", path: note, reason: "not_executable", detail: "no execute bit" }],
    searched: [`${place.project}/.kodelet/hooks`, `${place.home}/.kodelet/hooks`],
    warnings: [],
  });
});

test("list shows every hook in run order by event", async () => {
  await using place = await workspace();
  await place.hook("b", ":", { says: '{"event":["before_tool_call","turn_end"],"fail_open":false,"timeout":"3s"}' });
  await place.hook("a", ":", { says: '{"event":"before_tool_call","priority":200,"observe":true}' });
  const result = await runMain(place, ["list"]);
  const stdout = [
    "turn_end",
    "  1  b                user     ✔ needs no approval   prio 100   on error: block   timeout 3 s",
    "before_tool_call",
    "  1  b                user     ✔ needs no approval   prio 100   on error: block   timeout 3 s",
    "  2  a                user     ✔ needs no approval   prio 200   observes",
    "",
    "2 hooks in 2 events, no problems. Searched .kodelet/hooks and ~/.kodelet/hooks.",
    "",
  ];
  expect({ ...result, stdout: result.stdout.split("\n") }).toEqual({ stdout, stderr: "", code: 0, signal: null });
});

test("list without hooks says where it looked", async () => {
  await using place = await workspace();
  const stdout = "\nNo hooks found. Searched .kodelet/hooks and ~/.kodelet/hooks. To set it up: hookctl init\n";
  expect(await runMain(place, ["list"])).toEqual({ stdout, stderr: "", code: 0, signal: null });
});

test("list --event and --source show only these", async () => {
  await using place = await workspace();
  await place.hook("ender", ":", { says: "turn_end" });
  await place.hook("guard", ":");
  await place.hook("brought", ":", { scope: "project", says: "turn_end" });
  const names = async (...args: string[]) => {
    const result = await runMain(place, ["list", "--json", "--trust", ...args]);
    expect(result).toMatchObject({ stderr: "", code: 0, signal: null });
    return parseListJson(result).hooks.map(({ name }) => name);
  };
  expect(await names("--event", "turn_end")).toEqual(["brought", "ender"]);
  expect(await names("--event", "PreToolUse")).toEqual(["guard"]);
  expect(await names("--source", "user")).toEqual(["ender", "guard"]);
  expect(await names("--source=project", "--event=turn_end")).toEqual(["brought"]);
});

test("colour is for terminals, or where it is asked for", async () => {
  await using place = await workspace();
  await place.hook("guard", ":");
  const isColoured = async (args: readonly string[], env: Record<string, string> = {}) =>
    (await runMain(place, ["list", ...args], { env })).stdout.includes("\u001b[");
  expect(await isColoured([])).toBe(false);
  expect(await isColoured(["--color", "always"])).toBe(true);
  expect(await isColoured([], { FORCE_COLOR: "1" })).toBe(true);
  expect(await isColoured(["--color", "never"], { FORCE_COLOR: "1" })).toBe(false);
});
