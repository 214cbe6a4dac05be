import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inOrder } from "../../src/chain/order.ts";
import { compareBytes } from "../../src/contract/bytes.ts";
import type { Hook } from "../../src/contract/hook.ts";
import { aHook } from "./builders.ts";

const names = (hooks: readonly Hook[]): readonly string[] => hooks.map((hook) => hook.name);

describe("run order", () => {
  test("lower priority first, ties by folder, then by the byte order of names", () => {
    const hooks = [
      aHook("z", { priority: 10 }),
      aHook("a", { folder: 1 }),
      aHook("b", { folder: 0 }),
      aHook("B", { folder: 0 }),
      aHook("half", { priority: 10.5 }),
      aHook("neg", { priority: -5 }),
    ];
    expect(names(inOrder(hooks, "before_tool_call", "forward"))).toEqual(["neg", "z", "half", "B", "b", "a"]);
  });

  test("names are compared byte by byte, as no locale would", () => {
    const sorted = ["10", "9", "B", "a", "a-1", "a_1", "b", "é", "\uffff", "😀"];
    expect(
      names(
        inOrder(
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
      expect(names(inOrder(mixed, event, postOrder))).toEqual(expected);
    },
  );

  test("the order does not depend on how the hooks were found", () => {
    const hook = fc.record({
      priority: fc.integer({ min: 0, max: 3 }),
      folder: fc.nat(2),
      name: fc.constantFrom(..."abcdef"),
    });
    const key = (one: { priority: number; folder: number; name: string }): string => JSON.stringify(one);
    const hooks = fc.uniqueArray(hook, { selector: ({ folder, name }) => `${folder}${name}` });
    const shuffled = hooks.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, fc.constantFrom("forward" as const, "reverse" as const), ([one, other], postOrder) => {
        const sorted = [one, other].map((all) =>
          inOrder(
            all.map((over) => aHook(over.name, over)),
            "after_tool_call",
            postOrder,
          ).map(key),
        );
        expect(sorted[0]).toEqual(sorted[1]);
      }),
    );
  });

  test("hooks that tie in everything keep the order in which they came", () => {
    const twins = [1, 2, 3].map((hash) => aHook("twin", { hash: String(hash) }));
    expect(inOrder(twins, "agent_stop", "reverse").map((hook) => hook.hash)).toEqual(["1", "2", "3"]);
  });
});

test("byte order is the order of UTF-8", () => {
  const text = fc.string({ unit: "grapheme" });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
