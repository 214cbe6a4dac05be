import { expect, test } from "vitest";
import { EMPTY_RESPONSE, type HookResponse, type HookResult } from "../../../src/protocol/hook-response.ts";
import { RESPONSE_CHECKS } from "../checks/response-checks.ts";
import type { Invocation } from "../scratch/invoke-in-scratch.ts";
import type { Finding } from "../test-report.ts";

const at = { hook: "guard", path: "/h/guard" };
const asked: HookResult = {
  response: { ok: true, value: null },
  wasNotInvoked: false,
  exitCode: 0,
  signal: null,
  durationMs: 1,
  stderr: "",
  warnings: [],
};
const answer = (of: Partial<HookResult>, name = "handles a sample payload", stdout = ""): Invocation => ({
  checkName: name,
  result: { ...asked, ...of },
  stdout,
});
const said = (reply: Partial<HookResponse>): Partial<HookResult> => ({
  response: { ok: true, value: { ...EMPTY_RESPONSE, ...reply } },
});
const timedOut: Partial<HookResult> = {
  response: { ok: false, error: { code: "HOOK_TIMED_OUT", ...at, afterMs: 1000, byDeadline: false, ended: 0 } },
  exitCode: null,
};

/** What all checks find, those that pass without a word left out. Null: there was nothing to judge. */
function result(...answers: readonly Invocation[]): Readonly<Record<string, string | null>> {
  const judged = Object.entries(RESPONSE_CHECKS).map(([name, check]): [string, Finding | null] => [
    name,
    check(answers),
  ]);
  const lines = judged.flatMap(([name, finding]): [string, string | null][] => {
    if (finding === null) return [[name, null]];
    if (finding.passed && finding.message === null) return [];
    return [[name, `${finding.passed ? "▲" : "✖"} ${finding.message}`]];
  });
  return Object.fromEntries(lines);
}

test("an answer without a fault is passed without a word", () => {
  expect(result(answer({}), answer(said({ decision: "block", reason: "no" })))).toEqual({
    "decides the same with unknown fields": null,
  });
});

test("a slow answer is told and no fault", () => {
  const slow = answer({ warnings: [{ code: "SLOW", hook: "guard", durationMs: 3400 }], durationMs: 3400 });
  expect(result(slow)).toMatchObject({ "finishes within its timeout": "▲ guard is slow: 3.4 s" });
});

test("an answer at the limit is a fault, and nothing else is judged by it", () => {
  expect(result(answer(timedOut))).toEqual({
    "prints one JSON object or nothing": null,
    "gives a reason when it blocks": null,
    "blocks with exit 0": null,
    "decides the same with unknown fields": null,
    "finishes within its timeout": "✖ it exceeded its timeout (handles a sample payload)",
    "leaves no process behind": null,
  });
});

test("a fault at another payload than the sample names it", () => {
  const mute = answer(said({ decision: "block" }), "survives an empty payload");
  expect(result(answer({}), mute)).toMatchObject({
    "gives a reason when it blocks": "✖ it blocked without a reason (survives an empty payload)",
  });
});

test("a question without a reason is a fault as well", () => {
  expect(result(answer(said({ decision: "ask" })))).toMatchObject({
    "gives a reason when it blocks": "✖ it blocked without a reason",
  });
});

test("what may be a block and cannot be read is a fault, one that counts beside a failure a remark", () => {
  const error = { code: "HOOK_SIGNALLED", ...at, signal: "SIGSEGV" } as const;
  const warnings = [{ code: "BLOCK_LOST", hook: "guard" }] as const;
  expect(result(answer({ response: { ok: false, error }, exitCode: null, signal: "SIGSEGV", warnings }))).toMatchObject(
    {
      "blocks with exit 0": "✖ it may have printed a block, but its output cannot be read",
    },
  );
  expect(
    result(answer({ ...said({ decision: "block", reason: "no" }), exitCode: 1, failedWith: "exit 1" })),
  ).toMatchObject({
    "blocks with exit 0": expect.stringContaining("its block applies, but it ended with exit 1"),
  });
});

test("the faulty line is shown with its neighbours", () => {
  const error = { code: "REPLY_NOT_JSON", ...at, line: 3, detail: "x", text: "c" } as const;
  const check = RESPONSE_CHECKS["prints one JSON object or nothing"];
  const finding = check?.([answer({ response: { ok: false, error } }, undefined, "a\nb\nc\nd\ne\nf\n")]);
  expect(finding?.excerpt).toEqual(["line 2  b", "line 3  c   ← not JSON", "line 4  d", "line 5  e"]);
});
