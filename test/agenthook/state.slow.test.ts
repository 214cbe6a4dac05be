import { describe, expect, test } from "vitest";
import { hooksIn } from "../../packages/sdk/test/library/place.ts";
import { runMain } from "../support/in-process.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const CTX = { session_id: "s1" };
const CALL = JSON.stringify({ response: { usage: { input_tokens: 10 } }, ctx: CTX });
const SESSIONS = "home/.local/state/hookctl/sessions";
const stateOf = async (place: Workspace): Promise<unknown> =>
  JSON.parse((await place.read(`${SESSIONS}/s1/state`)) ?? "null");
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const counts = printResponse({ state: { increment: { n: 1, cost: 0.5 } } });

describe("state under many at once", () => {
  test("20 processes that count with the verb lose nothing", async () => {
    await using place = await workspace();
    const result = await Promise.all(times(20, () => runMain(place, ["state", "incr", "n", "--session", "s1"])));
    expect(result.map(({ code, stderr }) => ({ code, stderr }))).toEqual(times(20, () => ({ code: 0, stderr: "" })));
    expect(result.map(({ stdout }) => Number(stdout)).sort((a, b) => a - b)).toEqual(
      times(20, () => 0).map((_, i) => i + 1),
    );
    expect(await stateOf(place)).toEqual({ n: 20 });
  });

  test("20 processes whose hooks count in their replies lose nothing", async () => {
    await using place = await workspace();
    await place.hook("cost", counts, { says: "post_llm_call" });
    const result = await Promise.all(times(20, () => runMain(place, ["run", "post_llm_call", "-q"], { stdin: CALL })));
    expect(result).toEqual(times(20, () => ({ stdout: "{}\n", stderr: "", code: 0, signal: null })));
    expect(await stateOf(place)).toEqual({ n: 20, cost: 10 });
  });

  test("functions, replies and verbs of one program and of others count together", async () => {
    await using place = await workspace();
    await place.hook("cost", counts, { says: "post_llm_call" });
    await using hooks = hooksIn(place);
    hooks.use({ name: "adds", postLlmCall: async (_payload, { state }) => void (await state.increment("n")) });
    const result = await Promise.all([
      ...times(20, () => hooks.run("post_llm_call", CALL)),
      ...times(5, () => runMain(place, ["run", "post_llm_call", "-q"], { stdin: CALL })),
      ...times(5, () => runMain(place, ["state", "incr", "n", "--session", "s1"])),
    ]);
    const said = result.flatMap((one) => ("decision" in one ? one.warnings : one.stderr === "" ? [] : [one.stderr]));
    // On a busy machine forty processes at once may well be slow.
    expect(said.filter((text) => !text.startsWith("cost is slow: "))).toEqual([]);
    expect(await stateOf(place)).toEqual({ n: 20 * 2 + 5 + 5, cost: 12.5 });
  });
});

describe("ctx.state of a function is the session's", () => {
  test("what it keeps an executable finds in the same chain, and the other way round", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    await place.hook("10-file", printResponse({ state: { set: { from: "file" } } }), {
      says: '{"event":"post_llm_call","priority":190}',
    });
    await place.hook("30-sees", `cat > ${shellQuote(`${place.dir}/seen`)}`, { says: "post_llm_call" });
    const read: unknown[] = [];
    hooks.use({
      name: "20-function",
      priority: 150,
      async postLlmCall({ ctx }, { state }) {
        read.push(ctx.state, await state.get("from"), await state.get("none"));
        await state.set("by", { function: [1.5] });
        await state.set("gone", true);
        await state.delete("gone");
      },
    });
    expect((await hooks.run("post_llm_call", CALL)).warnings).toEqual([]);
    expect(read).toEqual([{ from: "file" }, "file", undefined]);
    const seen = JSON.parse((await place.read("seen")) ?? "");
    expect(seen.ctx.state).toEqual({ from: "file", by: { function: [1.5] } });
  });

  test("it outlives the program and differs by session", async () => {
    await using place = await workspace();
    const count = async (session_id: string) => {
      await using hooks = hooksIn(place);
      const sums: number[] = [];
      hooks.use({
        name: "adds",
        preTurn: async (_payload, { state }) => void sums.push(await state.increment("n", 2)),
      });
      await hooks.run("pre_turn", JSON.stringify({ ctx: { session_id } }));
      return sums[0];
    };
    expect([await count("s1"), await count("s1"), await count("s2")]).toEqual([2, 4, 2]);
    expect(await runMain(place, ["state", "get", "n", "--session", "s1"])).toMatchObject({ stdout: "4\n", code: 0 });
  });

  test("its reply may bring a patch, in the dialect of either", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    hooks.use({ name: "a", preTurn: () => ({ action: "continue", state: { increment: { n: 1 } } }) });
    hooks.use({ name: "b", turnStart: () => ({ state: { set: { b: null }, delete: ["none"] } }) });
    await hooks.run("pre_turn", JSON.stringify({ ctx: CTX }));
    expect(await stateOf(place)).toEqual({ n: 1, b: null });
  });

  test("without a session nothing is kept, the function goes on and the run says so once", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    const read: unknown[] = [];
    hooks.use({
      name: "adds",
      async preTurn(_payload, { state }) {
        read.push(await state.increment("n", 3));
        await state.set("a", 1);
        await state.delete("a");
        read.push(await state.get("n"), await state.get("a"));
      },
    });
    const run = await hooks.run("pre_turn", {});
    expect(run).toMatchObject({ decision: "continue", hooks: [{ outcome: "continue" }] });
    expect(run.warnings).toEqual(["the state patch of adds was not saved: the payload has no conv_id"]);
    expect(read).toEqual([3, undefined, undefined]);
    expect(await place.read(SESSIONS)).toBeNull();
  });

  const wrong: readonly (readonly [string, (state: { set: never; increment: never }) => unknown])[] = [
    ["a value that is no JSON", ({ set }) => (set as (key: string, value: unknown) => Promise<void>)("a", () => 1)],
    ["a sum with no number", ({ increment }) => (increment as (key: string, by: number) => unknown)("a", Number.NaN)],
  ];
  test.each(wrong)("%s fails the function, with a session and without", async (_title, use) => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    hooks.use({ name: "bad", preTurn: async (_payload, { state }) => void (await use(state as never)) });
    for (const ctx of [CTX, {}]) {
      const run = await hooks.run("pre_turn", JSON.stringify({ ctx }));
      expect(run.hooks).toMatchObject([
        { failure: { code: "HOOK_THREW", message: expect.stringContaining('state "a"') } },
      ]);
    }
  });

  test("a state that cannot be written fails the function and nothing else", async () => {
    await using place = await workspace();
    await place.write(SESSIONS, "a file where the folder belongs");
    await using hooks = hooksIn(place);
    hooks.use({ name: "adds", preTurn: async (_payload, { state }) => void (await state.increment("n")) });
    const run = await hooks.run("pre_turn", JSON.stringify({ ctx: CTX }));
    expect(run).toMatchObject({ decision: "continue", hooks: [{ failure: { code: "HOOK_THREW" } }] });
    expect(run.hooks[0]?.failure?.message).toContain("the state of this session cannot be used");
  });
});
