import { describe, expect, test } from "vitest";
import { CONTEXT_LIMIT_BYTES, runChain, verdictOf } from "../../src/chain/advance.ts";
import { targetValue } from "../../src/protocol/payload/payload.ts";
import { aHook, aPayload, crashed, outcomes, result } from "./builders.ts";

const PRE = "before_tool_call";
const POST = "after_tool_call";
const BLOCK = '{"blocked":true,"reason":"no"}';
const [a, b, c] = [aHook("a"), aHook("b"), aHook("c")];

test("1. a changed value is what the next hook sees and what the caller gets", async () => {
  const { verdict } = await result(aPayload(PRE), [
    [a, '{"input":{"n":1.10}}'],
    [b, (payload) => JSON.stringify({ system_message: targetValue(payload) })],
  ]);
  expect(verdict.systemMessage).toBe('{"n":1.10}');
  expect(verdict).toMatchObject({ decision: "continue", change: '{"n":1.10}' });
  expect(targetValue(verdict.payload)).toBe('{"n":1.10}');
});

describe("2. a block ends the chain", () => {
  test("changes made before are dropped, the record keeps them, context is kept", async () => {
    const run = await result(aPayload(PRE), [
      [a, '{"input":{"n":1},"additional_context":["from a"]}'],
      [b, '{"blocked":true,"reason":"no","additional_context":["from b"]}'],
      [c, '{"additional_context":["from c"]}'],
    ]);
    expect(run.asked).toEqual(["a", "b"]);
    expect(outcomes(run)).toEqual(["modify", "block", "skipped"]);
    expect(run.verdict).toMatchObject({ decision: "block", reason: "no", decidedBy: "b", change: null });
    expect(run.verdict.context).toEqual(["from a", "from b"]);
    expect(run.verdict.steps.map((step) => step.change)).toEqual(['{"n":1}', null, null]);
    expect(run.verdict.payload).toBe(run.verdict.sent);
  });

  test("a block without a reason gets one", async () => {
    const { verdict } = await result(aPayload(PRE), [[a, '{"blocked":true}']]);
    expect(verdict.reason).toContain("a");
  });

  test("of two hooks that ask, the first one's question is put", async () => {
    const run = await result(aPayload(PRE), [
      [a, '{"decision":"ask","reason":"first"}'],
      [b, '{"decision":"ask","reason":"second"}'],
    ]);
    expect(run.verdict).toMatchObject({ decision: "ask", decidedBy: "a", reason: "first" });
  });

  test("a block outranks an earlier wish to ask", async () => {
    const run = await result(aPayload(PRE), [
      [a, '{"decision":"ask"}'],
      [b, BLOCK],
    ]);
    expect(run.verdict).toMatchObject({ decision: "block", decidedBy: "b" });
  });
});

test("3. replace ends the chain with that value; the operation still runs with it", async () => {
  const run = await result(aPayload(PRE), [
    [a, '{"Replace":{"n":1}}'],
    [b, BLOCK],
  ]);
  expect(run.asked).toEqual(["a"]);
  expect(run.verdict).toMatchObject({ decision: "continue", decidedBy: "a", change: '{"n":1}' });
});

describe("4. context, warnings, follow-ups and pushes add up", () => {
  test("in the order of the hooks", async () => {
    const words = (name: string): string =>
      `{"additional_context":["c${name}"],"follow_up_messages":["f${name}"],"pushes":[{"message":"p${name}"}],"warnings":["w${name}"]}`;
    const { verdict } = await result(aPayload("agent_stop"), [
      [a, words("1")],
      [b, words("2")],
    ]);
    expect(verdict).toMatchObject({ context: ["c1", "c2"], followUps: ["f1", "f2"] });
    expect(verdict.pushes).toEqual(['{"message":"p1"}', '{"message":"p2"}']);
    expect(verdict.warnings).toEqual(["a: w1", "b: w2"]);
  });

  test("`overwrite` replaces the context before it, and only that", async () => {
    const { verdict } = await result(aPayload(PRE), [
      [a, '{"additional_context":["old"]}'],
      [b, '{"additional_context":["new"],"additional_context_mode":"overwrite"}'],
      [c, '{"additional_context":["more"]}'],
    ]);
    expect(verdict.context).toEqual(["new", "more"]);
  });

  test("the metadata of each hook is kept under its name, whatever the name", async () => {
    const { verdict } = await result(aPayload(PRE), [
      [aHook("__proto__"), '{"metadata":{"n":1}}'],
      [aHook("constructor"), '{"metadata":{"n":2}}'],
    ]);
    expect(Object.entries(verdict.metadata).sort()).toEqual([
      ["__proto__", '{"n":1}'],
      ["constructor", '{"n":2}'],
    ]);
  });

  test.each([
    ["a", CONTEXT_LIMIT_BYTES, false],
    ["a", CONTEXT_LIMIT_BYTES + 1, true],
    ["é", CONTEXT_LIMIT_BYTES / 2, false],
    ["é", CONTEXT_LIMIT_BYTES / 2 + 1, true],
    ["😀", CONTEXT_LIMIT_BYTES / 4 + 1, true],
  ])("context of %s x %i is cut at 8 KiB a hook, marked: %s", async (char, count, isCut) => {
    const context = `{"additional_context":["${char.repeat(count)}"]}`;
    const { verdict } = await result(aPayload(PRE), [
      [a, context],
      [b, '{"additional_context":["short"]}'],
    ]);
    const [first = "", second] = verdict.context;
    expect(first.includes("[cut at 8 KiB]")).toBe(isCut);
    expect(first.replace("… [cut at 8 KiB]", "")).toBe(
      char.repeat(Math.min(count, CONTEXT_LIMIT_BYTES / Buffer.byteLength(char))),
    );
    expect(second).toBe("short");
    expect(verdict.warnings.length).toBe(isCut ? 1 : 0);
  });

  test("many texts of one hook share its 8 KiB", async () => {
    const texts = JSON.stringify({ additional_context: Array.from({ length: 10 }, () => "x".repeat(1024)) });
    const { verdict } = await result(aPayload(PRE), [[a, texts]]);
    expect(Buffer.byteLength(verdict.context.join(""))).toBeLessThan(CONTEXT_LIMIT_BYTES + 64);
  });
});

describe("5. observers run at their place and change nothing", () => {
  const observer = aHook("watch", { observe: true, priority: 200 });
  test.each([
    ["after a block", BLOCK, "block"],
    ["after a replace", '{"Replace":{"n":1}}', "continue"],
    ["in an open chain", "", "continue"],
  ])("%s", async (_place, prints, decision) => {
    const loud = '{"blocked":true,"input":{"n":9},"additional_context":["x"],"follow_up_messages":["x"],"metadata":{}}';
    const run = await result(aPayload(PRE), [
      [a, prints],
      [observer, loud],
    ]);
    const without = await result(aPayload(PRE), [[a, prints]]);
    expect(run.asked).toEqual(["a", "watch"]);
    expect(run.verdict).toEqual({ ...without.verdict, steps: run.verdict.steps });
    expect(run.verdict.decision).toBe(decision);
    expect(outcomes(run).at(-1)).toBe("observed");
  });

  test("a failed observer is a warning", async () => {
    const state = await runChain([observer], aPayload(PRE), { invoke: async (hook) => crashed(hook) });
    expect(verdictOf(state)).toMatchObject({ decision: "continue", warnings: [expect.stringContaining("watch")] });
  });
});

describe("9. and 10. hooks that have no turn", () => {
  test.each([
    ["a match that does not fit", { match: { tool_name: "edit" } }, "match"],
    ["a hook that is off", { disabledReason: "disabled in the settings" }, "disabled"],
  ])("%s takes it out, visibly", async (_title, over, why) => {
    const run = await result(aPayload(PRE), [[aHook("guard", { ...over, failOpen: false }), BLOCK]]);
    expect(run).toMatchObject({ asked: [], verdict: { decision: "continue" } });
    expect(run.verdict.steps).toMatchObject([{ outcome: "skipped", why: expect.stringContaining(why) }]);
  });

  test("`match` is judged by the payload as the hooks before left it", async () => {
    const run = await result(aPayload(PRE), [
      [a, '{"input":{"command":"rm -rf /"}}'],
      [aHook("guard", { match: { "tool_input.command": "*rm -rf*" } }), BLOCK],
    ]);
    expect(run.verdict).toMatchObject({ decision: "block", decidedBy: "guard" });
  });

  test("a file that was refused and names only other events is passed over; else it fails", async () => {
    const untrusted = { code: "HOOK_REFUSED_UNTRUSTED", hook: "new", path: "/new" } as const;
    const decide = async (claims: readonly ("before_tool_call" | "agent_stop")[]) => {
      const hook = aHook("new", { refusal: untrusted, mentionedEvents: claims, failOpen: false });
      const refusal = { ...crashed(hook), response: { ok: false as const, error: untrusted }, wasNotInvoked: true };
      const verdict = verdictOf(await runChain([hook], aPayload(PRE), { invoke: async () => refusal }));
      return [verdict.decision, ...outcomes({ verdict })];
    };
    expect(await decide(["agent_stop"])).toEqual(["continue", "skipped"]);
    expect(await decide(["before_tool_call"])).toEqual(["block", "refused"]);
    expect(await decide([])).toEqual(["block", "refused"]);
  });
});

test("no hooks: the verdict is to go on, and nothing was asked", async () => {
  const run = await result(aPayload(POST), []);
  expect(run.verdict).toMatchObject({ decision: "continue", change: null, steps: [], warnings: [], isAllowed: false });
});

test("`allow` counts only when a hook says so and nobody objects", async () => {
  const allow = '{"decision":"allow"}';
  const isAllowed = async (first: string, second: string): Promise<boolean> => {
    const { verdict } = await result(aPayload(PRE), [
      [a, first],
      [b, second],
    ]);
    return verdict.isAllowed;
  };
  expect(await isAllowed(allow, "")).toBe(true);
  expect(await isAllowed("{}", "")).toBe(false);
  expect(await isAllowed(allow, BLOCK)).toBe(false);
  expect(await isAllowed(allow, '{"decision":"ask"}')).toBe(false);
});
