import { describe, expect, test } from "vitest";
import { withErrorVerdict } from "../../src/chain/merge-on-error.ts";
import { EVENT_NAMES, EVENT_ROWS, type EventName } from "../../src/protocol/event.ts";
import type { Verdict } from "../../src/protocol/verdict.ts";
import { aHook, aPayload, result } from "./builders.ts";

const [a, b] = [aHook("a"), aHook("b")];
const saying = async (event: EventName, text: string): Promise<Verdict> =>
  (await result(aPayload(event), [[a, text]])).verdict;
const raisedBy = async (text: string): Promise<Verdict> => (await result(aPayload("on_error"), [[b, text]])).verdict;

const FAILED = { kind: "hook", name: "a" } as const;
const CHANGE = '{"input":{"n":1}}';
const BLOCK = '{"blocked":true,"reason":"no"}';
const ASK = '{"decision":"ask","reason":"sure?"}';

test("a block that on_error adds drops the changes, and the payload is the one that was sent", async () => {
  const verdict = withErrorVerdict(await saying("before_tool_call", CHANGE), await raisedBy(BLOCK), FAILED);
  expect(verdict).toMatchObject({ decision: "block", reason: "no", decidedBy: "b", change: null });
  expect(verdict.payload).toBe(verdict.sent);
});

test("a question that it adds keeps them", async () => {
  const before = await saying("before_tool_call", CHANGE);
  const verdict = withErrorVerdict(before, await raisedBy(ASK), FAILED);
  expect(verdict).toMatchObject({ decision: "ask", reason: "sure?", decidedBy: "b", change: '{"n":1}' });
  expect(verdict.payload).toBe(before.payload);
});

describe.each(EVENT_NAMES)("at %s what on_error says is what the chain would say", (event) => {
  test.each([BLOCK, ASK])("%s", async (text) => {
    const own = await saying(event, text);
    const verdict = withErrorVerdict(await saying(event, ""), await raisedBy(text), FAILED);
    expect(verdict.decision).toBe(own.decision);
    expect(verdict.decidedBy).toBe(own.decidedBy === null ? null : "b");
    expect(verdict.warnings.length).toBe(EVENT_ROWS[event].onBlock === "ignore" ? 1 : 0);
  });
});
