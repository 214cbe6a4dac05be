import { describe, expect, test } from "vitest";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { EVENT_ROWS } from "../../../src/protocol/event.ts";
import { membersOf, readJson } from "../../../src/protocol/json/read.ts";
import { matches } from "../../../src/protocol/match.ts";
import { AGENTS } from "../agents.ts";
import { canonicalFields, type RaisedPayload, raisedPayload } from "../native-payload.ts";
import { NATIVE } from "./payloads.ts";
import { heard } from "./verdicts.ts";

/** What an agent's event raises when it sends this. */
function raisedBy(agent: AgentName, event: string, sample: unknown): readonly RaisedPayload[] {
  const { row, native, members } = heard(agent, event, sample);
  return row.raises
    .filter(({ when }) => when?.(members) ?? true)
    .map((one) => raisedPayload(one.event, canonicalFields(AGENTS[agent], event, one, native), "/own"));
}

const NONE = "(nothing)";
const fieldOf = ({ payload }: RaisedPayload, field: string): unknown =>
  JSON.parse(payload?.members.get(field)?.raw ?? JSON.stringify(NONE));

const INPUTS = ["tool_input", "toolArgs", "input"];
const RESULTS = ["tool_response", "tool_output", "tool_result", "toolResult", "output"];

/** The samples of each tool event, with what it sends under these names gone, or null. */
const without = (names: readonly string[]) =>
  AGENT_NAMES.flatMap((agent) =>
    Object.entries(NATIVE[agent]).flatMap(([event, sample]) => {
      const name = names.find((one) => one in sample);
      if (name === undefined) return [];
      const { [name]: _gone, ...others } = sample;
      return [
        { agent, event, how: "nothing", sample: others },
        { agent, event, how: "null", sample: { ...sample, [name]: null } },
      ];
    }),
  );

test.each(without(INPUTS))(
  "$agent $event with $how for arguments is a call without any",
  ({ agent, event, sample }) => {
    const raised = raisedBy(agent, event, sample);
    expect(raised.length).toBeGreaterThan(0);
    const tools = raised.filter((one) => "tool_input" in EVENT_ROWS[one.event].fields);
    for (const one of tools)
      expect({ ...one, input: fieldOf(one, "tool_input") }).toMatchObject({ input: {}, problems: [] });
    expect(tools.length).toBeGreaterThan(0);
  },
);

test.each(without(RESULTS))(
  "$agent $event with $how for a result is a call that gave none",
  ({ agent, event, sample }) => {
    const [main] = raisedBy(agent, event, sample);
    expect(main).toMatchObject({ event: "after_tool_call", problems: [] });
    expect(main && fieldOf(main, "tool_output")).toMatchObject({ success: true, result: null });
  },
);

test("arguments that came as null inside a text are none", () => {
  const [main] = raisedBy("copilot", "preToolUse", { ...NATIVE.copilot.preToolUse, toolArgs: "null" });
  expect(main && fieldOf(main, "tool_input")).toEqual({});
});

test("a result of gemini whose error is null has not failed", () => {
  const tool_response = { llmContent: "a", error: null };
  const raised = raisedBy("gemini", "AfterTool", { ...NATIVE.gemini.AfterTool, tool_response });
  expect(raised.map((one) => [one.event, fieldOf(one, "tool_output")])).toEqual([
    [
      "after_tool_call",
      {
        toolName: "bash",
        success: true,
        result: "a",
        metadataType: "bash",
        metadata: { command: "npm test", output: "a" },
      },
    ],
  ]);
});

describe("what does not fit its field", () => {
  const membersIn = (value: object) => {
    const read = readJson(JSON.stringify(value), 9);
    return read.ok ? membersOf(read.value) : new Map();
  };
  const missing = (field: string) => [{ code: "PAYLOAD_FIELD_MISSING", field }];
  const odd = (field: string) => [{ code: "PAYLOAD_FIELD_TYPE", field }];
  const call = { tool_name: "Bash", tool_input: {} };

  test.each([
    ["a prompt that is not there", "user_message_send", {}, { message: "" }, missing("message")],
    ["a prompt that is no text", "user_message_send", { message: ["a"] }, { message: "" }, odd("message")],
    ["a tool without a name", "before_tool_call", { tool_input: { a: 1 } }, { tool_name: "" }, missing("tool_name")],
    [
      "a time that is no number",
      "after_tool_call",
      { ...call, tool_output: 1, elapsed_ms: "9" },
      { elapsed_ms: NONE },
      odd("elapsed_ms"),
    ],
    [
      "an id of another type",
      "before_tool_call",
      { ...call, tool_user_id: 7 },
      { tool_name: "Bash", tool_user_id: "" },
      odd("tool_user_id"),
    ],
    ["a folder that is no text", "before_tool_call", { ...call, cwd: 7 }, { cwd: "/own" }, odd("cwd")],
    [
      "two of them",
      "before_tool_call",
      { tool_name: 1, tool_input: {}, conv_id: 2 },
      { tool_name: "", conv_id: "" },
      [...odd("conv_id"), ...odd("tool_name")],
    ],
  ] as const)("%s: a stand-in, and it is told", (_title, event, sent, members, problems) => {
    const raised = raisedPayload(event, { members: membersIn({ event, ...sent }), problem: null }, "/own");
    const found = Object.fromEntries(Object.keys(members).map((field) => [field, fieldOf(raised, field)]));
    expect({ found, problems: raised.problems }).toMatchObject({ found: members, problems });
    expect(raised.problems).toHaveLength(problems.length);
  });

  test("nothing stands in for an answer or a conversation that is not there", () => {
    expect(raisedPayload("turn_end", { members: membersIn({ event: "turn_end" }), problem: null }, "/")).toMatchObject({
      payload: null,
      problems: missing("response"),
    });
    expect(
      raisedPayload("agent_stop", { members: membersIn({ event: "agent_stop", messages: "x" }), problem: null }, "/"),
    ).toMatchObject({
      payload: null,
      problems: odd("messages"),
    });
  });
});

test("what Factory Droid writes in camel case is read like what it writes as others do", () => {
  const camel = { sessionId: "s7", hookEventName: "PreCompact", trigger: "manual", customInstructions: "be short" };
  const snake = { session_id: "s7", trigger: "manual", custom_instructions: "be short" };
  for (const sample of [camel, snake]) {
    const [compaction] = raisedBy("droid", "PreCompact", sample);
    expect(compaction).toMatchObject({ payload: { session: "s7" }, problems: [] });
    expect(compaction && fieldOf(compaction, "hint")).toBe("be short");
  }
});

test.each([
  ["claude", "Stop", "last_assistant_message"],
  ["codex", "Stop", "last_assistant_message"],
  ["qwen", "Stop", "last_assistant_message"],
  ["gemini", "AfterAgent", "prompt_response"],
] as const)("%s %s without %s is a stop all the same", (agent, event, field) => {
  for (const value of [undefined, null]) {
    const raised = raisedBy(agent, event, { ...NATIVE[agent][event], [field]: value });
    expect(raised).toMatchObject([
      { event: "agent_stop", payload: { event: "agent_stop" }, problems: [] },
      { event: "turn_end", payload: null, problems: [{ code: "PAYLOAD_FIELD_MISSING", field: "response" }] },
    ]);
  }
});

test.each([
  ["copilot", "preToolUse", "toolArgs"],
  ["cursor", "preToolUse", "tool_input"],
] as const)("%s: a key that occurs twice in the text of the arguments is a problem", (agent, event, key) => {
  const text = '{"command":"ls","command":"rm -rf /"}';
  const [main] = raisedBy(agent, event, { ...NATIVE[agent][event], [key]: text });
  expect(main?.problems).toMatchObject([{ code: "PAYLOAD_AMBIGUOUS", keys: null }]);
});

describe("arguments that came as JSON in a text are read as the agent will read them", () => {
  const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  test.each<[title: string, text: string, raw: string]>([
    ["an object", '{"command":"rm -rf /"}', '{"command":"rm -rf /"}'],
    ["a byte order mark", '\ufeff{"command":"rm -rf /"}', '{"command":"rm -rf /"}'],
    ["any depth", `{"a":${deep},"command":"rm -rf /"}`, `{"a":${deep},"command":"rm -rf /"}`],
  ])("%s", (_title, text, raw) => {
    for (const [agent, event, key] of [
      ["copilot", "preToolUse", "toolArgs"],
      ["cursor", "preToolUse", "tool_input"],
    ] as const) {
      const [main] = raisedBy(agent, event, { ...NATIVE[agent][event], [key]: text });
      const members = main?.payload?.members ?? new Map();
      expect(members.get("tool_input")?.raw).toBe(raw);
      expect(matches({ "tool_input.command": "rm *" }, members)).toBe(true);
    }
  });

  test.each(["rm -rf /", "5", '"ls"', "*** Begin Patch"])("but %j is a text of its own", (text) => {
    const [main] = raisedBy("copilot", "preToolUse", { ...NATIVE.copilot.preToolUse, toolArgs: text });
    expect(main && fieldOf(main, "tool_input")).toBe(text);
  });
});
