import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runMain } from "../../../../test/support/in-process.ts";
import { parseRunJson } from "../../../../test/support/json-output.ts";
import { toolCall } from "../../../../test/support/payloads.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { createHooks, HookctlError } from "../../index.ts";
import { hooksIn, outcomes, TOOL } from "./place.ts";

/** Without what differs from call to call. */
const settled = (value: object): unknown =>
  JSON.parse(JSON.stringify(value), (key, item: unknown) => (["run_id", "duration_ms"].includes(key) ? 0 : item));

test("a run in process tells what run --json tells", async () => {
  await using place = await workspace();
  await place.hook("a", printResponse({ input: { command: "ls -a" }, additional_context: ["b"] }), {
    says: "PreToolUse",
  });
  await place.hook("fails", "exit 3");
  await place.hook("p", printResponse({ blocked: true }), { scope: "project" });
  await place.hook("z", printResponse({ blocked: true, reason: "no" }));
  await using hooks = hooksIn(place);
  const run = await hooks.run("before_tool_call", TOOL);
  expect(run).toMatchObject({ schema: "hookctl.run/1", decision: "block", decided_by: "z" });
  const output = parseRunJson(await runMain(place, ["run", "before_tool_call", "--json"], { stdin: toolCall() }));
  expect(settled(run)).toEqual(settled(output));
});

test("a list in process tells what list --json tells", async () => {
  await using place = await workspace();
  await place.hook("a", printResponse({}));
  await place.hook("p", printResponse({}), { scope: "project" });
  await using hooks = hooksIn(place);
  const result = await runMain(place, ["list", "--json"]);
  const listed: { readonly hooks: readonly object[] } = JSON.parse(result.stdout);
  // The settings of agents are read on the command line alone.
  const ofAgents = { foreign_names: undefined, unmatched_agents: undefined };
  expect(await hooks.list()).toEqual({ ...listed, hooks: listed.hooks.map((hook) => ({ ...hook, ...ofAgents })) });
  expect((await hooks.list({ event: "Stop" })).hooks).toEqual([]);
  expect((await hooks.list({ source: "project" })).hooks).toMatchObject([{ name: "p", trust: "untrusted" }]);
});

test("without hooks nothing is started and nothing is written", async () => {
  await using place = await workspace();
  const before = readdirSync(place.dir, { recursive: true });
  await using hooks = hooksIn(place);
  expect(await hooks.run("PreToolUse", TOOL)).toMatchObject({
    decision: "continue",
    result: { blocked: false },
    hooks: [],
  });
  expect(readdirSync(place.dir, { recursive: true })).toEqual(before);
});

test("a run is recorded as on the command line", async () => {
  await using place = await workspace();
  await place.hook("a", printResponse({}));
  await using hooks = hooksIn(place);
  const run = await hooks.run("before_tool_call", TOOL);
  expect(await place.read("home/.local/state/hookctl/audit.jsonl")).toContain(run.run_id);
});

test("secrets are taken out of what a function says", async () => {
  await using place = await workspace();
  await using hooks = hooksIn(place, { env: { ...place.env, API_TOKEN: "hunter2hunter2" } });
  hooks.register("before_tool_call", () => ({ blocked: true, reason: "saw hunter2hunter2" }), { name: "a" });
  hooks.register("before_tool_call", () => Promise.reject(new Error("hunter2hunter2")), { name: "b", observe: true });
  expect(await hooks.runText("before_tool_call", TOOL)).not.toContain("hunter2");
});

test("HOOKCTL_NO_HOOKS switches everything off, functions too", async () => {
  await using place = await workspace();
  await place.hook("a", printResponse({ blocked: true }));
  await using hooks = hooksIn(place, { env: { ...place.env, HOOKCTL_NO_HOOKS: "1" } });
  hooks.register("before_tool_call", () => ({ blocked: true }));
  expect(await hooks.run("before_tool_call", TOOL)).toMatchObject({ decision: "continue", hooks: [] });
});

test("the options of one run go before those of all", async () => {
  await using place = await workspace();
  await place.hook("a", "sleep 30");
  await place.hook("b", printResponse({ blocked: true }));
  await using hooks = hooksIn(place, { timeout: "30s", skip: ["b"] });
  const run = await hooks.run("before_tool_call", TOOL, { timeout: "100ms" });
  expect(run.hooks).toMatchObject([{ failure: { code: "HOOK_TIMED_OUT" } }, { outcome: "skipped" }]);
  expect(outcomes(await hooks.run("before_tool_call", TOOL, { only: "b", skip: [] }))).toEqual(["b block"]);
});

describe("a call that is spelt wrongly is told at once, and never taken for one without the word", () => {
  const made = { timeOut: "1s" } as object;
  const rows: { title: string; call: () => unknown; code: string; told: string }[] = [
    {
      title: "a mistyped option of createHooks",
      call: async () => createHooks({ hookDirs: ["x"] } as object),
      ...{ code: "USAGE_BAD_OPTION", told: "hookDirs: unknown option. Did you mean hooksDirs?" },
    },
    {
      title: "an option of another type",
      call: async () => createHooks({ skip: "guard" } as object),
      ...{ code: "USAGE_BAD_OPTION", told: "skip: must be of type list of strings" },
    },
    {
      title: "a mistyped option of one run",
      call: () => createHooks().run("agent_stop", { messages: [] }, made),
      ...{ code: "USAGE_BAD_OPTION", told: "timeOut: unknown option. Did you mean timeout?" },
    },
    {
      title: "a mistyped option of a list",
      call: () => createHooks().list({ evnt: "Stop" } as object),
      ...{ code: "USAGE_BAD_OPTION", told: "evnt: unknown option. Did you mean event?" },
    },
    {
      title: "what is no name of an event",
      call: () => createHooks().run(undefined as unknown as "agent_stop", { messages: [] }),
      ...{ code: "USAGE_UNKNOWN_EVENT", told: 'Unknown event "undefined".' },
    },
  ];
  test.each(rows)("$title", async ({ call, code, told }) => {
    await expect(call()).rejects.toMatchObject({ name: "HookctlError", code, message: told });
  });
});

test("project hooks run when the host says that it trusts them", async () => {
  await using place = await workspace();
  await place.hook("p", printResponse({ blocked: true }), { scope: "project" });
  await using careful = hooksIn(place);
  await using trusting = hooksIn(place, { trust: true });
  const runs = await Promise.all([careful, trusting].map((hooks) => hooks.run("before_tool_call", TOOL)));
  expect(runs.map(outcomes)).toEqual([["p refused"], ["p block"]]);
});

describe("what rejects with a HookctlError", () => {
  const rows: { title: string; env?: object; event?: string; payload?: unknown; options?: object; code: string }[] = [
    { title: "an unknown event", event: "before_tool", code: "USAGE_UNKNOWN_EVENT" },
    { title: "a payload without a required field", payload: {}, code: "PAYLOAD_FIELD_MISSING" },
    { title: "a payload that is no object", payload: [], code: "PAYLOAD_NOT_OBJECT" },
    { title: "no payload", payload: undefined, code: "PAYLOAD_NOT_JSON" },
    { title: "a payload that JSON cannot hold", payload: { tool_name: 1n }, code: "PAYLOAD_NOT_JSON" },
    { title: "text that is no JSON", payload: "{", code: "PAYLOAD_NOT_JSON" },
    { title: "a choice that fits nothing", options: { only: "gaurd" }, code: "USAGE_UNKNOWN_HOOK" },
    { title: "a limit without a unit", options: { timeout: "30" }, code: "USAGE_BAD_OPTION" },
    { title: "hooks of hooks of hooks", env: { HOOKCTL_DEPTH: "3" }, code: "RECURSION" },
  ];
  test.each(rows)("$title: $code", async ({ env, event = "before_tool_call", options, code, ...row }) => {
    await using place = await workspace();
    await place.hook("guard", printResponse({}));
    await using hooks = hooksIn(place, { env: { ...place.env, ...env } });
    const payload = "payload" in row ? row.payload : TOOL;
    const failed = hooks.run(event as "before_tool_call", payload as typeof TOOL, options);
    await expect(failed).rejects.toMatchObject({ name: "HookctlError", code, hint: expect.stringMatching(/./) });
    await expect(failed).rejects.toBeInstanceOf(HookctlError);
  });
});

test("settings that cannot be used reject, but a block of the user's hooks counts", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", "{oops");
  await using hooks = hooksIn(place);
  await expect(hooks.run("before_tool_call", TOOL)).rejects.toMatchObject({ code: "CONFIG_NOT_PARSED" });
  await expect(hooks.list()).rejects.toMatchObject({ code: "CONFIG_NOT_PARSED" });
  await place.hook("guard", printResponse({ blocked: true }));
  expect(await hooks.run("before_tool_call", TOOL)).toMatchObject({ decision: "block", decided_by: "guard" });
});

test("two of them at once share no function and no end", async () => {
  await using place = await workspace();
  await place.hook("a", "sleep 0.2");
  const one = hooksIn(place);
  await using two = hooksIn(place);
  one.register("before_tool_call", () => ({ blocked: true }), { name: "only-one" });
  const runs = [one.run("before_tool_call", TOOL), two.run("before_tool_call", TOOL)] as const;
  const cut = expect(runs[0]).rejects.toMatchObject({ code: "USAGE_CLOSED" });
  await one.close();
  await cut;
  expect(outcomes(await runs[1])).toEqual(["a continue"]);
});

test("runs of one at once do not mix", async () => {
  await using place = await workspace();
  await place.hook("echo", `printf '{"additional_context":["%s"]}' "$HOOKCTL_SESSION"`);
  await using hooks = hooksIn(place);
  const names = ["a", "b", "c", "d"];
  const runs = await Promise.all(names.map((conv_id) => hooks.run("before_tool_call", { ...TOOL, conv_id })));
  expect(runs.map(({ result }) => result.additional_context)).toEqual(names.map((name) => [name]));
});

describe("close", () => {
  test("ends a running hook, and later calls fail clearly", async () => {
    await using place = await workspace();
    await place.hook("slow", "sleep 3000");
    const hooks = hooksIn(place);
    let isAtWork = (): void => undefined;
    const atWork = new Promise<void>((settle) => {
      isAtWork = settle;
    });
    hooks.register("before_tool_call", () => void isAtWork(), { name: "first", priority: 1 });
    const cut = expect(hooks.run("before_tool_call", TOOL)).rejects.toMatchObject({ code: "USAGE_CLOSED" });
    await atWork;
    await hooks.close();
    await cut;
    await expect(hooks.run("before_tool_call", TOOL)).rejects.toMatchObject({ code: "USAGE_CLOSED" });
    await expect(hooks.list()).rejects.toMatchObject({ code: "USAGE_CLOSED" });
    await hooks.close();
  });

  test("aborts the signal of a running function", async () => {
    await using place = await workspace();
    const hooks = hooksIn(place);
    const signals: AbortSignal[] = [];
    const called = new Promise<void>((settle) => {
      hooks.register("before_tool_call", (_payload, { signal }) => {
        signals.push(signal);
        settle();
        return new Promise(() => undefined);
      });
    });
    const cut = expect(hooks.run("before_tool_call", TOOL)).rejects.toMatchObject({ code: "USAGE_CLOSED" });
    await called;
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await hooks.close();
    await cut;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});
