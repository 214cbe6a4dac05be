import { describe, expect, test } from "vitest";
import { startChain, verdictOf } from "../../src/chain/advance.ts";
import { DIALECTS, dialectFields, RESPONSE_KEYS, readEnvelope } from "../../src/dialects/dialects.ts";
import { type DialectName, EVENT_NAMES, EVENT_ROWS, type EventName } from "../../src/protocol/event.ts";
import { membersOf, readJson } from "../../src/protocol/json/read.ts";
import { jsonText } from "../../src/protocol/json/write.ts";
import { payloadText, readPayload } from "../../src/protocol/payload/payload.ts";
import type { Verdict } from "../../src/protocol/verdict.ts";
import { aHook, aPayload, result } from "../chain/builders.ts";

const MOMENT = {
  isoTime: "2026-01-02T03:04:05.000Z",
  checkout: () => ({ repository: "shop/web", branch: "main" }),
};
const HOOK = aHook("guard");

describe("payload out: a hook gets the kodelet fields plus its dialect's names", () => {
  const payload = aPayload("after_tool_call", {
    ...{ conv_id: "c1", tool_input: { n: 1 }, tool_output: { success: true }, elapsed_ms: 41, turn_number: 3 },
    budget: { used_tokens: 5, effective_limit: 10 },
  });

  test.each<readonly [DialectName, object]>([
    ["kodelet", {}],
    [
      "basecoat",
      {
        ...{ hook: "PostToolUse", timestamp: MOMENT.isoTime, sessionId: "c1", agent: "main" },
        ...{ repository: "shop/web", branch: "main" },
        budget: { used_tokens: 5, effective_limit: 10, usedTokens: 5, effectiveLimit: 10 },
        tool: { name: "bash", success: true, durationMs: 41 },
      },
    ],
    [
      "agenthook",
      {
        ctx: { session_id: "c1", turn_number: 3, step_number: 0, core_type: "", state: {} },
        ...{ args: { n: 1 }, result: { success: true } },
      },
    ],
  ])("%s", (dialect, expected) => {
    const members = [...dialectFields(dialect, payload, MOMENT)].map(([key, span]) => [key, JSON.parse(span.raw)]);
    expect(Object.fromEntries(members)).toEqual(expected);
  });

  test.each([
    { sent: {}, agent: "main" },
    { sent: { recipe_name: "review" }, agent: "review" },
    { sent: { agent: { name: null }, recipe_name: "review" }, agent: "review" },
    { sent: { agent: { name: "claude" }, recipe_name: "review" }, agent: "claude" },
    { sent: { agent: "backend-dev", recipe_name: "review" }, agent: "backend-dev" },
  ])("Base Coat's agent of $sent is $agent", ({ sent, agent }) => {
    const added = dialectFields("basecoat", aPayload("session_start", sent), MOMENT);
    expect(added.get("agent")?.raw).toBe(JSON.stringify(agent));
  });

  test("git's files are not looked at for a payload that tells repository and branch itself", () => {
    const asked: string[] = [];
    const checkout = () => {
      asked.push("checkout");
      return { repository: "shop/web", branch: "main" };
    };
    const own = aPayload("session_start", { repository: "other/one", branch: "dev" });
    dialectFields("basecoat", own, { ...MOMENT, checkout });
    dialectFields("kodelet", aPayload("session_start"), { ...MOMENT, checkout });
    expect(asked).toEqual([]);
  });

  test("hookctl's own fields count; what else the caller put into an object stays", () => {
    const own = aPayload("before_tool_call", { args: "mine", ctx: { session_id: "theirs", x: 1 } });
    const sent = JSON.parse(payloadText(own, dialectFields("agenthook", own, MOMENT)));
    expect(sent).toMatchObject({ args: { command: "ls -la" }, ctx: { session_id: own.session, x: 1 } });
  });
});

describe("payload in: Base Coat's envelope is known by its keys", () => {
  const read = (value: object) => readPayload("session_start", JSON.stringify(value), "/own", readEnvelope);

  test("its names are understood and kept", () => {
    const payload = read({ hook: "SessionStart", sessionId: "s9", source: "resume" });
    expect(payload.ok && payload.value.session).toBe("s9");
    expect(payload.ok && JSON.parse(payloadText(payload.value))).toMatchObject({
      event: "session_start",
      hook: "SessionStart",
    });
  });

  test("a tool call's envelope gives name, success, duration and budget; what it does not tell is null", () => {
    const sent = {
      ...{ hook: "PostToolUse", sessionId: "s9", tool: { name: "powershell", success: false, durationMs: 6422 } },
      budget: { usedTokens: 78_124, effectiveLimit: 160_000 },
    };
    const payload = readPayload("after_tool_call", JSON.stringify(sent), "/own", readEnvelope);
    expect(payload.ok && JSON.parse(payloadText(payload.value))).toEqual({
      ...{ ...sent, event: "after_tool_call", conv_id: "s9", cwd: "/own", invoked_by: "main" },
      ...{ tool_name: "powershell", tool_input: null, tool_output: { success: false }, elapsed_ms: 6422 },
      ...{ tool_user_id: "", tool_kind: "other", tool_names: ["powershell"] },
      agent: { name: null, session: "s9", subagent: null },
      budget: { usedTokens: 78_124, effectiveLimit: 160_000, used_tokens: 78_124, effective_limit: 160_000 },
    });
  });

  test.each([
    ["Bash", { command: "ls" }, { tool_name: "bash", tool_kind: "shell" }],
    ["KillShell", { shell_id: "1" }, { tool_name: "KillShell", tool_kind: "shell" }],
    ["NotebookEdit", { notebook_path: "a" }, { tool_name: "NotebookEdit", tool_kind: "edit" }],
  ])("%s in Claude Code's envelope has the kind that a bridge gives it", (tool_name, tool_input, facts) => {
    const sent = { hook_event_name: "PreToolUse", session_id: "s", tool_name, tool_input };
    const payload = readPayload("before_tool_call", JSON.stringify(sent), "/own", readEnvelope);
    expect(payload.ok && JSON.parse(payloadText(payload.value))).toMatchObject(facts);
  });

  test("a tool that tells its input and output keeps them", () => {
    const tool = { name: "bash", input: { command: "ls" }, output: "total 0" };
    const sent = JSON.stringify({ hook: "PostToolUse", tool });
    const payload = readPayload("after_tool_call", sent, "/own", readEnvelope);
    expect(payload.ok && JSON.parse(payloadText(payload.value))).toMatchObject({
      ...{ tool_name: "bash", tool_input: tool.input, tool_output: tool.output },
    });
  });

  test("a fault is named as it was sent", () => {
    const payload = readPayload("after_tool_call", '{"hook":"PostToolUse","tool":{"name":7}}', "/own", readEnvelope);
    expect(payload).toMatchObject({ error: { code: "PAYLOAD_FIELD_TYPE", field: "tool.name", found: "number" } });
  });

  test.each(["{}", "[]", '"bash"', "null"])("a tool %s lacks its name", (tool) => {
    const payload = readPayload("after_tool_call", `{"hook":"PostToolUse","tool":${tool}}`, "/own", readEnvelope);
    expect(payload).toMatchObject({ ok: false, error: { field: "tool_name" } });
  });

  test.each(["", null])("its names count where hookctl's own hold %j", (nothing) => {
    const payload = read({ hook: "SessionStart", sessionId: "s9", event: nothing, conv_id: nothing, cwd: nothing });
    expect(payload.ok && payload.value).toMatchObject({ session: "s9", cwd: "/own", event: "session_start" });
    expect(payload.ok && JSON.parse(payloadText(payload.value))).toMatchObject({ event: "session_start", cwd: "/own" });
    expect(read({ hook: "SessionEnd", event: nothing })).toMatchObject({
      error: { code: "PAYLOAD_EVENT_DIFFERS", found: "SessionEnd" },
    });
  });

  test("its event must agree too", () => {
    expect(read({ hook: "SessionEnd" })).toMatchObject({
      error: { code: "PAYLOAD_EVENT_DIFFERS", found: "SessionEnd" },
    });
  });

  test("a payload that names its event kodelet's way is left alone", () => {
    const json = readJson('{"event":"session_start","hook":"SessionEnd","sessionId":"x"}', 9);
    const own = json.ok ? readEnvelope(membersOf(json.value), "session_start") : null;
    expect(own?.ok && [...own.value.keys()]).toEqual(["event", "hook", "sessionId"]);
  });
});

describe("verdict out", () => {
  const rows: readonly {
    title: string;
    event: EventName;
    prints: string;
    expected: Readonly<Record<string, unknown>>;
  }[] = [
    {
      title: "nothing to say before a tool call",
      event: "before_tool_call",
      prints: "",
      expected: { kodelet: { blocked: false }, basecoat: { action: "passThrough" }, agenthook: "Continue" },
    },
    {
      title: "nothing to say where no block is possible",
      event: "agent_stop",
      prints: "",
      expected: { kodelet: {}, basecoat: { action: "passThrough" }, agenthook: "Continue" },
    },
    {
      title: "a block",
      event: "before_tool_call",
      prints: '{"blocked":true,"reason":"no"}',
      expected: {
        kodelet: { blocked: true, reason: "no" },
        basecoat: { action: "block", reason: "no" },
        agenthook: { Reject: "no" },
      },
    },
    {
      title: "a change before",
      event: "before_tool_call",
      prints: '{"input":{"n":1}}',
      expected: {
        kodelet: { blocked: false, input: { n: 1 } },
        basecoat: { action: "modify", modifiedInput: { n: 1 } },
        agenthook: { Transform: { n: 1 } },
      },
    },
    {
      title: "a change after",
      event: "after_tool_call",
      prints: '{"output":"x"}',
      expected: {
        kodelet: { output: "x" },
        basecoat: { action: "modify", modifiedOutput: "x" },
        agenthook: { Transform: "x" },
      },
    },
    {
      title: "a changed message",
      event: "user_message_send",
      prints: '{"message":"m"}',
      expected: { kodelet: { blocked: false, message: "m" }, agenthook: { Transform: "m" } },
    },
    {
      title: "a replacement",
      event: "before_tool_call",
      prints: '{"Replace":{"n":1}}',
      expected: { kodelet: { blocked: false, input: { n: 1 } }, agenthook: { Replace: { n: 1 } } },
    },
    {
      title: "ask is a block that says so",
      event: "before_tool_call",
      prints: '{"decision":"ask","reason":"sure?"}',
      expected: {
        kodelet: { blocked: true, decision: "ask", reason: "sure?" },
        basecoat: { action: "block", reason: "sure?" },
        agenthook: { Reject: "sure?" },
      },
    },
    {
      title: "superset keys, where they are not empty",
      event: "agent_stop",
      prints:
        '{"follow_up_messages":["a"],"additional_context":["c"],"pushes":[{"message":"p"}],"system_message":"s","metadata":{"n":1},"warnings":["w"]}',
      expected: {
        kodelet: {
          ...{ follow_up_messages: ["a"], additional_context: ["c"], pushes: [{ message: "p" }], system_message: "s" },
          ...{ metadata: { guard: { n: 1 } }, warnings: ["guard: w"] },
        },
        basecoat: {
          ...{ action: "injectContext", additionalContext: ["c"], warnings: ["guard: w"] },
          metadata: { guard: { n: 1 } },
        },
      },
    },
    {
      title: "allow in words",
      event: "before_tool_call",
      prints: '{"decision":"allow"}',
      expected: { kodelet: { blocked: false, decision: "allow" } },
    },
  ];
  test.each(rows)("$title", async ({ event, prints, expected }) => {
    const { verdict } = await result(aPayload(event), [[HOOK, prints]]);
    for (const [dialect, wanted] of Object.entries(expected)) expect(written(dialect, verdict)).toEqual(wanted);
  });

  test.each(EVENT_NAMES)("no hooks at %s: kodelet's answer says blocked only where a block is possible", (event) => {
    const answer = written("kodelet", verdictOf(startChain(aPayload(event))));
    expect(answer).toEqual(EVENT_ROWS[event].onBlock === "deny" ? { blocked: false } : {});
  });
});

test("a deciding key of one dialect is deciding in every row of that key", () => {
  for (const { key } of RESPONSE_KEYS) {
    const rows = RESPONSE_KEYS.filter((row) => row.key === key);
    expect([key, new Set(rows.map((row) => row.isDeciding)).size]).toEqual([key, 1]);
  }
});

function written(name: string, verdict: Verdict): unknown {
  const dialect = Object.values(DIALECTS).find((one) => one.name === name);
  return dialect === undefined ? null : JSON.parse(jsonText(dialect.formatVerdict(verdict)));
}

test("arguments in Claude Code's envelope that contradict each other are a problem", () => {
  const sent = { hook_event_name: "PreToolUse", tool_name: "Write", tool_input: { content: "a", text: "b" } };
  const payload = readPayload("before_tool_call", JSON.stringify(sent), "/own", readEnvelope);
  expect(payload).toMatchObject({ ok: false, error: { code: "PAYLOAD_AMBIGUOUS", keys: ["content", "text"] } });
});
