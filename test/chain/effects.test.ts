import { describe, expect, test } from "vitest";
import { runChain, verdictOf } from "../../src/chain/advance.ts";
import { EVENT_NAMES, EVENT_ROWS } from "../../src/protocol/event.ts";
import { aHook, aPayload, crashed, outcomes, replied, result } from "./builders.ts";

const BLOCK = '{"blocked":true,"reason":"no"}';
const [a, b] = [aHook("a"), aHook("b")];

describe.each(EVENT_NAMES)("6. and 7. at %s", (event) => {
  const effect = EVENT_ROWS[event].onBlock;
  const decision = { deny: "block", halt: "halt", ignore: "continue" }[effect];
  const payload = aPayload(event);

  test("a failed open hook is a warning and the next one is asked", async () => {
    const state = await runChain([a, b], payload, {
      invoke: async (hook) => (hook === a ? crashed(hook) : replied({})),
    });
    expect(verdictOf(state)).toMatchObject({ decision: "continue", warnings: [expect.stringContaining("SIGSEGV")] });
    expect(outcomes({ verdict: verdictOf(state) })).toEqual(["failed", "continue"]);
  });

  test(`a failed closed hook is a block, which is to ${effect}`, async () => {
    const closed = aHook("closed", { failOpen: false });
    const verdict = verdictOf(
      await runChain([closed, b], payload, { invoke: async (hook) => (hook === b ? replied({}) : crashed(hook)) }),
    );
    expect(verdict.decision).toBe(decision);
    expect(verdict.decidedBy).toBe(effect === "ignore" ? null : "closed");
    expect(outcomes({ verdict })).toEqual(["failed", effect === "ignore" ? "continue" : "skipped"]);
    expect(verdict.warnings.length).toBe(effect === "ignore" ? 2 : 1);
  });

  test.each(["", " ", "\n\t"])(`a block with the blank reason %j is to ${effect}, and has a reason`, async (reason) => {
    const run = await result(payload, [[a, JSON.stringify({ blocked: true, reason })]]);
    const given = effect === "ignore" ? null : "blocked by hook a";
    expect(run.verdict).toMatchObject({ decision, reason: given });
  });

  test(`a block is to ${effect}`, async () => {
    const run = await result(payload, [
      [a, BLOCK],
      [b, ""],
    ]);
    expect(run.verdict.decision).toBe(decision);
    expect(run.asked).toEqual(effect === "ignore" ? ["a", "b"] : ["a"]);
    expect(run.verdict.warnings.length).toBe(effect === "ignore" ? 1 : 0);
  });

  test(`a wish to ask is ${effect === "ignore" ? "ignored" : "asked"}`, async () => {
    const run = await result(payload, [[a, '{"decision":"ask"}']]);
    expect(run.verdict.decision).toBe(effect === "ignore" ? "continue" : "ask");
  });

  test("8. a change where there is no target is ignored with a warning", async () => {
    const hasTarget = EVENT_ROWS[event].target !== null;
    const value = event === "user_message_send" ? '"m"' : "{}";
    const { verdict } = await result(payload, [[a, `{"Transform":${value}}`]]);
    expect(verdict.change).toBe(hasTarget ? value : null);
    expect(verdict.warnings.length).toBe(hasTarget ? 0 : 1);
  });
});
