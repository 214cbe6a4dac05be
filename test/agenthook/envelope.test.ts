import { describe, expect, test } from "vitest";
import { testHook } from "../../packages/sdk/testing.ts";
import { runInProcess, runMain } from "../support/in-process.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const parsed = (text: string | null): unknown => JSON.parse(text ?? "null");
/** A hook that puts down what it got, and says something. */
const sees = (place: Workspace, name: string, says: string, said: unknown = {}) =>
  place.hook(name, `cat > ${shellQuote(`${place.dir}/${name}`)}\n${printResponse(said)}`, { says });

describe("AgentHook's envelope on stdin", () => {
  const sent =
    '{"tool_name":"bash","args":{"n":12345678901234567890,"x":1.10},"grant":{"m":1e400},"ctx":{"session_id":"s1","turn_number":3.0}}';

  test("is known by ctx, and every value of it arrives as it was written", async () => {
    await using place = await workspace();
    await sees(place, "1-kodelet", "before_tool_call");
    await sees(place, "2-agenthook", "pre_tool_call");
    expect(await runInProcess(place, "run pre_tool_call -q", { stdin: sent })).toMatchObject({ code: 0, stderr: "" });
    const kodelet = await place.read("1-kodelet");
    expect(kodelet).toContain(
      '"tool_name":"bash","tool_input":{"n":12345678901234567890,"x":1.10},"grant":{"m":1e400},',
    );
    expect(kodelet).toContain('"conv_id":"s1","turn_number":3.0');
    expect(kodelet).not.toContain('"args"');
    expect(await place.read("2-agenthook")).toContain('"args":{"n":12345678901234567890,"x":1.10}');
  });

  test("gives its session to hooks of every dialect", async () => {
    await using place = await workspace();
    const says = `printf '{"additional_context":["%s"]}' "$HOOKCTL_SESSION"`;
    await place.hook("says", `cat > ${shellQuote(`${place.dir}/coat`)}\n${says}`, { says: "PreToolUse" });
    const { stdout } = await runInProcess(place, "run pre_tool_call -q", { stdin: sent });
    expect(JSON.parse(stdout)).toMatchObject({ additional_context: ["s1"] });
    expect(parsed(await place.read("coat"))).toMatchObject({ sessionId: "s1", conv_id: "s1" });
  });

  test("a changed argument is what later hooks find, by both of its names", async () => {
    await using place = await workspace();
    await place.hook("1", printResponse({ Transform: { command: "new" } }), { says: "pre_tool_call" });
    await sees(place, "2-agenthook", "pre_tool_call");
    for (const stdin of [sent, (await runInProcess(place, "payload pre_tool_call")).stdout]) {
      await runInProcess(place, "run pre_tool_call -q", { stdin });
      const input = { command: "new" };
      expect(parsed(await place.read("2-agenthook"))).toMatchObject({ args: input, tool_input: input });
    }
  });

  test("an event that it names must be the one that is run, by AgentHook's name or kodelet's", async () => {
    await using place = await workspace();
    const run = (event: string) =>
      runInProcess(place, "run pre_tool_call -q", { stdin: sent.replace("{", `{"event":"${event}",`) });
    expect(await run("pre_tool_call")).toMatchObject({ code: 0 });
    expect(await run("before_tool_call")).toMatchObject({ code: 0 });
    expect(await run("post_tool_call")).toMatchObject({ code: 65, stdout: "" });
  });

  test("what stands under a kodelet name counts, under each name", async () => {
    await using place = await workspace();
    await sees(place, "1", "pre_tool_call");
    const stdin = JSON.stringify({
      ...{ tool_name: "bash", tool_input: { a: 1 }, args: { b: 2 }, conv_id: "mine" },
      ctx: { session_id: "theirs", core_type: "react" },
    });
    await runInProcess(place, "run pre_tool_call -q", { stdin });
    expect(parsed(await place.read("1"))).toMatchObject({
      ...{ tool_input: { a: 1 }, args: { a: 1 }, conv_id: "mine", core_type: "react" },
      ctx: { session_id: "mine", core_type: "react" },
    });
  });

  test.each([
    ...[{ ctx: "x" }, { ctx: [] }, { ctx: { session_id: 5 } }, { ctx: { turn_number: "3" } }],
    ...[{ ctx: { step_number: true } }, { ctx: { core_type: 5 } }, { ctx: { state: [1] } }, { ctx: { state: "x" } }],
  ])("%j is refused by the name that was sent", async (wrong) => {
    await using place = await workspace();
    await sees(place, "1", "before_tool_call");
    const field = ["ctx", ...Object.keys(Array.isArray(wrong.ctx) ? {} : Object(wrong.ctx))].slice(0, 2).join(".");
    for (const event of ["before_tool_call", "pre_tool_call"]) {
      const stdin = JSON.stringify({ tool_name: "bash", tool_input: {}, event, ...wrong });
      const result = await runInProcess(place, `run ${event} -q`, { stdin });
      expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("is a JSON"), code: 65 });
      expect(result.stderr).toContain(typeof wrong.ctx === "string" ? '"ctx"' : `"${field}"`);
    }
    expect(await place.read("1")).toBeNull();
  });

  test("a missing argument is refused by its kodelet name", async () => {
    await using place = await workspace();
    const result = await runInProcess(place, "run post_turn", { stdin: '{"ctx":{"session_id":"s1"}}' });
    expect(result).toMatchObject({ stdout: "", code: 65, stderr: expect.stringContaining('"response"') });
  });
});

describe("ctx.state in an envelope", () => {
  const call = (state: object | undefined) =>
    JSON.stringify({ tool_name: "bash", args: {}, ctx: { session_id: "s1", state } });
  const counts = printResponse({ state: { increment: { n: 1 } } });

  test.each([[undefined], [{}]])("%j: a hook finds the session's values there", async (state) => {
    await using place = await workspace();
    await place.hook("1-counts", counts, { says: "pre_tool_call" });
    await sees(place, "2-sees", "pre_tool_call");
    for (const _ of [1, 2]) await runInProcess(place, "run pre_tool_call -q", { stdin: call(state) });
    expect(parsed(await place.read("2-sees"))).toMatchObject({ ctx: { state: { n: 2 } }, state: { n: 2 } });
  });

  test("values that the agent keeps itself stay as they are", async () => {
    await using place = await workspace();
    await place.hook("1-counts", counts, { says: "pre_tool_call" });
    await sees(place, "2-sees", "pre_tool_call");
    await runInProcess(place, "run pre_tool_call -q", { stdin: call({ own: 1 }) });
    expect(parsed(await place.read("2-sees"))).toMatchObject({ ctx: { state: { own: 1 } }, state: { own: 1 } });
  });

  test("without a session it is empty", async () => {
    await using place = await workspace();
    await sees(place, "1-sees", "pre_tool_call");
    await runInProcess(place, "run pre_tool_call -q", { stdin: '{"tool_name":"bash","args":{},"ctx":{}}' });
    expect(parsed(await place.read("1-sees"))).toMatchObject({ ctx: { session_id: "", state: {} } });
  });
});

test("as a process, an envelope goes in and AgentHook's answer comes back", async () => {
  await using place = await workspace();
  await place.hook("rewrites", printResponse({ Transform: { command: "ls -a" } }), { says: "pre_tool_call" });
  const stdin = '{"tool_name":"bash","args":{"command":"ls"},"ctx":{"session_id":"s1"}}';
  const result = await runMain(place, ["run", "pre_tool_call", "--as", "agenthook", "-q"], { stdin });
  expect(result).toEqual({ stdout: '{"Transform":{"command":"ls -a"}}\n', stderr: "", code: 0, signal: null });
});

describe("AgentHook's names for arguments", () => {
  const input = { command: "pwd" };

  test("set a value of a sample", async () => {
    await using place = await workspace();
    const { stdout } = await runInProcess(
      place,
      "payload pre_tool_call --set args.command=pwd --set ctx.turn_number=9",
    );
    expect(parsed(stdout)).toMatchObject({ args: input, tool_input: input, ctx: { turn_number: 9 } });
    expect(await runInProcess(place, "payload before_tool_call args.command=pwd")).toMatchObject({
      stderr: expect.stringContaining("Did you mean tool_input.command?"),
      code: 64,
    });
  });

  test("set a value of a trial", async () => {
    await using place = await workspace();
    await sees(place, "guard", "post_turn");
    await runInProcess(place, "try guard output=fine");
    expect(parsed(await place.read("guard"))).toMatchObject({ output: "fine", response: "fine" });
  });

  test("set a value of a test in testHook", async () => {
    await using place = await workspace();
    const file = await place.hook(
      "guard",
      `cat > ${shellQuote(`${place.dir}/seen`)}; ${printResponse(JSON.stringify("Continue"))}`,
      {
        says: "pre_tool_call",
      },
    );
    const run = await testHook(file, { env: place.env }).run("pre_tool_call", { args: input });
    expect(run).toMatchObject({ decision: "continue", hooks: [{ outcome: "continue" }] });
    expect(parsed(await place.read("seen"))).toMatchObject({ args: input, tool_input: input });
  });
});
