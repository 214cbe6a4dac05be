import { expect, test } from "vitest";
import { runLine } from "../../src/audit/log-lines.ts";
import { createRedactor, redactResult } from "../../src/audit/redact.ts";
import { newRunId } from "../../src/audit/run-stamp.ts";
import { runChain, verdictOf } from "../../src/chain/advance.ts";
import { readResponse } from "../../src/dialects/response/read-response.ts";
import { makeRunRecord } from "../../src/engine/run/run-record.ts";
import { aHook, aPayload, asked } from "../chain/builders.ts";

async function lineOf(names: readonly string[], prints: string): Promise<Record<string, unknown>> {
  const redact = createRedactor({ A_TOKEN: "hush-hush" });
  const state = await runChain(
    names.map((name) => aHook(name)),
    aPayload("before_tool_call", { conv_id: "c1", tool_input: { command: "classified" } }),
    // As in a run: what a hook printed is redacted before the chain uses it.
    { invoke: async (hook, { event }) => redactResult(asked(readResponse(hook, event, Buffer.from(prints))), redact) },
  );
  const run = makeRunRecord({ verdict: verdictOf(state), runId: "R1", durationMs: 12.34, redact });
  const line = runLine({
    run,
    origin: { project: null, agent: null, user: "jo", call: null, trace: null },
    isoTime: "2026-01-02T03:04:05.000Z",
    interruptedBy: null,
    hash: (text) => `hash of ${text.length}`,
    policy: "digest",
  });
  expect(line).not.toContain("\n");
  return JSON.parse(line) as Record<string, unknown>;
}

test("a run is one line of names and numbers, without the payload's values", async () => {
  const line = await lineOf(["guard"], '{"input":{"command":"classified too"}}');
  expect(line).toMatchObject({ schema: "hookctl.record/1", run_id: "R1", event: "before_tool_call", session: "c1" });
  expect(line).toMatchObject({ decision: "continue", duration_ms: 12.3, value_hash: "hash of 28" });
  expect(line.changed).toEqual(["tool_input.command"]);
  expect(line.hooks).toMatchObject([{ name: "guard", outcome: "modify", value_hash: "hash of 28", trust: "trusted" }]);
  expect(JSON.stringify(line)).not.toContain("classified");
});

test("reason, warnings and metadata are redacted before they are stored, and stay JSON", async () => {
  const line = await lineOf(
    ["guard"],
    '{"blocked":true,"reason":"saw hush-hush","warnings":["hush-hush"],"metadata":{"token":"hush\\"hush","tokens":131072,"x":"hush-hush"}}',
  );
  expect(line).toMatchObject({
    decision: "block",
    decided_by: "guard",
    reason: "saw [redacted]",
    warnings: ["guard: [redacted]"],
  });
  expect(line.hooks).toMatchObject([{ metadata: { token: "[redacted]", tokens: 131072, x: "[redacted]" } }]);
});

test.each(["constructor", "toString", "__proto__", "a\u001b[2J\u202e\nb"])(
  "a hook named %j has an honest line",
  async (name) => {
    expect((await lineOf([name], "")).hooks).toEqual([expect.not.objectContaining({ metadata: expect.anything() })]);
    expect((await lineOf([name], '{"metadata":{"n":1}}')).hooks).toMatchObject([{ name, metadata: { n: 1 } }]);
  },
);

test("run ids sort by time and are 26 characters that are easy to read", () => {
  const random = (): number => 0.999_999;
  const ids = [0, 1, 31, 32, 1_700_000_000_000, 1_700_000_000_001].map((ms) => newRunId(ms, random));
  expect([...ids].sort()).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
});
