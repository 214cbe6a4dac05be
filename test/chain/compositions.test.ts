import { expect, test } from "vitest";
import type { PostOrder } from "../../src/chain/order.ts";
import { checkConfig } from "../../src/config/schema/check-config.ts";
import { EVENT_ROWS, type EventName } from "../../src/protocol/event.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import { stringOf } from "../../src/protocol/json/read.ts";
import type { Payload } from "../../src/protocol/payload/payload.ts";
import type { Verdict } from "../../src/protocol/verdict.ts";
import { aHook, aPayload, outcomes, type Prints, result } from "./builders.ts";

interface Composition {
  readonly title: string;
  readonly event: EventName;
  readonly hooks: readonly (readonly [name: string, over: Partial<Hook>, prints: Prints])[];
  readonly postOrder?: PostOrder;
  readonly outcomes: readonly string[];
  readonly verdict: Partial<Verdict>;
}

const PRE = "before_tool_call";
const POST = "after_tool_call";
const AT_LS = { tool_input: "ls", tool_output: "secret" };
const appending = (form: (value: string) => object, tail: string) => (payload: Payload) =>
  JSON.stringify(form(targetOf(payload) + tail));
const output = (value: string): object => ({ output: value });
const modifiedOutput = (value: string): object => ({ action: "modify", modifiedOutput: value });

const COMPOSITIONS: readonly Composition[] = [
  {
    title: "1 a change, then a block: the block wins, the change is dropped, the observer still runs",
    event: PRE,
    hooks: [
      ["a", { priority: 20 }, '{"input":"ls -la"}'],
      ["b", { priority: 30.5 }, (payload) => JSON.stringify({ blocked: true, reason: `saw ${targetOf(payload)}` })],
      ["c", { priority: 90, observe: true }, ""],
    ],
    outcomes: ["modify", "block", "observed"],
    verdict: { decision: "block", reason: "saw ls -la", decidedBy: "b", change: null },
  },
  {
    title: "2 two changes in two dialects: the second sees the first",
    event: PRE,
    hooks: [
      ["a", {}, '{"input":"ls -a"}'],
      ["b", { dialect: "agenthook" }, appending((value) => ({ Transform: value }), " -l")],
    ],
    outcomes: ["modify", "modify"],
    verdict: { decision: "continue", change: '"ls -a -l"' },
  },
  {
    title: "3 a change, then `input: null`: the change stays",
    event: PRE,
    hooks: [
      ["a", {}, '{"input":"ls -a"}'],
      ["b", {}, '{"blocked":false,"input":null}'],
    ],
    outcomes: ["modify", "continue"],
    verdict: { decision: "continue", change: '"ls -a"' },
  },
  {
    title: "4 context, then a block: the context is kept, the hook behind is skipped",
    event: PRE,
    hooks: [
      ["a", { priority: 50 }, '{"additional_context":["late"]}'],
      ["b", { priority: 10 }, '{"additional_context":["use trash-cli"]}'],
      ["c", { priority: 20 }, '{"blocked":true,"reason":"no rm"}'],
    ],
    outcomes: ["continue", "block", "skipped"],
    verdict: { decision: "block", reason: "no rm", context: ["use trash-cli"] },
  },
  {
    title: "5 a closed hook that prints no JSON blocks",
    event: PRE,
    hooks: [
      ["a", { failOpen: false }, "oops"],
      ["b", {}, '{"input":"x"}'],
    ],
    outcomes: ["failed", "skipped"],
    verdict: { decision: "block", decidedBy: "a", reason: expect.stringContaining("a could not decide") },
  },
  {
    title: "5b an open hook that prints no JSON is a warning; the next one's change applies",
    event: PRE,
    hooks: [
      ["a", {}, "oops"],
      ["b", {}, '{"input":"x"}'],
    ],
    outcomes: ["failed", "modify"],
    verdict: { decision: "continue", change: '"x"', warnings: [expect.stringContaining("JSON")] },
  },
  {
    title: "5c a closed hook that fails where a block is ignored: a warning",
    event: "session_end",
    hooks: [["a", { failOpen: false }, "oops"]],
    outcomes: ["failed"],
    verdict: {
      decision: "continue",
      warnings: [expect.stringContaining("JSON"), expect.stringContaining("cannot be blocked")],
    },
  },
  {
    title: "6 a replacement ends the chain; the guard behind is skipped, the observer runs",
    event: PRE,
    hooks: [
      ["a", { priority: 1 }, '{"Replace":"safe"}'],
      ["b", { priority: 2, failOpen: false }, '{"blocked":true}'],
      ["c", { priority: 3, observe: true }, ""],
    ],
    outcomes: ["replace", "skipped", "observed"],
    verdict: { decision: "continue", decidedBy: "a", change: '"safe"' },
  },
  {
    title: "7 after the event the order is that of before, by default",
    event: POST,
    hooks: [
      ["guard", { priority: 10 }, appending(output, "|guard")],
      ["metrics", { priority: 100 }, appending(output, "|metrics")],
      ["log", { priority: 50 }, appending(output, "|log")],
    ],
    outcomes: ["modify", "modify", "modify"],
    verdict: { decision: "continue", change: '"secret|guard|log|metrics"' },
  },
  {
    title: "7 with `post_order: reverse` priorities are turned around after the event",
    event: POST,
    postOrder: "reverse",
    hooks: [
      ["guard", { priority: 10 }, appending(output, "|guard")],
      ["metrics", { priority: 100 }, appending(output, "|metrics")],
      ["log", { priority: 50 }, appending(output, "|log")],
    ],
    outcomes: ["modify", "modify", "modify"],
    verdict: { decision: "continue", change: '"secret|metrics|log|guard"' },
  },
  {
    title: "7b without priorities files keep their order, also turned around",
    event: POST,
    postOrder: "reverse",
    hooks: [
      ["03", {}, appending(output, "03")],
      ["01", {}, appending(output, "01")],
      ["02", {}, appending(output, "02")],
    ],
    outcomes: ["modify", "modify", "modify"],
    verdict: { change: '"secret010203"' },
  },
  {
    title: "7c with `post_order: forward`, as Base Coat has it, 20 goes before 80 after the event too",
    event: POST,
    postOrder: "forward",
    hooks: [
      ["a", { priority: 80, dialect: "basecoat" }, appending(modifiedOutput, "80")],
      ["b", { priority: 20, dialect: "basecoat" }, appending(modifiedOutput, "20")],
    ],
    outcomes: ["modify", "modify"],
    verdict: { change: '"secret2080"' },
  },
  {
    title: "8 a block where it is ignored: a warning, and the next hook runs",
    event: "session_end",
    hooks: [
      ["a", {}, '{"blocked":true}'],
      ["b", {}, '{"system_message":"bye"}'],
    ],
    outcomes: ["continue", "continue"],
    verdict: { decision: "continue", warnings: [expect.stringContaining("cannot be blocked")], systemMessage: "bye" },
  },
  {
    title: "9 a block after the thing has happened halts, and the output stays",
    event: POST,
    hooks: [
      ["a", {}, '{"output":"x"}'],
      ["loop", {}, '{"blocked":true,"reason":"loop"}'],
    ],
    outcomes: ["modify", "block"],
    verdict: { decision: "halt", reason: "loop", change: null },
  },
  {
    title: "10 a change where there is nothing to change is ignored with a warning",
    event: "agent_stop",
    hooks: [["a", {}, '{"output":"x"}']],
    outcomes: ["continue"],
    verdict: { decision: "continue", change: null, warnings: [expect.stringContaining("agent_stop")] },
  },
  {
    title: "11 two dialects in one answer: the more restrictive one wins",
    event: PRE,
    hooks: [["a", {}, '{"blocked":true,"action":"passThrough"}']],
    outcomes: ["block"],
    verdict: { decision: "block" },
  },
  {
    title: "12 follow-ups and pushes add up; nothing stops the chain at agent_stop",
    event: "agent_stop",
    hooks: [
      ["a", {}, '{"follow_up_messages":["a"]}'],
      ["b", {}, '{"pushes":[{"message":"p","wake":false}]}'],
      ["c", {}, '{"follow_up_messages":["","b"]}'],
    ],
    outcomes: ["continue", "continue", "continue"],
    verdict: { decision: "continue", followUps: ["a", "b"], pushes: ['{"message":"p","wake":false}'] },
  },
  {
    title: "13 an observer that fails is a warning; one that is closed is refused before any chain",
    event: PRE,
    hooks: [
      ["a", { observe: true }, "oops"],
      ["b", {}, '{"input":"x"}'],
    ],
    outcomes: ["failed", "modify"],
    verdict: { decision: "continue", change: '"x"', warnings: [expect.stringContaining("JSON")] },
  },
  {
    title: "14 all hooks fail: go on, with every failure as a warning",
    event: PRE,
    hooks: [
      ["a", {}, "oops"],
      ["b", {}, "[]"],
      ["c", {}, '{"blocked":"yes"}'],
    ],
    outcomes: ["failed", "failed", "failed"],
    verdict: { decision: "continue", warnings: ["a", "b", "c"].map((name) => expect.stringContaining(name)) },
  },
  {
    title: "15 a block, then a hook that would overwrite the context: it never runs",
    event: PRE,
    hooks: [
      ["a", {}, '{"additional_context":["before"]}'],
      ["b", {}, '{"blocked":true}'],
      ["c", {}, '{"additional_context":["after"],"additional_context_mode":"overwrite"}'],
    ],
    outcomes: ["continue", "block", "skipped"],
    verdict: { decision: "block", context: ["before"] },
  },
];

test.each(COMPOSITIONS)("$title", async ({ event, hooks, postOrder, outcomes: expected, verdict }) => {
  const payload = aPayload(event, event === PRE || event === POST ? AT_LS : {});
  const run = await result(
    payload,
    hooks.map(([name, over, prints]) => [aHook(name, over), prints]),
    postOrder,
  );
  expect(outcomes(run)).toEqual(expected);
  expect(run.verdict).toMatchObject(verdict);
  if (run.verdict.change === null) expect(run.verdict.payload).toBe(run.verdict.sent);
});

const CLOSED_OBSERVER = { observe: true, fail_open: false };
const closedObservers = [
  { title: "as an override", config: { overrides: { log: CLOSED_OBSERVER } }, entry: "overrides.log" },
  {
    title: "as an entry",
    config: { hooks: { before_tool_call: [{ ...CLOSED_OBSERVER, command: "log" }] } },
    entry: "hooks.before_tool_call[0]",
  },
];

test.each(closedObservers)(
  "13 a closed observer is a contradiction when settings are loaded: $title",
  ({ config, entry }) => {
    expect(checkConfig(config, "hooks.json", "user")).toMatchObject({
      ok: false,
      error: { code: "CONFIG_CONTRADICTION", entry },
    });
  },
);

/** The target's text; every target here is one field with a string in it. */
function targetOf(payload: Payload): string {
  const { target } = EVENT_ROWS[payload.event];
  const span = typeof target === "string" ? payload.members.get(target) : undefined;
  return span === undefined ? "" : stringOf(span);
}
