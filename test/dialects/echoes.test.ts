import { describe, expect, test } from "vitest";
import {
  DIALECT_NAMES,
  type DialectName,
  EVENT_NAMES,
  type EventName,
  eventRow,
  fieldsOf,
} from "../../src/contract/event.ts";
import { jsonText } from "../../src/contract/json-text.ts";
import { type Payload, payloadText, readPayload, withChange } from "../../src/contract/payload.ts";
import { sampleOf } from "../../src/contract/sample.ts";
import { addedFor, fromEnvelope } from "../../src/dialects/dialects.ts";

const MOMENT = { isoTime: "2026-01-02T03:04:05.000Z", checkout: () => ({ repository: null, branch: null }) };

const heard = (event: EventName, text: string): Payload => {
  const payload = readPayload(event, text, "/own", fromEnvelope);
  if (!payload.ok) throw new Error(JSON.stringify(payload.error));
  return payload.value;
};
/** What a hook of a dialect gets on stdin. */
const told = (dialect: DialectName, payload: Payload): string =>
  payloadText(payload, addedFor(dialect, payload, MOMENT));

/** A value of the target's kind, with a word in it. */
const valued = (event: EventName, target: string, word: string): unknown => {
  const kind = fieldsOf(event)[target]?.kind;
  return kind === "text" ? word : { word };
};

/** Each event with one target, in the words of each dialect: as `payload` prints it, and as the dialect's own caller. */
const ENVELOPES = EVENT_NAMES.flatMap((event) => {
  const { target, aliases } = eventRow(event);
  if (typeof target !== "string") return [];
  const sample = heard(event, JSON.stringify({ ...sampleOf(event, "/"), [target]: valued(event, target, "OLD") }));
  return DIALECT_NAMES.flatMap((dialect) => {
    const printed: Readonly<Record<string, unknown>> = JSON.parse(told(dialect, sample));
    const { event: _event, [target]: ours, ...theirs } = printed;
    const isNamedOtherwise = dialect in aliases && JSON.stringify(theirs).includes("OLD");
    const own = isNamedOtherwise ? theirs : { ...theirs, [target]: ours };
    return [
      { event, target, dialect, how: "as a sample", sent: JSON.stringify(printed) },
      { event, target, dialect, how: "as its own envelope", sent: JSON.stringify(own) },
    ];
  });
});

describe("what one hook took out stands under no name for the next one", () => {
  test.each(ENVELOPES)("$event of $dialect, $how", ({ event, target, sent }) => {
    const payload = heard(event, sent);
    expect(told("kodelet", payload)).toContain("OLD");
    const changed = withChange(payload, JSON.stringify(valued(event, target, "NEW")));
    for (const dialect of DIALECT_NAMES) {
      expect(told(dialect, changed)).toContain("NEW");
      expect(told(dialect, changed)).not.toContain("OLD");
    }
  });
});

describe("what no hook changed reaches each of them as it was written", () => {
  const claude = '"hook_event_name":"PostToolUse","session_id":"s"';
  test.each<readonly [title: string, event: EventName, sent: string]>([
    ["a prompt", "user_message_send", '{"hook_event_name":"UserPromptSubmit","prompt":"\\u0061 \\/ b","n":1.10}'],
    [
      "a result",
      "after_tool_call",
      `{${claude},"tool_name":"Bash","tool_input":{},"tool_response":{ "n" : 1e400, "a":[1 ] }}`,
    ],
    [
      "a result that has a result",
      "after_tool_call",
      `{${claude},"tool_name":"WebFetch","tool_input":{},"tool_response":{"code":200,"result":{"x" : 1}}}`,
    ],
    [
      "Base Coat's tool",
      "after_tool_call",
      '{"hook":"PostToolUse","sessionId":"s","tool":{ "output":"x", "name":"bash","input":{"n":1.10} ,"success":true,"durationMs":4.0}}',
    ],
    [
      "instructions",
      "before_compaction",
      '{"hook_event_name":"PreCompact","trigger":"auto","custom_instructions":"keep \\u0061"}',
    ],
  ])("%s", (_title, event, sent) => {
    const payload = heard(event, sent);
    for (const dialect of DIALECT_NAMES) expect(told(dialect, payload).startsWith(sent.slice(0, -1))).toBe(true);
  });
});

describe("after a change every name says the new value, in the shape that it had", () => {
  const changedIn = (event: EventName, sent: object, change: unknown): unknown =>
    JSON.parse(payloadText(withChange(heard(event, JSON.stringify(sent)), JSON.stringify(change))));
  const call = { session_id: "s", tool_name: "WebFetch", tool_input: {} };

  test.each<readonly [title: string, event: EventName, sent: object, change: unknown, seen: object]>([
    [
      "a prompt",
      "user_message_send",
      { hook_event_name: "UserPromptSubmit", prompt: "a" },
      "b",
      { prompt: "b", message: "b" },
    ],
    [
      "a whole result",
      "after_tool_call",
      { hook_event_name: "PostToolUse", ...call, tool_response: { code: 200, result: "a" } },
      { code: 200, result: "b" },
      { tool_response: { code: 200, result: "b" }, tool_output: { code: 200, result: "b" } },
    ],
    [
      "a result inside kodelet's",
      "after_tool_call",
      {
        event: "after_tool_call",
        hook_event_name: "PostToolUse",
        ...call,
        tool_output: { result: "a" },
        tool_response: "a",
      },
      { result: "b" },
      { tool_response: "b", tool_output: { result: "b" } },
    ],
    [
      "Base Coat's input, in its place",
      "before_tool_call",
      { hook: "PreToolUse", tool: { name: "bash", input: { a: 1 }, x: 1 } },
      { b: 2 },
      { tool: { name: "bash", input: { b: 2 }, x: 1 }, tool_input: { b: 2 } },
    ],
    [
      "Base Coat's success, which a text does not tell",
      "after_tool_call",
      { hook: "PostToolUse", tool: { name: "bash", success: true } },
      "gone",
      { tool: { name: "bash" }, tool_output: "gone" },
    ],
    [
      "not what the caller means otherwise",
      "user_message_send",
      { hook_event_name: "UserPromptSubmit", prompt: "theirs", message: "a" },
      "b",
      { prompt: "theirs", message: "b" },
    ],
    [
      "what stands under our name already, alone",
      "after_tool_call",
      { hook_event_name: "PostToolUse", ...call, tool_output: { a: 1 }, tool_response: { b: 1 } },
      { a: 2 },
      { tool_output: { a: 2 }, tool_response: { b: 1 } },
    ],
  ])("%s", (_title, event, sent, change, seen) => {
    expect(changedIn(event, sent, change)).toMatchObject(seen);
    expect(Object.keys(Object(changedIn(event, sent, change)).tool ?? {})).toEqual(
      Object.keys(Object(seen).tool ?? {}),
    );
  });
});

test("an envelope in which nothing stands twice has nothing to say anew", () => {
  expect(heard("before_tool_call", jsonText({ tool_name: "bash", tool_input: {}, ctx: {} })).follow).toBeUndefined();
});
