import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PostOrder, sortHooks } from "../../src/chain/order.ts";
import { DIALECT_NAMES, type EventName } from "../../src/protocol/event.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import { compareByBytes } from "../../src/protocol/text/text.ts";
import { aHook } from "./builders.ts";

const names = (hooks: readonly Hook[]): readonly string[] => hooks.map((hook) => hook.name);

describe("run order", () => {
  test("lower priority first, ties by folder, then by the byte order of names", () => {
    const hooks = [
      aHook("z", { priority: 10 }),
      aHook("a", { rank: 1 }),
      aHook("b", { rank: 0 }),
      aHook("B", { rank: 0 }),
      aHook("half", { priority: 10.5 }),
      aHook("neg", { priority: -5 }),
    ];
    expect(names(sortHooks(hooks, "before_tool_call", "forward"))).toEqual(["neg", "z", "half", "B", "b", "a"]);
  });

  test("names are compared byte by byte, as no locale would", () => {
    const sorted = ["10", "9", "B", "a", "a-1", "a_1", "b", "é", "\uffff", "😀"];
    expect(
      names(
        sortHooks(
          [...sorted].reverse().map((name) => aHook(name)),
          "agent_stop",
          "forward",
        ),
      ),
    ).toEqual(sorted);
  });

  const mixed = [aHook("01", { priority: 10 }), aHook("02", { priority: 10 }), aHook("03", { priority: 50 })];
  test.each([
    ["before_tool_call", "forward", ["01", "02", "03"]],
    ["before_tool_call", "reverse", ["01", "02", "03"]],
    ["after_tool_call", "forward", ["01", "02", "03"]],
    ["after_tool_call", "reverse", ["03", "01", "02"]],
  ] as const)(
    "%s with post_order %s: priorities turn around at post events, ties never",
    (event, postOrder, expected) => {
      expect(names(sortHooks(mixed, event, postOrder))).toEqual(expected);
    },
  );

  test("the order does not depend on how the hooks were found", () => {
    const hook = fc.record({
      priority: fc.integer({ min: 0, max: 3 }),
      rank: fc.nat(2),
      name: fc.constantFrom(..."abcdef"),
    });
    const key = (one: { priority: number; rank: number; name: string }): string => JSON.stringify(one);
    const hooks = fc.uniqueArray(hook, { selector: ({ rank, name }) => `${rank}${name}` });
    const shuffled = hooks.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(
        shuffled,
        fc.constantFrom("dialect" as const, "forward" as const, "reverse" as const),
        ([one, other], postOrder) => {
          const sorted = [one, other].map((all) =>
            sortHooks(
              all.map((over) => aHook(over.name, over)),
              "after_tool_call",
              postOrder,
            ).map(key),
          );
          expect(sorted[0]).toEqual(sorted[1]);
        },
      ),
    );
  });

  test("hooks that tie in everything keep the order in which they came", () => {
    const twins = [1, 2, 3].map((hash) => aHook("twin", { hash: String(hash) }));
    expect(sortHooks(twins, "agent_stop", "reverse").map((hook) => hook.hash)).toEqual(["1", "2", "3"]);
  });
});

describe("after the event each hook stands where its own contract puts it", () => {
  const POINTS: readonly EventName[] = [
    "turn_end",
    "after_llm_call",
    "after_tool_call",
    "llm_error",
    "after_compaction",
  ];
  const hook = fc.record({
    priority: fc.integer({ min: -300, max: 300 }).map((whole) => whole / 4),
    folder: fc.nat(2),
    dialect: fc.constantFrom(...DIALECT_NAMES),
  });
  const hooks = fc.array(hook).map((all) => all.map((one, index) => aHook(`h${index}`, one)));
  const isAgentHook = ({ dialect }: Hook): boolean => dialect === "agenthook";
  const ordered = (all: readonly Hook[], event: EventName, postOrder: PostOrder = "dialect") =>
    names(sortHooks(all, event, postOrder));

  test("AgentHook's hooks among themselves run in reverse, all others as before the event", () => {
    fc.assert(
      fc.property(hooks, fc.constantFrom(...POINTS), (all, event) => {
        const after = sortHooks(all, event, "dialect");
        const [own, others] = [all.filter(isAgentHook), all.filter((one) => !isAgentHook(one))];
        expect(names(after.filter(isAgentHook))).toEqual(ordered(own, event, "reverse"));
        expect(names(after.filter((one) => !isAgentHook(one)))).toEqual(ordered(others, event, "forward"));
      }),
    );
  });

  test("two hooks keep their order whatever else is in the chain", () => {
    fc.assert(
      fc.property(hooks, fc.constantFrom(...POINTS), (all, event) => {
        const whole = ordered(all, event);
        for (const [index, one] of all.entries()) {
          const other = all[index + 1];
          if (other === undefined) continue;
          const pair = [one.name, other.name].sort((a, b) => whole.indexOf(a) - whole.indexOf(b));
          expect(ordered([one, other], event)).toEqual(pair);
        }
      }),
    );
  });

  test("nothing is turned around before the event, and at an event that AgentHook has no point for", () => {
    fc.assert(
      fc.property(
        hooks,
        fc.constantFrom("before_tool_call", "session_start", "on_error", "agent_stop"),
        (all, event) => {
          expect(ordered(all, event)).toEqual(ordered(all, event, "forward"));
        },
      ),
    );
  });

  test("a chain of several dialects", () => {
    const chain = [
      aHook("a-guard", { dialect: "agenthook", priority: 10 }),
      aHook("b-coat", { dialect: "basecoat", priority: 20 }),
      aHook("c-metrics", { dialect: "agenthook" }),
      aHook("d-kodelet"),
      aHook("e-last", { priority: 150 }),
    ];
    expect(ordered(chain, "after_tool_call")).toEqual(["b-coat", "c-metrics", "d-kodelet", "e-last", "a-guard"]);
    expect(ordered(chain, "after_tool_call", "forward")).toEqual([
      ...["a-guard", "b-coat", "c-metrics", "d-kodelet", "e-last"],
    ]);
    expect(ordered(chain, "after_tool_call", "reverse")).toEqual([
      ...["e-last", "c-metrics", "d-kodelet", "b-coat", "a-guard"],
    ]);
  });
});

test("byte order is the order of UTF-8", () => {
  const text = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareByBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
