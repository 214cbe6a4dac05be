import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runChain, verdictOf } from "../../src/chain/advance.ts";
import { orderHooks } from "../../src/chain/order.ts";
import { EVENT_NAMES } from "../../src/protocol/event.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import type { HookResult } from "../../src/protocol/hook-response.ts";
import { fail } from "../../src/protocol/result.ts";
import { aHook, aPayload, replied } from "../chain/builders.ts";

const machine = (over: Parameters<typeof aHook>[1] = {}): Hook => aHook("machine", { source: "machine", ...over });

/** Runs hooks with these results over a shell call, in run order. */
async function decide(hooks: readonly (readonly [Hook, HookResult])[]) {
  const results = new Map(hooks);
  const seen: string[] = [];
  const ordered = orderHooks([...results.keys()], "before_tool_call", { postOrder: "dialect", machine: DIALECT });
  const state = await runChain(ordered, aPayload("before_tool_call"), {
    invoke: async (hook, { members }) => {
      if (hook.source === "machine") seen.push(members.get("tool_input")?.raw ?? "");
      return results.get(hook) ?? replied({});
    },
  });
  return { ...verdictOf(state), seen };
}

const DIALECT = { postOrder: "dialect" } as const;
const timedOut = (hook: Hook, byDeadline: boolean): HookResult => ({
  ...replied({}),
  response: fail({ code: "HOOK_TIMED_OUT", hook: hook.name, path: hook.path, afterMs: 1, byDeadline, ended: 0 }),
});

describe("the machine's hooks judge what will happen", () => {
  test("they come last, whatever the priorities and the order after an event", () => {
    const hook = fc.record({ priority: fc.integer(), isMachine: fc.boolean(), rank: fc.nat(9) });
    const orders = fc.constantFrom("dialect", "forward", "reverse" as const);
    fc.assert(
      fc.property(fc.array(hook), fc.constantFrom(...EVENT_NAMES), orders, (all, event, postOrder) => {
        const hooks = all.map(({ priority, isMachine, rank }, index) =>
          aHook(`h${index}`, { priority, rank, source: isMachine ? "machine" : "user" }),
        );
        const sources = orderHooks(hooks, event, { postOrder, machine: DIALECT }).map(({ source }) => source);
        expect(sources).toEqual([...sources].sort((a, b) => Number(a === "machine") - Number(b === "machine")));
      }),
    );
  });

  test("they see the call as the others left it", async () => {
    const change = '{"command":"changed"}';
    const { seen } = await decide([
      [machine({ priority: -1000 }), replied({})],
      [aHook("user", { priority: 1000 }), replied({ change })],
    ]);
    expect(seen).toEqual([change]);
  });

  test("a replacement does not end the chain for them", async () => {
    const result = await decide([
      [aHook("user"), replied({ change: '{"command":"other"}', isReplace: true })],
      [machine(), replied({ decision: "block", reason: "no" })],
    ]);
    expect(result).toMatchObject({ decision: "block", decidedBy: "machine", change: null });
  });

  test("nobody's permission and nobody's question overrules their block", async () => {
    const result = await decide([
      [aHook("user"), replied({ decision: "allow" })],
      [aHook("other"), replied({ decision: "ask" })],
      [machine(), replied({ decision: "block" })],
    ]);
    expect(result).toMatchObject({ decision: "block", decidedBy: "machine", isAllowed: false });
  });
});

describe("for lack of time", () => {
  const open = machine({ failOpen: true });

  test.each([
    ["a machine's hook that the deadline ended blocks", true, "block"],
    ["one that took its own time fails as it says", false, "continue"],
  ] as const)("%s", async (_, byDeadline, decision) => {
    expect(await decide([[open, timedOut(open, byDeadline)]])).toMatchObject({ decision });
  });

  test("also after a replacement", async () => {
    const replaced = replied({ change: "{}", isReplace: true });
    const result = await decide([
      [aHook("user"), replaced],
      [open, timedOut(open, true)],
    ]);
    expect(result).toMatchObject({ decision: "block", decidedBy: "machine" });
  });
});
