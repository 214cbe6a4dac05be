import { expect, test } from "vitest";
import { startChain, verdictOf } from "../../src/chain/advance.ts";
import { combineVerdicts } from "../../src/engine/run/run-event.ts";
import type { VerdictDecision } from "../../src/protocol/verdict.ts";
import { aPayload } from "../chain/builders.ts";

const decided = (decision: VerdictDecision) => ({
  ...verdictOf(startChain(aPayload("before_tool_call"))),
  ...{ decision, decidedBy: decision, reason: decision },
});

const rows: readonly (readonly [VerdictDecision, VerdictDecision, VerdictDecision])[] = [
  ["continue", "block", "block"],
  ["block", "continue", "block"],
  ["ask", "block", "block"],
  ["continue", "ask", "ask"],
  ["ask", "halt", "halt"],
  ["halt", "block", "block"],
  ["continue", "continue", "continue"],
];

test.each(rows)("of several events the strictest answer decides: %s and %s make %s", (first, second, decision) => {
  expect(combineVerdicts([decided(first), decided(second)])).toMatchObject({
    decision,
    decidedBy: decision,
    reason: decision,
  });
});
