import { describe, expect, test } from "vitest";
import { BASE_FIELDS, EVENT_NAMES, type EventName, fieldsOf } from "../../src/protocol/event.ts";
import {
  applyChange,
  type Payload,
  payloadText,
  readPayload,
  targetValue,
} from "../../src/protocol/payload/payload.ts";
import { samplePayload } from "../../src/protocol/payload/sample.ts";
import type { PayloadProblem } from "../../src/protocol/problem.ts";

const TOOL = { tool_name: "bash", tool_input: { command: "ls" } };

describe("a payload that is not valid is refused with the field's path", () => {
  const cases: { title: string; event: EventName; text: string; problem: Partial<PayloadProblem> }[] = [
    {
      title: "a required field that is missing",
      event: "before_tool_call",
      text: '{"tool_name":"bash"}',
      problem: { code: "PAYLOAD_FIELD_MISSING", field: "tool_input" },
    },
    {
      title: "a required text that is null",
      event: "user_message_send",
      text: '{"message":null}',
      problem: { code: "PAYLOAD_FIELD_MISSING", field: "message" },
    },
    {
      title: "a field of the wrong type",
      event: "before_tool_call",
      text: JSON.stringify({ ...TOOL, tool_name: 5 }),
      problem: { code: "PAYLOAD_FIELD_TYPE", field: "tool_name", found: "number" },
    },
    {
      title: "an optional field of the wrong type",
      event: "turn_end",
      text: '{"response":"x","turn_number":"3"}',
      problem: { code: "PAYLOAD_FIELD_TYPE", field: "turn_number", found: "string" },
    },
    {
      title: "a base field of the wrong type",
      event: "before_tool_call",
      text: JSON.stringify({ ...TOOL, conv_id: 7 }),
      problem: { code: "PAYLOAD_FIELD_TYPE", field: "conv_id", found: "number" },
    },
    {
      title: "an event that disagrees with the argument",
      event: "before_tool_call",
      text: JSON.stringify({ ...TOOL, event: "after_tool_call" }),
      problem: { code: "PAYLOAD_EVENT_DIFFERS", found: "after_tool_call" },
    },
    {
      title: "an event that nobody knows",
      event: "session_start",
      text: '{"event":"toString"}',
      problem: { code: "PAYLOAD_EVENT_DIFFERS", found: "toString" },
    },
    { title: "a list", event: "session_start", text: "[]", problem: { code: "PAYLOAD_NOT_OBJECT", found: "array" } },
    { title: "null", event: "session_start", text: "null", problem: { code: "PAYLOAD_NOT_OBJECT", found: "null" } },
    { title: "no JSON", event: "session_start", text: "{\nx}", problem: { code: "PAYLOAD_NOT_JSON", line: 2 } },
    {
      title: "a key that occurs twice",
      event: "session_start",
      text: '{"a":1,"a":2}',
      problem: { code: "PAYLOAD_NOT_JSON" },
    },
    {
      title: "nesting beyond any reason",
      event: "session_start",
      text: `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      problem: { code: "PAYLOAD_NOT_JSON" },
    },
  ];
  test.each(cases)("$title", ({ event, text, problem }) => {
    expect(readPayload(event, text, "/own")).toMatchObject({ ok: false, error: problem });
  });
});

describe("a payload that is valid", () => {
  test("missing base fields are filled", () => {
    expect(parsed(payloadFrom("session_start", "{}"))).toEqual({
      event: "session_start",
      cwd: "/own",
      invoked_by: "main",
      conv_id: "",
      agent: { name: null, session: "", subagent: null },
    });
  });

  test.each<{ sent: object; agent: object; by?: string }>([
    { sent: {}, agent: { name: null, session: "", subagent: null } },
    { sent: { conv_id: "c1", agent: null }, agent: { name: null, session: "c1", subagent: null } },
    { sent: { conv_id: null, agent: "" }, agent: { name: null, session: "", subagent: null } },
    { sent: { agent: "backend-dev" }, agent: { name: "backend-dev", session: "", subagent: null } },
    {
      sent: { invoked_by: "subagent" },
      agent: { name: null, session: "", subagent: { type: null, id: null } },
      by: "subagent",
    },
    {
      sent: { conv_id: "c1", agent: { name: "mine", session: "own", more: 1, subagent: { type: "explorer" } } },
      agent: { name: "mine", session: "own", subagent: { type: "explorer" }, more: 1 },
      by: "subagent",
    },
    { sent: { conv_id: "c1", agent: { name: "mine" } }, agent: { name: "mine", session: "c1", subagent: null } },
  ])("the caller of $sent is $agent", ({ sent, agent, by = "main" }) =>
    expect(parsed(payloadFrom("session_start", JSON.stringify(sent)))).toMatchObject({ agent, invoked_by: by }),
  );

  test.each([5, true, [[1]]])("an agent %j is refused", (agent) =>
    expect(readPayload("session_start", JSON.stringify({ agent }), "/own")).toMatchObject({
      error: { code: "PAYLOAD_FIELD_TYPE", field: "agent" },
    }),
  );

  test("base fields that are null count as missing, those that are there stay", () => {
    const payload = payloadFrom("session_start", '{"cwd":null,"conv_id":"c1","invoked_by":"subagent"}');
    expect(payload).toMatchObject({ cwd: "/own", session: "c1" });
    expect(parsed(payload)).toMatchObject({ cwd: "/own", invoked_by: "subagent" });
  });

  test("`event` may be written in any dialect's name for it", () => {
    const payload = payloadFrom("before_tool_call", JSON.stringify({ ...TOOL, event: "PreToolUse" }));
    expect(payload.event).toBe("before_tool_call");
  });

  test("null is a value where any JSON is allowed", () => {
    const payload = payloadFrom("before_tool_call", '{"tool_name":"x","tool_input":null,"mine":null}');
    expect(parsed(payload)).toMatchObject({ tool_input: null, mine: null });
  });

  test("unknown fields, odd numbers and key order reach the hook as they came", () => {
    const text = '{"z":1.10,"tool_input":{"n":12345678901234567890,"b":1,"a":1e400},"tool_name":"bash","a":"\\u0041"}';
    expect(payloadText(payloadFrom("before_tool_call", text))).toContain(text.slice(1, -1));
  });

  test("keys such as __proto__ pass through and change nothing", () => {
    const payload = payloadFrom("session_start", '{"__proto__":{"cwd":"/evil"},"constructor":1,"toString":2}');
    expect(payload.cwd).toBe("/own");
    expect(payloadText(payload)).toContain('"__proto__":{"cwd":"/evil"},"constructor":1,"toString":2');
  });

  test("what a dialect adds stands behind the payload's own members", () => {
    const payload = payloadFrom("session_start", '{"a":1}');
    expect(payloadText(payload, new Map([["hook", { kind: "string", raw: '"x"' }]])).endsWith(',"hook":"x"}')).toBe(
      true,
    );
  });
});

const FIELDS = EVENT_NAMES.flatMap((event) =>
  Object.entries(fieldsOf(event)).map(([name, field]) => ({ event, name, field })),
);
const ofKind = (...kinds: readonly string[]) => FIELDS.filter(({ field }) => kinds.includes(field.kind));
/** Fields that hookctl adds to every tool call. */
const isFact = ({ name }: { readonly name: string }): boolean => ["tool_kind", "tool_names"].includes(name);
const isBase = ({ name }: { readonly name: string }): boolean => Object.hasOwn(BASE_FIELDS, name);
const withField = (event: EventName, name: string, value: unknown): string =>
  JSON.stringify({ ...samplePayload(event, "/work"), [name]: value });

describe("a value that says nothing, as programs in Go write it", () => {
  const lists = ofKind("list").filter((row) => !isFact(row));
  test.each(lists)("$event: null in the list $name is an empty list for the hook", ({ event, name }) => {
    expect(parsed(payloadFrom(event, withField(event, name, null)))).toMatchObject({ [name]: [] });
  });

  const optional = ofKind("text", "number", "object").filter((row) => !row.field.isRequired && !isFact(row));
  test.each(optional)("$event: null in $name means that it is not there", ({ event, name }) => {
    expect(parsed(payloadFrom(event, withField(event, name, null)))).not.toHaveProperty(name);
  });

  test.each(FIELDS.filter(isBase))("$event: null and an empty text in $name are as good as nothing", (row) => {
    const { event, name } = row;
    const without = parsed(payloadFrom(event, withField(event, name, undefined)));
    for (const empty of [null, ""]) expect(parsed(payloadFrom(event, withField(event, name, empty)))).toEqual(without);
  });

  const needed = ofKind("text").filter(({ field }) => field.isRequired && field.fallback === undefined);
  test.each(needed.filter((row) => !isBase(row)))("$event: $name may be empty, but not null", ({ event, name }) => {
    expect(parsed(payloadFrom(event, withField(event, name, "")))).toMatchObject({ [name]: "" });
    const error = { code: "PAYLOAD_FIELD_MISSING", field: name };
    expect(readPayload(event, withField(event, name, null), "/own")).toMatchObject({ ok: false, error });
  });

  test.each(FIELDS.filter(({ field }) => field.fallback !== undefined))(
    "$event: a hook always gets $name",
    ({ event, name, field }) => {
      for (const empty of [undefined, null, ""]) {
        expect(parsed(payloadFrom(event, withField(event, name, empty)))).toMatchObject({ [name]: field.fallback });
      }
    },
  );
});

test.each(["robot", "Main", " main", "toString", "main\u0000"])("invoked_by %j is no value of it", (found) => {
  const error = { code: "PAYLOAD_FIELD_VALUE", field: "invoked_by", found, values: ["main", "subagent"] };
  for (const event of EVENT_NAMES) {
    expect(readPayload(event, withField(event, "invoked_by", found), "/own")).toMatchObject({ ok: false, error });
  }
});

describe("a changed value is what the next hook sees", () => {
  test("the target's field is replaced in its place, the rest stays", () => {
    const before = payloadFrom("before_tool_call", '{"tool_input":{"command":"ls"},"tool_name":"bash","x":1.10}');
    const after = applyChange(before, '{"command":"ls -la"}');
    expect(targetValue(after)).toBe('{"command":"ls -la"}');
    expect(payloadText(after)).toBe(payloadText(before).replace('"ls"', '"ls -la"'));
    expect(targetValue(before)).toBe('{"command":"ls"}');
  });

  test("before_llm_call has one value of two fields; a change of one keeps the other", () => {
    const before = payloadFrom("before_llm_call", '{"messages":[1],"tools":[2]}');
    expect(targetValue(before)).toBe('{"messages":[1],"tools":[2]}');
    expect(targetValue(applyChange(before, '{"tools":[]}'))).toBe('{"messages":[1],"tools":[]}');
    expect(targetValue(payloadFrom("before_llm_call", "{}"))).toBe("{}");
  });

  test("an event without a target has no value to change", () => {
    const before = payloadFrom("session_start", "{}");
    expect(targetValue(before)).toBeNull();
    expect(applyChange(before, '"x"')).toEqual(before);
  });
});

function payloadFrom(event: EventName, text: string): Payload {
  const read = readPayload(event, text, "/own");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

const parsed = (payload: Payload): unknown => JSON.parse(payloadText(payload));
