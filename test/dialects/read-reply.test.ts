import { describe, expect, test } from "vitest";
import type { EventName } from "../../src/contract/event.ts";
import type { Problem } from "../../src/contract/problem.ts";
import { NO_REPLY, type Reply } from "../../src/contract/reply.ts";
import type { Result } from "../../src/contract/result.ts";
import { readReply } from "../../src/dialects/read-reply.ts";

const PRE = "before_tool_call";
const POST = "after_tool_call";
const STOP = "agent_stop";
const SPEAKER = { name: "guard", path: "/hooks/guard" };

type Row = readonly [stdout: string, reply: Partial<Reply>, event?: EventName];
const block = (reason: string | null = null): Partial<Reply> => ({ decision: "block", reason });

describe.each<{ dialect: string; rows: readonly Row[] }>([
  {
    dialect: "kodelet",
    rows: [
      ["{}", {}],
      ['{"blocked":false}', {}],
      ['{"blocked":true,"reason":"no rm"}', block("no rm")],
      ['{"blocked":true}', block()],
      ['{"input":{"command":"ls -la"}}', { change: '{"command":"ls -la"}' }],
      ['{"output":{"n":12345678901234567890}}', { change: '{"n":12345678901234567890}' }, POST],
      ['{"follow_up_messages":["a","b"]}', { followUps: ["a", "b"] }, STOP],
    ],
  },
  {
    dialect: "superset",
    rows: [
      ['{"message":"better"}', { change: '"better"' }, "user_message_send"],
      ['{"input":{"messages":[]}}', { change: '{"messages":[]}' }, "before_llm_call"],
      ['{"additional_context":["a","b"]}', { context: ["a", "b"] }],
      ['{"additional_context":[],"additional_context_mode":"overwrite"}', { contextMode: "overwrite" }],
      ['{"pushes":[{"message":"hi","wake":true}]}', { pushes: ['{"message":"hi","wake":true}'] }],
      ['{"system_message":"note"}', { systemMessage: "note" }],
      ['{"metadata":{"n":1.10}}', { metadata: '{"n":1.10}' }],
      ['{"decision":"allow"}', { decision: "allow" }],
      ['{"decision":"ask","reason":"sure?"}', { decision: "ask", reason: "sure?" }],
      ['{"decision":"deny"}', block()],
      ['{"warnings":["careful"]}', { warnings: [{ code: "FROM_HOOK", hook: "guard", text: "careful" }] }],
    ],
  },
  {
    dialect: "basecoat",
    rows: [
      ['{"action":"passThrough","priority":20}', { priority: "20" }],
      ['{"action":"block","reason":"no"}', block("no")],
      ['{"action":"modify","modifiedInput":{"command":"ls"}}', { change: '{"command":"ls"}' }],
      ['{"action":"modify","modifiedOutput":"x"}', { change: '"x"' }, POST],
      ['{"action":"injectContext","additionalContext":["a"]}', { context: ["a"] }],
    ],
  },
  {
    dialect: "agenthook",
    rows: [
      ['"Continue"', {}],
      ['{"Reject":"why"}', block("why")],
      ['{"Transform":{"command":"ls"}}', { change: '{"command":"ls"}' }],
      ['{"Replace":{"command":"ls"}}', { change: '{"command":"ls"}', isReplace: true }],
      ['{"action":"continue"}', {}],
      ['{"action":"reject","reason":"why","value":"other"}', block("why")],
      ['{"action":"reject","value":"why"}', block("why")],
      ['{"action":"reject"}', block()],
      ['{"action":"transform","value":[1]}', { change: "[1]" }],
      ['{"action":"replace","value":[1]}', { change: "[1]", isReplace: true }],
    ],
  },
  {
    dialect: "claude",
    rows: [
      ['{"continue":true,"suppressOutput":true}', {}],
      ['{"continue":false,"stopReason":"enough"}', block("enough")],
      ['{"Continue":false}', block()],
      ['{"decision":"block","reason":"no"}', block("no")],
      ['{"decision":"approve"}', { decision: "allow" }],
      ['{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}', block("no")],
      ['{"hookSpecificOutput":{"permissionDecision":"ask"}}', { decision: "ask" }],
      [
        '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"a":1}}}',
        { decision: "allow", change: '{"a":1}' },
      ],
      ['{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}', { context: ["c"] }],
      ['{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"no"}}}', block("no"), "permission_request"],
      ['{"hookSpecificOutput":{"permissionDecision":"deny","decision":{"behavior":"allow"}}}', block()],
      ['{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":{"a":1}}}}', { decision: "allow" }, POST],
      ['{"hookSpecificOutput":{"permissionDecision":null,"additionalContext":null}}', {}],
      ['{"systemMessage":"note"}', { systemMessage: "note" }],
    ],
  },
])("$dialect", ({ rows }) => {
  const cases = rows.map(([stdout, expected, event = PRE]) => ({ stdout, expected, event }));
  test.each(cases)("$stdout", ({ stdout, expected, event }) => {
    const reply = said(stdout, event);
    if (stdout === '"Continue"') expect(reply).toEqual({ ok: true, value: null });
    else expect(reply).toEqual({ ok: true, value: { ...NO_REPLY, warnings: expect.any(Array), ...expected } });
  });
});

describe("nothing to say", () => {
  test.each(["", " ", "\n\t\r\n", "null", " null\n", "\ufeff", '\ufeff"Continue"'])("%j is no action", (stdout) => {
    expect(said(stdout)).toEqual({ ok: true, value: null });
  });

  test.each(['{"Reject":null}', '{"reject":null}', '{"Reject":null,"blocked":false}'])(
    "%s names a block without a word why, and fails",
    (stdout) => {
      expect(codeOf(said(stdout))).toBe("REPLY_WRONG_TYPE");
    },
  );

  test("null means unchanged for a value", () => {
    for (const stdout of [
      '{"blocked":false,"input":null}',
      '{"blocked":null,"reason":null,"decision":null}',
      '{"action":"modify","modifiedInput":null,"additionalContext":null}',
      '{"Transform":null}',
      '{"action":"transform","value":null}',
      '{"action":"replace","value":null}',
      '{"hookSpecificOutput":{"updatedInput":null}}',
      '{"hookSpecificOutput":null}',
    ])
      expect(said(stdout)).toEqual({ ok: true, value: NO_REPLY });
  });

  test("one byte order mark is tolerated, two are not", () => {
    expect(said('\ufeff{"blocked":true}')).toMatchObject({ ok: true, value: { decision: "block" } });
    expect(codeOf(said('\ufeff\ufeff{"blocked":true}'))).toBe("REPLY_NOT_JSON");
  });
});

describe("what is not one good JSON object fails the hook", () => {
  test.each([
    ["not json", "REPLY_NOT_JSON"],
    ["log line\n{}", "REPLY_NOT_JSON"],
    ["{}{}", "REPLY_NOT_JSON"],
    ['{"blocked":true}\nbye', "REPLY_NOT_JSON"],
    ["{'blocked':true}", "REPLY_NOT_JSON"],
    ["[]", "REPLY_NOT_OBJECT"],
    ["true", "REPLY_NOT_OBJECT"],
    ['"continue"', "REPLY_NOT_OBJECT"],
    ['{"blocked":true,"blocked":false}', "REPLY_DUPLICATE_KEY"],
    ['{"blocked":true,"\\u0062locked":false}', "REPLY_DUPLICATE_KEY"],
    ['{"blocked":true,"Blocked":false}', "REPLY_DUPLICATE_KEY"],
    ['{"metadata":{"a":1,"a":2}}', "REPLY_DUPLICATE_KEY"],
    [`{"metadata":${'{"a":'.repeat(64)}1${"}".repeat(65)}`, "REPLY_TOO_DEEP"],
    ["[".repeat(50_000), "REPLY_TOO_DEEP"],
  ])("%.60s is %s", (stdout, code) => expect(codeOf(said(stdout))).toBe(code));

  test("a depth of 64 is read", () => {
    expect(said(`{"metadata":${'{"a":'.repeat(62)}{}${"}".repeat(63)}`).ok).toBe(true);
  });

  test("the line of the fault is told with its text", () => {
    expect(said("{\n  oops\n}")).toMatchObject({
      error: { code: "REPLY_NOT_JSON", line: 2, text: "  oops", hook: "guard" },
    });
  });

  test.each([[[0xff, 0xfe]], [[0x7b, 0xc3, 0x7d]], [[0xed, 0xa0, 0x80]]])("the bytes %j are not UTF-8", (bytes) => {
    expect(codeOf(readReply(SPEAKER, PRE, Uint8Array.from(bytes)))).toBe("REPLY_NOT_UTF8");
  });

  test.each([
    ...['{"blocked":"true"}', '{"blocked":1}', '{"blocked":true,"reason":5}', '{"follow_up_messages":"a"}'],
    ...['{"follow_up_messages":["a",1]}', '{"decision":"Deny"}', '{"decision":"maybe"}', '{"decision":true}'],
    ...['{"action":"Block"}', '{"action":"toString"}', '{"action":["block"]}', '{"Reject":{}}', '{"Reject":true}'],
    ...[
      '{"action":"transform"}',
      '{"action":"replace"}',
      '{"additional_context":"text"}',
      '{"additionalContext":"text"}',
    ],
    ...['{"additional_context_mode":"replace"}', '{"pushes":[{"wake":true}]}', '{"pushes":["x"]}', '{"state":[]}'],
    ...['{"metadata":[]}', '{"warnings":"x"}', '{"continue":"false"}', '{"permissionDecision":"block"}'],
    ...['{"hookSpecificOutput":"deny"}', '{"hookSpecificOutput":{"permissionDecision":"denied"}}', '{"priority":"1"}'],
    ...['{"hookSpecificOutput":{"decision":{"behavior":"Deny"}}}'],
    ...['{"hookSpecificOutput":{"decision":"deny"}}', '{"hookSpecificOutput":{"permissionDecision":"__proto__"}}'],
  ])("a value of the wrong type fails: %s", (stdout) => expect(codeOf(said(stdout))).toBe("REPLY_WRONG_TYPE"));

  test.each<readonly [string, EventName]>([
    ['{"message":5}', "user_message_send"],
    ['{"modifiedInput":{"a":1}}', "user_message_send"],
    ['{"Transform":5}', "user_message_send"],
    ['{"input":[]}', "before_llm_call"],
    ['{"input":{"messages":"x"}}', "before_llm_call"],
    ['{"input":{"other":[]}}', "before_llm_call"],
  ])("a new value that its field cannot hold fails: %s at %s", (stdout, event) => {
    expect(codeOf(said(stdout, event))).toBe("REPLY_WRONG_TYPE");
  });
});

function said(stdout: string, event: EventName = PRE): Result<Reply | null, Problem> {
  return readReply(SPEAKER, event, Buffer.from(stdout));
}

const codeOf = (reply: Result<Reply | null, Problem>): string | null => (reply.ok ? null : reply.error.code);
