import { expect, test } from "vitest";
import { skippableTime } from "../support/clock.ts";
import { runMain } from "../support/in-process.ts";
import { outcomes, parseListJson, parseRunJson } from "../support/json-output.ts";
import { lifeline } from "../support/lifeline.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { withoutSandbox } from "../support/without-sandbox.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

withoutSandbox();

const userSettings = (place: Workspace, overrides: object, settings: object = {}) =>
  place.write("home/.kodelet/hooks.json", JSON.stringify({ settings, overrides }));

async function run(place: Workspace, command = "ls") {
  const result = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall(command) });
  expect(result).toMatchObject({ signal: null, stderr: "" });
  return { code: result.code, told: parseRunJson(result) };
}

test("enabled: false takes a hook out, visibly", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true }));
  await userSettings(place, { guard: { enabled: false } });
  const { code, told } = await run(place);
  expect(code).toBe(0);
  expect(told.hooks).toMatchObject([{ name: "guard", outcome: "skipped", why: "disabled in the settings" }]);
  expect(parseListJson(await runMain(place, ["list", "--json"])).hooks).toMatchObject([
    { name: "guard", enabled: false },
  ]);
});

test("settings.enabled: false takes all hooks of the scope out", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true }));
  await userSettings(place, {}, { enabled: false });
  const { code, told } = await run(place);
  expect([code, ...outcomes(told)]).toEqual([0, ["guard", "skipped"]]);
});

test("priority goes before what the hook says of itself", async () => {
  await using place = await workspace();
  await place.hook("a", printResponse({}), { says: '{"event":"before_tool_call","priority":1}' });
  await place.hook("b", printResponse({}));
  await userSettings(place, { a: { priority: 200 }, b: { priority: 0.5 } });
  expect(outcomes((await run(place)).told).map(([name]) => name)).toEqual(["b", "a"]);
});

test("fail_open: false makes a failure block", async () => {
  await using place = await workspace();
  await place.hook("guard", "exit 1");
  expect(await run(place)).toMatchObject({ code: 0, told: { decision: "continue" } });
  await userSettings(place, { guard: { fail_open: false } });
  expect(await run(place)).toMatchObject({ code: 2, told: { decision: "block", decided_by: "guard" } });
});

test("observe: true lets a hook run and decide nothing", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true }));
  await userSettings(place, { guard: { observe: true } });
  const { code, told } = await run(place);
  expect([code, ...outcomes(told)]).toEqual([0, ["guard", "observed"]]);
});

test("observe: true with fail_open: false is a fault in the settings", async () => {
  await using place = await workspace();
  const file = await userSettings(place, { guard: { observe: true, fail_open: false } });
  const result = await runMain(place, ["list"]);
  const stderr = expect.stringContaining(`${file}: overrides.guard: an observer cannot decide`);
  expect(result).toEqual({ stdout: "", stderr, code: 78, signal: null });
});

test("timeout stops a hook that takes longer", async () => {
  await using place = await workspace();
  await place.hook("slow", "sleep 30");
  await userSettings(place, { slow: { timeout: "100ms" } });
  const { code, told } = await run(place);
  expect(code).toBe(0);
  expect(told.hooks).toMatchObject([{ outcome: "failed", failure: { code: "HOOK_TIMED_OUT" } }]);
});

test("settings.timeouts gives an event a limit of its own", async () => {
  await using place = await workspace();
  await place.hook("slow", "sleep 30");
  await userSettings(place, {}, { timeouts: { before_tool_call: "100ms" } });
  expect((await run(place)).told.hooks).toMatchObject([{ failure: { code: "HOOK_TIMED_OUT" } }]);
});

test("match limits a hook to payloads", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true }));
  await userSettings(place, { guard: { match: { tool_name: ["zsh", "ba*"], "tool_input.command": "*rm -rf*" } } });
  expect(await run(place, "ls")).toMatchObject({ code: 0, told: { hooks: [{ outcome: "skipped" }] } });
  expect(await run(place, "sudo rm -rf /")).toMatchObject({ code: 2, told: { hooks: [{ outcome: "block" }] } });
});

test("post_order: reverse turns priorities around at post events, and ties stay as they are", async () => {
  await using place = await workspace();
  for (const [name, priority] of Object.entries({ a: 10, b: 20, c: 20 })) {
    await place.hook(name, printResponse({}), {
      says: JSON.stringify({ event: ["before_tool_call", "turn_end"], priority }),
    });
  }
  await userSettings(place, {}, { post_order: "reverse" });
  expect(outcomes((await run(place)).told).map(([name]) => name)).toEqual(["a", "b", "c"]);
  const result = await runMain(place, ["run", "turn_end", "--json", "-q"], { stdin: '{"response":"done"}' });
  expect(outcomes(parseRunJson(result)).map(([name]) => name)).toEqual(["b", "c", "a"]);
});

test("deadline limits the whole chain: a hook that it cuts off or leaves unasked has failed", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  using time = skippableTime();
  await place.hook("a-slow", `${life.hold}; sleep 30`);
  await place.hook("b-quick", printResponse({}));
  await userSettings(place, {}, { deadline: "9s" });
  const running = run(place);
  await life.held;
  time.skip();
  const { code, told } = await running;
  expect(code).toBe(0);
  expect(told.hooks).toMatchObject([
    { name: "a-slow", outcome: "failed", failure: { code: "HOOK_TIMED_OUT" } },
    { name: "b-quick", outcome: "failed", failure: { code: "HOOK_DEADLINE_PASSED" } },
  ]);
});

test("required: true blocks when the hook is missing", async () => {
  await using place = await workspace();
  await userSettings(place, { guard: { required: true } });
  const { code, told } = await run(place);
  expect(code).toBe(2);
  expect(told).toMatchObject({
    decision: "block",
    decided_by: "guard",
    hooks: [{ failure: { code: "HOOK_MISSING" } }],
  });
});

test("required: true blocks when the hook is disabled by its name, fails or does not say what it is", async () => {
  await using place = await workspace();
  await userSettings(place, { guard: { required: true } });
  await place.hook("guard.disable", printResponse({}));
  expect(await run(place)).toMatchObject({ code: 2, told: { decided_by: "guard" } });
  await place.hook("guard", "exit 1");
  expect(await run(place)).toMatchObject({ code: 2, told: { decided_by: "guard" } });
  await place.hook("guard", printResponse({}), { says: "nonsense" });
  expect(await run(place)).toMatchObject({ code: 2, told: { decided_by: "guard" } });
  await place.hook("guard", printResponse({}));
  expect(await run(place)).toMatchObject({ code: 0, told: { decision: "continue" } });
});

test("the caller's choice among the hooks counts for required ones too", async () => {
  await using place = await workspace();
  await userSettings(place, { guard: { required: true } });
  await place.hook("guard", printResponse({ blocked: true }));
  await place.hook("other", printResponse({}));
  for (const choice of [
    ["--hook", "other"],
    ["--skip", "guard"],
  ]) {
    const result = await runMain(place, ["run", "before_tool_call", "-q", ...choice], { stdin: toolCall() });
    expect(result).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0, signal: null });
  }
});

test("sandbox: require is refused where there is no sandbox, and never run bare", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true }));
  await userSettings(place, { guard: { sandbox: "require" } });
  const { code, told } = await run(place);
  expect(code).toBe(0);
  expect(told.hooks).toMatchObject([{ outcome: "refused", failure: { code: "HOOK_REFUSED_SANDBOX" } }]);
});

test("overrides that are too many to compare are mentioned, not silently skipped", async () => {
  await using place = await workspace();
  const names = Array.from({ length: 100 }, (_, index) => `hook-of-mine-${index}`);
  for (const name of names) await place.hook(name, "exit 0");
  const strays = Array.from({ length: 60 }, (_, index) => [`somewhere-else-entirely-${index}`, { enabled: true }]);
  await userSettings(place, Object.fromEntries(strays));
  const { stdout } = await runMain(place, ["list"]);
  expect(stdout).toContain("▲ too many overrides match no hook: 10 names were not checked for spelling");
});
