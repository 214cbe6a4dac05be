import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dialectFields, envelopeReader, readEnvelope } from "../../src/dialects/dialects.ts";
import {
  allEventNames,
  DIALECT_NAMES,
  type DialectName,
  EVENT_NAMES,
  EVENT_ROWS,
  type EventName,
  fieldsOf,
} from "../../src/protocol/event.ts";
import { applyChange, type Payload, payloadText, readPayload } from "../../src/protocol/payload/payload.ts";
import { samplePayload } from "../../src/protocol/payload/sample.ts";
import { propertyRuns } from "../support/property-runs.ts";

const MOMENT = { isoTime: "2026-01-02T03:04:05.000Z", checkout: () => ({ repository: null, branch: null }) };

const heard = (event: EventName, text: string): Payload => {
  const payload = readPayload(event, text, "/own", readEnvelope);
  if (!payload.ok) throw new Error(JSON.stringify(payload.error));
  return payload.value;
};
/** What a hook of a dialect gets on stdin. */
const result = (dialect: DialectName, payload: Payload): string =>
  payloadText(payload, dialectFields(dialect, payload, MOMENT));

/** A value of the target's kind, with a word in it. */
const valued = (event: EventName, target: string, word: string): unknown => {
  const kind = fieldsOf(event)[target]?.kind;
  return kind === "text" ? word : { word };
};

/** Each event with one target, in the words of each dialect: as `payload` prints it, and as the dialect's own caller. */
const ENVELOPES = EVENT_NAMES.flatMap((event) => {
  const { target, aliases } = EVENT_ROWS[event];
  if (typeof target !== "string") return [];
  const sample = heard(event, JSON.stringify({ ...samplePayload(event, "/"), [target]: valued(event, target, "OLD") }));
  return DIALECT_NAMES.flatMap((dialect) => {
    const printed: Readonly<Record<string, unknown>> = JSON.parse(result(dialect, sample));
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
    expect(result("kodelet", payload)).toContain("OLD");
    const changed = applyChange(payload, JSON.stringify(valued(event, target, "NEW")));
    for (const dialect of DIALECT_NAMES) {
      expect(result(dialect, changed)).toContain("NEW");
      expect(result(dialect, changed)).not.toContain("OLD");
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
      `{${claude},"tool_name":"probe","tool_input":{},"tool_response":{ "n" : 1e400, "a":[1 ] }}`,
    ],
    [
      "a result that has a result",
      "after_tool_call",
      `{${claude},"tool_name":"probe","tool_input":{},"tool_response":{"code":200,"result":{"x" : 1}}}`,
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
    for (const dialect of DIALECT_NAMES) expect(result(dialect, payload).startsWith(sent.slice(0, -1))).toBe(true);
  });
});

describe("after a change every name says the new value, in the shape that it had", () => {
  const changedIn = (event: EventName, sent: object, change: unknown): unknown =>
    JSON.parse(result("kodelet", applyChange(heard(event, JSON.stringify(sent)), JSON.stringify(change))));
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
      "Base Coat's success",
      "after_tool_call",
      { hook: "PostToolUse", tool: { name: "bash", success: true } },
      { success: false },
      { tool: { name: "bash", success: false }, tool_output: { success: false } },
    ],
    [
      "also where the caller had said something else there",
      "user_message_send",
      { hook_event_name: "UserPromptSubmit", prompt: "theirs", message: "a" },
      "b",
      { prompt: "b", message: "b" },
    ],
    [
      "also of a result",
      "after_tool_call",
      { hook_event_name: "PostToolUse", ...call, tool_output: { a: 1 }, tool_response: { b: 1 } },
      { a: 2 },
      { tool_output: { a: 2 }, tool_response: { a: 2 } },
    ],
  ])("%s", (_title, event, sent, change, seen) => {
    expect(changedIn(event, sent, change)).toMatchObject(seen);
    expect(Object.keys(Object(changedIn(event, sent, change)).tool ?? {})).toEqual(
      Object.keys(Object(seen).tool ?? {}),
    );
  });
});

/** Every name that any dialect has for the target of an event, found by asking the dialects. */
const secondNames = (event: EventName, target: string): readonly string[] => {
  const payload = heard(
    event,
    JSON.stringify({ ...samplePayload(event, "/"), [target]: changeOf(event, target, "OLD") }),
  );
  const all = DIALECT_NAMES.flatMap((dialect) => Object.entries(JSON.parse(result(dialect, payload)) as object));
  return [...new Set(all.flatMap(([key, value]) => (JSON.stringify(value).includes("OLD") ? [key] : [])))];
};

const MARKS = [{}, { ctx: {} }, { hook: "x" }, { hook_event_name: "x" }, { hookEventName: "x" }];
const TARGETS = EVENT_NAMES.flatMap((event) =>
  [EVENT_ROWS[event].target ?? []].flat().map((target) => ({ event, target })),
);

describe("whatever a caller says under second names, and in whichever dialect", () => {
  test.each(TARGETS)(
    "a change of $target at $event leaves no trace of the old value, and no other one",
    ({ event, target }) => {
      const said = fc.record(
        Object.fromEntries(
          secondNames(event, target)
            .filter((name) => name !== target)
            .map((name) => [name, fc.constantFrom("OTHER", { command: "OTHER", result: "OTHER" }, null, ["OTHER"], 7)]),
        ),
        { requiredKeys: [] },
      );
      fc.assert(
        fc.property(said, fc.constantFrom(...MARKS), fc.constantFrom(...DIALECT_NAMES), (others, mark, typed) => {
          const own = { ...samplePayload(event, "/"), [target]: changeOf(event, target, "OLD") };
          const read = readPayload(
            event,
            JSON.stringify({ ...own, ...others, ...mark }),
            "/own",
            envelopeReader(typed),
          );
          if (!read.ok) {
            // A value of the wrong type is refused by the name that the caller used.
            expect(read.error).toMatchObject({ code: "PAYLOAD_FIELD_TYPE" });
            expect(Object.keys(others)).toContain("field" in read.error ? read.error.field : null);
            return;
          }
          const change = changeOf(event, target, "NEW");
          const isOne = typeof EVENT_ROWS[event].target === "string";
          const changed = applyChange(read.value, JSON.stringify(isOne ? change : { [target]: change }));
          for (const dialect of DIALECT_NAMES) {
            const before = JSON.parse(result(dialect, read.value));
            expect(JSON.stringify(before)).not.toContain("OTHER");
            expect(result(dialect, changed)).toContain("NEW");
            expect(result(dialect, changed)).not.toMatch(/OLD|OTHER/);
          }
        }),
        propertyRuns(60),
      );
    },
  );
});

/** As `valued`, but a list where the field is one. */
const changeOf = (event: EventName, target: string, word: string): unknown =>
  fieldsOf(event)[target]?.kind === "list" ? [{ word }] : valued(event, target, word);

describe("a hook finds hookctl's own name of the event", () => {
  test.each([...allEventNames()])("%s", (name, { event }) => {
    for (const typed of DIALECT_NAMES) {
      const text = JSON.stringify({ ...samplePayload(event, "/"), event: name });
      const read = readPayload(event, text, "/own", envelopeReader(typed));
      expect(read.ok).toBe(true);
      if (!read.ok) continue;
      for (const dialect of DIALECT_NAMES) expect(JSON.parse(result(dialect, read.value)).event).toBe(event);
    }
  });
});
