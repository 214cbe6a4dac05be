import { describe, expect, test } from "vitest";
import { skippableTime } from "../../../../test/support/clock.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import type { HookAnswer, HookFunction } from "../../index.ts";
import { hooksIn, outcomes, TOOL } from "./place.ts";

const never = (): Promise<HookAnswer> => new Promise(() => undefined);
const untold = { name: "f", timeout: "50ms" } as const;

describe("a function that gives no answer failed, and the caller gets a record", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const rows: { title: string; call: () => unknown; code: string; message?: string }[] = [
    {
      title: "it throws",
      call: () => {
        throw new TypeError("no such command");
      },
      code: "HOOK_THREW",
      message: "f threw: TypeError: no such command",
    },
    { title: "it rejects", call: () => Promise.reject(new Error("later")), code: "HOOK_THREW" },
    { title: "it rejects with nothing", call: () => Promise.reject(), code: "HOOK_THREW" },
    {
      title: "it throws what is no text",
      call: () => {
        throw Object.create(null);
      },
      code: "HOOK_THREW",
    },
    { title: "it never settles", call: never, code: "HOOK_TIMED_OUT", message: "f exceeded its 50 ms timeout" },
    { title: "it returns a number", call: () => 1, code: "REPLY_NOT_OBJECT" },
    { title: "it returns a function", call: () => () => ({}), code: "REPLY_NOT_JSON" },
    { title: "it returns a circle", call: () => circle, code: "REPLY_NOT_JSON" },
    { title: "it misspells a block", call: () => ({ block: true }), code: "REPLY_MISSPELT_KEY" },
    { title: "it answers with a wrong type", call: () => ({ blocked: "yes" }), code: "REPLY_WRONG_TYPE" },
    { title: "it returns NaN", call: () => Number.NaN, code: "REPLY_NOT_JSON" },
    { title: "it returns an error", call: () => new Error("no"), code: "REPLY_NOT_JSON" },
    { title: "it returns a map", call: () => new Map([["blocked", true]]), code: "REPLY_NOT_JSON" },
    { title: "its block is undefined", call: () => ({ blocked: undefined, reason: "x" }), code: "REPLY_NOT_JSON" },
    { title: "its new value is undefined", call: () => ({ Transform: undefined }), code: "REPLY_NOT_JSON" },
    { title: "its new value holds NaN", call: () => ({ input: { wait: Number.NaN } }), code: "REPLY_NOT_JSON" },
    {
      title: "its block is a getter of its class",
      call: () =>
        new (class Answer {
          get blocked() {
            return true;
          }
        })(),
      code: "REPLY_NOT_JSON",
    },
    { title: "it answers too much", call: () => ({ reason: "x".repeat(2 ** 22) }), code: "HOOK_TOO_MUCH_OUTPUT" },
  ];
  test.each(rows)("$title: $code", async ({ call, code, message }) => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    const unregister = hooks.register("before_tool_call", call as () => HookAnswer, untold);
    const open = await hooks.run("before_tool_call", TOOL);
    expect(open).toMatchObject({ decision: "continue", hooks: [{ outcome: "failed", failure: { code } }] });
    if (message !== undefined) expect(open.hooks[0]?.failure?.message).toBe(message);
    unregister();
    hooks.register("before_tool_call", call as () => HookAnswer, { ...untold, failOpen: false });
    expect(await hooks.run("before_tool_call", TOOL)).toMatchObject({ decision: "block", decided_by: "f" });
  });
});

test.each([
  [{ Reject: undefined }, null],
  [{ blocked: true, input: () => 1, reason: "no" }, "no"],
])("a block counts also beside what JSON cannot say", async (answer, reason) => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  hooks.register("pre_tool_call", () => answer as HookAnswer, { name: "f" });
  const run = await hooks.run("before_tool_call", TOOL);
  expect(run).toMatchObject({ decision: "block", decided_by: "f" });
  if (reason !== null) expect(run.reason).toBe(reason);
});

test("what a function says after its time is not heard, and its rejection is nobody's", async () => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  const call: HookFunction<unknown> = (_payload, { signal }) =>
    new Promise((_settle, reject) => signal.addEventListener("abort", () => reject(new Error("too late"))));
  hooks.register("before_tool_call", call, untold);
  expect((await hooks.run("before_tool_call", TOOL)).hooks[0]?.failure?.code).toBe("HOOK_TIMED_OUT");
});

test("the deadline of the chain bounds a function too", async () => {
  await using place = await workspace();
  using time = skippableTime();
  await using hooks = hooksIn(place, { deadline: "9s" });
  const hung = (): Promise<HookAnswer> => {
    setImmediate(time.skip);
    return never();
  };
  hooks.register("before_tool_call", hung, { name: "a" });
  hooks.register("before_tool_call", () => ({ blocked: true }), { name: "b" });
  const codes = (await hooks.run("before_tool_call", TOOL)).hooks.map(({ failure }) => failure?.code);
  expect(codes).toEqual(["HOOK_TIMED_OUT", "HOOK_DEADLINE_PASSED"]);
});

describe("a function gets the envelope of the name it registered", () => {
  const rows = [
    { name: "before_tool_call", has: ["tool_input"], lacks: ["hook", "ctx"] },
    { name: "PreToolUse", has: ["tool_input", "hook", "timestamp", "sessionId", "tool"], lacks: ["ctx"] },
    { name: "pre_tool_call", has: ["tool_input", "ctx", "args"], lacks: ["hook"] },
  ] as const;
  test.each(rows)("$name", async ({ name, has, lacks }) => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    const seen: string[] = [];
    hooks.register(name, (payload) => void seen.push(...Object.keys(payload)));
    await hooks.run("before_tool_call", TOOL);
    expect(seen).toEqual(expect.arrayContaining([...has]));
    expect(seen.filter((key) => lacks.some((lack) => lack === key))).toEqual([]);
  });
});

describe("a function may answer in any dialect", () => {
  const rows: { answer: HookAnswer; told: object }[] = [
    { answer: undefined, told: { decision: "continue", result: { blocked: false } } },
    { answer: null, told: { decision: "continue" } },
    { answer: "Continue", told: { decision: "continue" } },
    { answer: { blocked: true, reason: "a" }, told: { decision: "block", reason: "a" } },
    { answer: { action: "block", reason: "b" }, told: { decision: "block", reason: "b" } },
    { answer: { Reject: "c" }, told: { decision: "block", reason: "c" } },
    { answer: { decision: "ask", reason: "d" }, told: { decision: "ask", reason: "d" } },
    { answer: { Transform: { command: "x" } }, told: { result: { input: { command: "x" } } } },
    { answer: { Replace: { command: "y" } }, told: { decided_by: "f", result: { input: { command: "y" } } } },
    { answer: { action: "modify", modifiedInput: 1 }, told: { result: { input: 1 } } },
    { answer: { additionalContext: ["c"] }, told: { result: { additional_context: ["c"] } } },
  ];
  test.each(rows)("$answer", async ({ answer, told }) => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    hooks.register("before_tool_call", () => answer, { name: "f" });
    expect(await hooks.run("before_tool_call", TOOL)).toMatchObject(told);
  });
});

test("a function's payload is a copy of its own", async () => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  hooks.register("before_tool_call", (payload) => void Object.assign(payload, { tool_name: "changed" }));
  const seen: unknown[] = [];
  hooks.register("before_tool_call", ({ tool_name }) => void seen.push(tool_name));
  await hooks.run("before_tool_call", TOOL);
  expect(seen).toEqual(["bash"]);
});

test("numbers that a function leaves at their place keep their digits", async () => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  hooks.register("before_tool_call", ({ tool_input }) => ({ input: { ...(tool_input as object), command: "x" } }));
  const text = await hooks.runText(
    "before_tool_call",
    '{"tool_name":"bash","tool_input":{"id":12345678901234567890,"huge":1e400,"price":1.10,"list":[1.0,{"a":-0}]}}',
  );
  expect(text).toContain(
    '"input":{"id":12345678901234567890,"huge":1e400,"price":1.10,"list":[1.0,{"a":-0}],"command":"x"}',
  );
});

test("the user's settings hold for a function too", async () => {
  await using place = await workspace();
  const overrides = { f: { enabled: false }, g: { priority: 1 } };
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ version: 1, overrides }));
  await using hooks = hooksIn(place);
  for (const name of ["e", "f", "g"]) hooks.register("before_tool_call", () => undefined, { name });
  const run = await hooks.run("before_tool_call", TOOL);
  expect(outcomes(run)).toEqual(["g continue", "e continue", "f skipped"]);
  expect((await hooks.list()).hooks[0]).toMatchObject({ kind: "function", source: "config", path: "function:g" });
});
