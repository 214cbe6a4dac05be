import { describe, expect, test } from "vitest";
import { workspace } from "../../../../test/support/workspace.ts";
import type { HookSet } from "../../index.ts";
import { hooksIn, TOOL } from "./place.ts";

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

  test("a state that is not a number cannot be counted", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    hooks.use({
      name: "s",
      async beforeToolCall(_payload, { state }) {
        await state.set("a", "text");
        await state.increment("a");
      },
    });
    expect((await hooks.run("before_tool_call", { ...TOOL, conv_id: "s" })).hooks[0]?.failure?.code).toBe("HOOK_THREW");
  });

  test("a list shows a set once, in the dialect of its methods", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    hooks.use({ name: "trait", preTurn: () => undefined, onSessionEnd: () => undefined });
    hooks.use({ name: "own", turnStart: () => undefined });
    const { hooks: listed } = await hooks.list();
    expect(listed.map(({ name, events, dialect }) => [name, [...events].sort(), dialect])).toEqual([
      ["trait", ["session_end", "turn_start"], "agenthook"],
      ["own", ["turn_start"], "kodelet"],
    ]);
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

test("a set without methods does nothing, as a trait whose methods all have a default", async () => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  const remove = hooks.use({ name: "later" });
  for (const event of ["before_tool_call", "pre_tool_call"] as const)
    expect(await hooks.run(event, TOOL)).toMatchObject({ decision: "continue", hooks: [] });
  expect((await hooks.list()).hooks).toEqual([]);
  remove();
});

test("a set may have members of its own, also such as remind of an option", async () => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  const own = { observer: {}, time: 0, path: "/", failOpen: false, failed: false };
  hooks.use({ name: "busy", ...own, beforeToolCall: () => ({ reason: "seen" }) });
  expect((await hooks.run("before_tool_call", TOOL)).hooks).toMatchObject([{ name: "busy", fail_open: false }]);
});

describe("wrong use throws at once", () => {
  const rows: { title: string; set?: object; event?: string; options?: object; call?: unknown; code: string }[] = [
    { title: "an unknown event", event: "beforeTool", code: "USAGE_UNKNOWN_EVENT" },
    { title: "no function", call: {}, code: "USAGE_BAD_OPTION" },
    { title: "an observer that is closed", options: { observe: true, failOpen: false }, code: "USAGE_BAD_OPTION" },
    { title: "a priority that is no number", options: { priority: Number.NaN }, code: "USAGE_BAD_OPTION" },
    { title: "a limit without a unit", options: { timeout: "5" }, code: "USAGE_BAD_OPTION" },
    { title: "a mistyped option", options: { failopen: false }, code: "USAGE_BAD_OPTION" },
    { title: "an option of another type", options: { failOpen: "false" }, code: "USAGE_BAD_OPTION" },
    { title: "a match on what is no text", options: { match: { tool_name: 5 } }, code: "USAGE_BAD_OPTION" },
    { title: "a match that is nothing", options: { match: null }, code: "USAGE_BAD_OPTION" },
    { title: "a mistyped method", set: { name: "x", beforeToolcall: () => ({}) }, code: "USAGE_BAD_OPTION" },
    {
      title: "an event by two names",
      set: { name: "x", beforeToolCall() {}, preToolCall() {} },
      code: "USAGE_BAD_OPTION",
    },
    { title: "a mistyped method of AgentHook", set: { name: "x", preLLMCall() {} }, code: "USAGE_BAD_OPTION" },
    {
      title: "a mistyped option of a set",
      set: { name: "x", failopen: false, preTurn() {} },
      code: "USAGE_BAD_OPTION",
    },
    { title: "a set that is nothing", set: null as unknown as object, code: "USAGE_BAD_OPTION" },
    { title: "options that are nothing", options: null as unknown as object, code: "USAGE_BAD_OPTION" },
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

describe("a class is read with all its methods and getters", () => {
  const wrong: readonly (readonly [near: string, set: new () => object])[] = [
    [
      "preToolCall",
      class {
        readonly name = "x";
        preToolcall() {}
        preTurn() {}
      },
    ],
    [
      "preToolCall",
      class {
        readonly name = "x";
        onPreToolCall() {}
        preTurn() {}
      },
    ],
    [
      "preToolCall",
      class {
        readonly name = "x";
        pre_tool_call() {}
        preTurn() {}
      },
    ],
    [
      "preToolCall",
      class {
        readonly name = "x";
        preToolCallHandler() {}
        preTurn() {}
      },
    ],
    [
      "beforeToolCall",
      class {
        readonly name = "x";
        PreToolUse() {}
        preTurn() {}
      },
    ],
    [
      "preToolCall",
      class extends class {
        preToolCal() {}
      } {
        readonly name = "x";
        preTurn() {}
      },
    ],
    [
      "preToolCall",
      class {
        readonly name = "x";
        get preToolcall() {
          return () => ({ blocked: true });
        }
        preTurn() {}
      },
    ],
    [
      "failOpen",
      class {
        readonly name = "x";
        get fail_open() {
          return false;
        }
        preToolCall() {}
      },
    ],
    [
      "failOpen",
      class extends class {
        get failopen() {
          return false;
        }
      } {
        readonly name = "x";
        preToolCall() {}
      },
    ],
    [
      "priority",
      class {
        readonly name = "x";
        get prority() {
          return 5;
        }
        preToolCall() {}
      },
    ],
  ];
  test.each(wrong)("a slip of %s is refused", async (near, Slip) => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    expect(() => hooks.use(new Slip() as HookSet)).toThrow(
      expect.objectContaining({ code: "USAGE_BAD_OPTION", message: expect.stringContaining(`Did you mean ${near}?`) }),
    );
  });

  test("it may have methods for itself, also such as stand behind one that is there", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    class Guard {
      get name() {
        return "own";
      }
      get failOpen() {
        return false;
      }
      get expensive() {
        throw new Error("nobody asks for it");
      }
      preToolCall(): never {
        return this.preToolCalls();
      }
      preToolCalls(): never {
        throw new Error("down");
      }
      session() {}
      error() {}
      stop() {}
      log() {}
      isAllowed() {}
    }
    hooks.use(new Guard());
    const run = await hooks.run("before_tool_call", TOOL);
    expect(run).toMatchObject({ decision: "block", hooks: [{ name: "own", fail_open: false }] });
  });

  test("so are the options of register", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    const down = (): never => {
      throw new Error("down");
    };
    class Slip {
      get failopen() {
        return false;
      }
    }
    expect(() => hooks.register("pre_turn", down, new Slip() as object)).toThrow("Did you mean failOpen?");
    hooks.register("before_tool_call", down, Object.create({ name: "closed", failOpen: false }));
    expect(await hooks.run("before_tool_call", TOOL)).toMatchObject({ decision: "block", decided_by: "closed" });
  });
});
