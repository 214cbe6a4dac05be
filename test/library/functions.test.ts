import { describe, expect, test } from "vitest";
import type { FunctionOptions, HookAnswer, HookFunction, HookSet, PayloadOf } from "../../src/index.ts";
import { addToCommand, reply } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";
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
    { title: "it never settles", call: never, code: "HOOK_TIMED_OUT", message: "f stopped after 50 ms (its limit)" },
    { title: "it returns a number", call: () => 1, code: "REPLY_NOT_OBJECT" },
    { title: "it returns a function", call: () => () => ({}), code: "REPLY_NOT_JSON" },
    { title: "it returns a circle", call: () => circle, code: "REPLY_NOT_JSON" },
    { title: "it misspells a block", call: () => ({ block: true }), code: "REPLY_MISSPELT_KEY" },
    { title: "it answers with a wrong type", call: () => ({ blocked: "yes" }), code: "REPLY_WRONG_TYPE" },
    { title: "it answers too much", call: () => ({ reason: "x".repeat(2 ** 20) }), code: "HOOK_TOO_MUCH_OUTPUT" },
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
  await using hooks = hooksIn(place, { deadline: "50ms" });
  hooks.register("before_tool_call", never, { name: "a" });
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

describe("worked compositions of files and functions in one chain", () => {
  const put = (command: string) => (): HookAnswer => ({ input: { command } });
  const block = (): HookAnswer => ({ blocked: true, reason: "no" });
  const more: HookFunction<{ readonly tool_input: unknown }> = ({ tool_input }) => ({
    input: { command: `${(tool_input as { command: string }).command} -f` },
  });
  const pass = (): HookAnswer => undefined;
  interface Composition {
    readonly title: string;
    readonly files: readonly (readonly [name: string, priority: number, body: string])[];
    readonly functions: readonly (readonly [
      name: string,
      FunctionOptions,
      HookFunction<PayloadOf<"before_tool_call">>,
    ])[];
    readonly outcomes: readonly string[];
    readonly told: object;
  }
  const rows: readonly Composition[] = [
    {
      title: "a file's change is what a function sees, and a function's what a file sees",
      files: [
        ["a", 10, addToCommand("-a")],
        ["c", 30, addToCommand("-c")],
      ],
      functions: [["b", { priority: 20 }, more]],
      outcomes: ["a modify", "b modify", "c modify"],
      told: { decision: "continue", result: { input: { command: "ls -a -f -c" } } },
    },
    {
      title: "a function's block drops the change of a file, and an observing function still runs",
      files: [
        ["a", 10, addToCommand("-a")],
        ["z", 90, reply({})],
      ],
      functions: [
        ["o", { priority: 95, observe: true }, pass],
        ["b", { priority: 20 }, block],
      ],
      outcomes: ["a modify", "b block", "z skipped", "o observed"],
      told: { decision: "block", reason: "no", result: { blocked: true } },
    },
    {
      title: "a file's block skips a function",
      files: [["a", 10, reply({ blocked: true })]],
      functions: [["b", {}, put("x")]],
      outcomes: ["a block", "b skipped"],
      told: { decision: "block", decided_by: "a" },
    },
    {
      title: "where priorities tie, functions come after files, in the order of registration",
      files: [["z", 100, reply({})]],
      functions: [
        ["b", {}, pass],
        ["a", {}, pass],
      ],
      outcomes: ["z continue", "b continue", "a continue"],
      told: { decision: "continue" },
    },
    {
      title: "a function's replacement ends the chain",
      files: [["z", 100, reply({ blocked: true })]],
      functions: [["a", { priority: 1 }, () => ({ Replace: { command: "safe" } })]],
      outcomes: ["a replace", "z skipped"],
      told: { decision: "continue", decided_by: "a", result: { input: { command: "safe" } } },
    },
    {
      title: "a function whose match does not fit has no turn",
      files: [],
      functions: [["a", { match: { tool_name: "web*" } }, block]],
      outcomes: ["a skipped"],
      told: { decision: "continue" },
    },
    {
      title: "a file of the same name does not hide a function",
      files: [["same", 100, reply({})]],
      functions: [["same", {}, block]],
      outcomes: ["same continue", "same block"],
      told: { decision: "block" },
    },
  ];
  test.each(rows)("$title", async ({ files, functions, outcomes: wanted, told }) => {
    await using place = await workspace();
    for (const [name, priority, body] of files) {
      await place.hook(name, body, { says: JSON.stringify({ event: "before_tool_call", priority }), scope: "project" });
    }
    await using hooks = hooksIn(place, { trust: true });
    for (const [name, options, call] of functions) hooks.register("before_tool_call", call, { ...options, name });
    const run = await hooks.run("before_tool_call", TOOL);
    expect(outcomes(run)).toEqual(wanted);
    expect(run).toMatchObject(told);
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

describe("use", () => {
  test("takes a method for each event, and they share the state of a session", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    const seen: unknown[] = [];
    const remove = hooks.use({
      name: "count",
      async beforeToolCall(_payload, { state, hook, event, session }) {
        seen.push([hook, event, session, await state.increment("calls")]);
      },
      async sessionEnd(_payload, { state }) {
        seen.push(await state.get("calls"));
        await state.set("list", [1]);
        await state.delete("calls");
        seen.push(await state.get("calls"), await state.get("list"));
      },
    });
    for (const conv_id of ["a", "a", "b", "", ""]) await hooks.run("PreToolUse", { ...TOOL, conv_id });
    await hooks.run("session_end", { conv_id: "a" });
    const call = (session: string, count: number) => ["count", "before_tool_call", session, count];
    expect(seen).toEqual([call("a", 1), call("a", 2), call("b", 1), call("", 1), call("", 1), 2, undefined, [1]]);
    remove();
    expect((await hooks.run("before_tool_call", TOOL)).hooks).toEqual([]);
  });

  test("a state that is no number cannot be counted", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    hooks.use({
      name: "s",
      async beforeToolCall(_payload, { state }) {
        await state.set("a", "text");
        await state.increment("a");
      },
    });
    expect((await hooks.run("before_tool_call", TOOL)).hooks[0]?.failure?.code).toBe("HOOK_THREW");
  });

  test("methods of a class keep what they belong to", async () => {
    class Guard {
      readonly name = "guard";
      #reason = "mine";
      beforeToolCall() {
        return { blocked: true, reason: this.#reason };
      }
    }
    await using place = await workspace();
    await using hooks = hooksIn(place);
    hooks.use(new Guard());
    expect(await hooks.run("before_tool_call", TOOL)).toMatchObject({ decided_by: "guard", reason: "mine" });
  });
});

describe("wrong use throws at once", () => {
  const rows: { title: string; set?: object; event?: string; options?: object; call?: unknown; code: string }[] = [
    { title: "an unknown event", event: "beforeTool", code: "USAGE_UNKNOWN_EVENT" },
    { title: "no function", call: {}, code: "USAGE_BAD_OPTION" },
    { title: "an observer that is closed", options: { observe: true, failOpen: false }, code: "USAGE_BAD_OPTION" },
    { title: "a priority that is no number", options: { priority: Number.NaN }, code: "USAGE_BAD_OPTION" },
    { title: "a limit without a unit", options: { timeout: "5" }, code: "USAGE_BAD_OPTION" },
    { title: "a mistyped method", set: { name: "x", beforeToolcall: () => ({}) }, code: "USAGE_BAD_OPTION" },
    { title: "no method at all", set: { name: "x" }, code: "USAGE_BAD_OPTION" },
  ];
  test.each(rows)("$title", async ({ set, event = "before_tool_call", options, call = () => undefined, code }) => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    const wrong = (): unknown =>
      set === undefined
        ? hooks.register(event as "before_tool_call", call as () => undefined, options)
        : hooks.use(set as HookSet);
    expect(wrong).toThrow(expect.objectContaining({ name: "HookctlError", code }));
  });
});
