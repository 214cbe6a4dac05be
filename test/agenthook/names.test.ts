import { describe, expect, test } from "vitest";
import { hooksIn } from "../../packages/sdk/test/library/place.ts";
import { testHook } from "../../packages/sdk/testing.ts";
import { runInProcess } from "../support/in-process.ts";
import { parseTestJson } from "../support/json-test-output.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";
import { POINTS, type Point } from "./points.ts";

const named: readonly (readonly [string, Point])[] = POINTS.map((point) => [point.point, point]);
const sees = (place: Workspace, says: string) =>
  place.hook("sees", `cat > ${shellQuote(`${place.dir}/seen`)}`, { says });
const seen = async (place: Workspace): Promise<unknown> => JSON.parse((await place.read("seen")) ?? "null");

describe("the event's name as typed says in which dialect stdin may be", () => {
  test.each(named)("%s: an envelope without ctx", async (point, { args, event }) => {
    await using place = await workspace();
    await sees(place, event);
    const result = await runInProcess(place, `run ${point} -q`, { stdin: JSON.stringify(args) });
    expect(result).toMatchObject({ stderr: "", code: 0 });
    const names: Readonly<Record<string, string>> = { args: "tool_input", result: "tool_output" };
    const ours = Object.entries(args).map(([key, value]) => [names[key] ?? key, value]);
    const { output, ...others } = Object.fromEntries(ours);
    const response = output === undefined ? {} : { response: output };
    expect(await seen(place)).toMatchObject({ ...others, ...response, event });
  });

  const ENVELOPES: readonly { typed: string; event: string; sent: object; got: object }[] = [
    {
      ...{ typed: "PreToolUse", event: "before_tool_call" },
      sent: { sessionId: "s1", tool: { name: "bash" } },
      got: { conv_id: "s1", tool_name: "bash", tool_input: null },
    },
    {
      ...{ typed: "PostToolUse", event: "after_tool_call" },
      sent: { sessionId: "s1", tool: { name: "bash", success: false, durationMs: 7 } },
      got: { conv_id: "s1", tool_name: "bash", tool_output: { success: false }, elapsed_ms: 7 },
    },
    {
      ...{ typed: "OnBudgetExceeded", event: "budget_exceeded" },
      sent: { budget: { usedTokens: 8, effectiveLimit: 10 } },
      got: { budget: { used_tokens: 8, effective_limit: 10 } },
    },
    { typed: "claude:SessionStart", event: "session_start", sent: { session_id: "s1" }, got: { conv_id: "s1" } },
    {
      ...{ typed: "claude:PostToolUse", event: "after_tool_call" },
      sent: { tool_name: "Bash", tool_input: {}, tool_response: "total 0" },
      got: { tool_output: "total 0" },
    },
    // A key of its own gives an envelope away, whatever was typed.
    {
      ...{ typed: "pre_tool_call", event: "before_tool_call" },
      sent: { hook: "PreToolUse", sessionId: "s1", tool: { name: "bash" } },
      got: { conv_id: "s1", tool_name: "bash" },
    },
    // What has the keys of two dialects is in the one that was typed.
    {
      ...{ typed: "pre_tool_call", event: "before_tool_call" },
      sent: { hook: "mine", tool_name: "bash", args: { a: 1 }, ctx: { session_id: "s1" } },
      got: { conv_id: "s1", tool_input: { a: 1 } },
    },
    // hookctl's own payload is understood under each name.
    {
      ...{ typed: "PreToolUse", event: "before_tool_call" },
      sent: { tool_name: "bash", tool_input: { a: 1 }, conv_id: "s1", tool: "mine" },
      got: { conv_id: "s1", tool_input: { a: 1 }, tool: "mine" },
    },
  ];
  test.each(ENVELOPES)("$typed: $sent", async ({ typed, event, sent, got }) => {
    await using place = await workspace();
    await sees(place, event);
    const result = await runInProcess(place, `run ${typed} -q`, { stdin: JSON.stringify(sent) });
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(await seen(place)).toMatchObject({ ...got, event });
    await using hooks = hooksIn(place);
    if (!typed.startsWith("claude:")) await hooks.run(typed as "PreToolUse", JSON.stringify(sent));
    expect(await seen(place)).toMatchObject({ ...got, event });
  });

  test("hookctl's own name takes no other dialect without that dialect's key", async () => {
    await using place = await workspace();
    const stdin = '{"tool_name":"bash","args":{}}';
    const result = await runInProcess(place, "run before_tool_call -q", { stdin });
    expect(result).toMatchObject({ stdout: "", code: 65, stderr: expect.stringContaining('"tool_input"') });
  });

  test("also in a test case, and in testHook", { tags: "slow" }, async () => {
    await using place = await workspace();
    const file = await place.hook(
      "guard",
      `if grep -q '"args":{"command":"rm"}'; then ${printResponse({ Reject: "no rm" })}; fi`,
      {
        says: "pre_tool_call",
      },
    );
    const one = { name: "blocks rm", event: "pre_tool_call", payload: { args: { command: "rm" } } };
    const cases = { hook: "guard", cases: [{ ...one, expect: { decision: "block", reason: "no rm" } }] };
    await place.write("home/.kodelet/tests/guard.json", JSON.stringify(cases));
    expect(parseTestJson(await runInProcess(place, "test --json"))).toMatchObject({ failed: 0 });
    const run = await testHook(file, { env: place.env }).run("pre_tool_call", {
      tool_name: "bash",
      args: { command: "rm" },
    });
    expect(run).toMatchObject({ decision: "block", reason: "no rm" });
  });
});

describe("a match may name a field as the hook's dialect does", () => {
  const PAYLOADS = [
    { run: "pre_tool_call", sent: { tool_name: "bash", args: { command: "rm x" } } },
    { run: "before_tool_call", sent: { tool_name: "bash", args: { command: "rm x" }, ctx: {} } },
    { run: "before_tool_call", sent: { tool_name: "bash", tool_input: { command: "rm x" } } },
  ];
  const match = { "args.command": "rm*" };
  const decide = async (place: Workspace) => {
    const blocks = PAYLOADS.map(({ run, sent }) =>
      runInProcess(place, `run ${run} -q`, { stdin: JSON.stringify(sent) }),
    );
    const ls = JSON.stringify({ tool_name: "bash", args: { command: "ls" } });
    const result = await Promise.all([...blocks, runInProcess(place, "run pre_tool_call -q", { stdin: ls })]);
    return result.map(({ code }) => code);
  };

  test("of an executable", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ Reject: "no rm" }), {
      says: JSON.stringify({ event: "pre_tool_call", match }),
    });
    expect(await decide(place)).toEqual([2, 2, 2, 0]);
  });

  test("of a rule in the settings", async () => {
    await using place = await workspace();
    const hooks = [{ on: "pre_tool_call", name: "guard", block: "no rm", match }];
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks }));
    expect(await decide(place)).toEqual([2, 2, 2, 0]);
  });

  test("and not as another dialect does", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ blocked: true }), {
      says: JSON.stringify({ event: "before_tool_call", match }),
    });
    expect(await decide(place)).toEqual([0, 0, 0, 0]);
  });
});

describe("a file that names several events speaks the dialect of each", () => {
  const says = JSON.stringify({ event: ["before_tool_call", "pre_turn", "PostToolUse"] });

  test.each([
    ["before_tool_call", { tool_name: "b", tool_input: {} }, [], ["ctx", "hook"]],
    ["turn_start", { input: 1, conv_id: "s" }, ["ctx"], ["hook"]],
    ["after_tool_call", { tool_name: "b", tool_input: {}, tool_output: {} }, ["hook", "tool"], ["ctx"]],
  ])("at %s", async (event, payload, there, missing) => {
    await using place = await workspace();
    await sees(place, says);
    expect(await runInProcess(place, `run ${event} -q`, { stdin: JSON.stringify(payload) })).toMatchObject({ code: 0 });
    const got = Object.keys(Object(await seen(place)));
    expect(got).toEqual(expect.arrayContaining(there));
    for (const key of missing) expect(got).not.toContain(key);
  });

  test("and list tells them", async () => {
    await using place = await workspace();
    await sees(place, says);
    const [hook] = JSON.parse((await runInProcess(place, "list --json")).stdout).hooks;
    expect(hook.dialects).toEqual({
      before_tool_call: "kodelet",
      turn_start: "agenthook",
      after_tool_call: "basecoat",
    });
  });
});

describe("a match sees what the hook would get", () => {
  test.each([
    [{ "ctx.core_type": "", "ctx.turn_number": "0" }, {}, 2],
    [{ "ctx.core_type": "react" }, { ctx: { core_type: "react" } }, 2],
    [{ "ctx.core_type": "react" }, {}, 0],
    [{ "args.command": "rm*" }, { args: { command: "ls" } }, 2],
    [{ "args.command": "ls*" }, { args: { command: "ls" } }, 0],
  ])("%j of %j", async (match, more, code) => {
    await using place = await workspace();
    const says = JSON.stringify({ event: "pre_tool_call", match });
    await place.hook("guard", printResponse({ Reject: "no" }), { says });
    const stdin = JSON.stringify({ tool_name: "b", tool_input: { command: "rm -rf /" }, ...more });
    expect(await runInProcess(place, "run before_tool_call -q", { stdin })).toMatchObject({ code });
  });
});
