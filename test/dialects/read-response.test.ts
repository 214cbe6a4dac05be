import { describe, expect, test } from "vitest";
import { readResponse } from "../../src/dialects/response/read-response.ts";
import { DIALECT_NAMES, EVENT_NAMES, type EventName } from "../../src/protocol/event.ts";
import { EMPTY_RESPONSE, type HookResponse } from "../../src/protocol/hook-response.ts";
import type { Problem } from "../../src/protocol/problem.ts";
import type { Result } from "../../src/protocol/result.ts";

const PRE = "before_tool_call";
const POST = "after_tool_call";
const STOP = "agent_stop";
const SPEAKER = { name: "guard", path: "/hooks/guard" };

type Row = readonly [stdout: string, reply: Partial<HookResponse>, event?: EventName];
const block = (reason: string | null = null): Partial<HookResponse> => ({ decision: "block", reason });

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
      ['{"additional_context":"a"}', { context: ["a"] }],
      ['{"additional_context":""}', {}],
      ['{"follow_up_messages":"go on"}', { followUps: ["go on"] }],
      ['{"warnings":"careful"}', { warnings: [{ code: "FROM_HOOK", hook: "guard", text: "careful" }] }],
      ['{"state":{"delete":"n"}}', { state: { set: new Map(), remove: ["n"], increment: new Map() } }],
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
      ['{"action":"injectContext","additionalContext":"a"}', { context: ["a"] }],
      ['{"action":"block","reason":"no","warnings":"","additionalContext":""}', block("no")],
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
      ['{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":["c","d"]}}', { context: ["c", "d"] }],
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
    else expect(reply).toEqual({ ok: true, value: { ...EMPTY_RESPONSE, warnings: expect.any(Array), ...expected } });
  });
});

describe("nothing to say", () => {
  test.each(["", " ", "\n\t\r\n", "null", " null\n", "\ufeff", '\ufeff"Continue"'])("%j is no action", (stdout) => {
    expect(said(stdout)).toEqual({ ok: true, value: null });
  });

  test.each([
    '{"Reject":null}',
    '{"reject":null}',
    '{"Reject":null,"blocked":false}',
    '{"action":"reject","reason":null}',
  ])("%s is a block without a word why", (stdout) => {
    expect(said(stdout)).toMatchObject({ ok: true, value: { decision: "block", reason: null } });
  });

  test("null in a list of texts is an empty one, as Go reads it, and takes no other away", () => {
    expect(said('{"follow_up_messages":["a",null,"b"]}', "agent_stop")).toMatchObject({
      ok: true,
      value: { followUps: ["a", "b"], warnings: [{ code: "EMPTY_FOLLOW_UP" }] },
    });
    expect(said('{"state":{"delete":["a",null]},"blocked":false}')).toMatchObject({ ok: true, value: { state: null } });
  });

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
      expect(said(stdout)).toEqual({ ok: true, value: EMPTY_RESPONSE });
  });

  test("byte order marks are tolerated", () => {
    expect(said('\ufeff{"blocked":true}')).toMatchObject({ ok: true, value: { decision: "block" } });
    expect(said('\ufeff\ufeff{"blocked":true}')).toMatchObject({ ok: true, value: { decision: "block" } });
  });
});

describe("what holds no JSON object with a meaning fails the hook", () => {
  test.each([
    ["not json", "REPLY_NOT_JSON"],
    ["log line\n{}", "REPLY_NOT_JSON"],
    ['log line\n{"blocked":false}', "REPLY_NOT_JSON"],
    ["{}{}", "REPLY_NOT_JSON"],
    ['{"reason":"an unescaped "quote"","blocked":true}', "REPLY_NOT_JSON"],
    ["{'blocked':true}", "REPLY_NOT_JSON"],
    ["[]", "REPLY_NOT_OBJECT"],
    ["true", "REPLY_NOT_OBJECT"],
    ['"continue"', "REPLY_NOT_OBJECT"],
    [`${"[".repeat(200_000)}`, "REPLY_TOO_DEEP"],
  ])("%#: %.30s", (stdout, code) => expect(codeOf(said(stdout))).toBe(code));

  test("the line of the fault is told with its text", () => {
    expect(said("{\n  oops\n}")).toMatchObject({
      error: { code: "REPLY_NOT_JSON", line: 2, text: "  oops", hook: "guard" },
    });
  });

  test.each([[[0xff, 0xfe]], [[0x7b, 0xc3, 0x7d]], [[0xed, 0xa0, 0x80]]])("the bytes %j are not UTF-8", (bytes) => {
    expect(codeOf(readResponse(SPEAKER, PRE, Uint8Array.from(bytes)))).toBe("REPLY_NOT_UTF8");
  });

  test.each([
    ...['{"blocked":"true"}', '{"blocked":1}', '{"blocked":"no","reason":"x"}', '{"follow_up_messages":5}'],
    ...['{"follow_up_messages":["a",1]}', '{"decision":"Deny"}', '{"decision":"maybe"}', '{"decision":true}'],
    ...['{"action":"Block"}', '{"action":"toString"}', '{"action":["block"]}', '{"Reject":{}}', '{"Reject":true}'],
    ...['{"action":"transform"}', '{"action":"replace"}', '{"additional_context":true}'],
    ...['{"additionalContext":{"a":1}}', '{"additional_context_mode":"replace"}', '{"pushes":[{"wake":true}]}'],
    ...['{"pushes":["x"]}', '{"state":[]}', '{"metadata":[]}', '{"warnings":[1]}', '{"continue":"false"}'],
    ...['{"permissionDecision":"block"}', '{"hookSpecificOutput":"deny"}', '{"priority":"1"}'],
    ...['{"hookSpecificOutput":{"permissionDecision":"denied"}}', '{"hookSpecificOutput":{"decision":"deny"}}'],
    ...['{"hookSpecificOutput":{"decision":{"behavior":"Deny"}}}', '{"system_message":"hi","decision":"maybe"}'],
    '{"hookSpecificOutput":{"permissionDecision":"__proto__"}}',
  ])("nothing but a value of the wrong type: %s", (stdout) => expect(codeOf(said(stdout))).toBe("REPLY_WRONG_TYPE"));

  test.each<readonly [string, EventName]>([
    ['{"message":5}', "user_message_send"],
    ['{"modifiedInput":{"a":1}}', "user_message_send"],
    ['{"Transform":5}', "user_message_send"],
    ['{"input":[]}', "before_llm_call"],
    ['{"input":{"messages":"x"}}', "before_llm_call"],
    ['{"input":{"other":[]}}', "before_llm_call"],
    ['{"blocked":false,"reason":"secrets removed","message":5}', "user_message_send"],
  ])("a new value that its field cannot hold: %s at %s", (stdout, event) => {
    expect(codeOf(said(stdout, event))).toBe("REPLY_WRONG_TYPE");
  });
});

describe("a fault takes nothing away from a block", () => {
  test.each<[stdout: string, codes: readonly string[]]>([
    ['{"blocked":true,"reason":"r","action":"deny"}', ["KEY_IGNORED"]],
    ['{"blocked":true,"reason":5}', ["KEY_IGNORED"]],
    ['{"blocked":true,"input":7,"priority":"high"}', ["KEY_IGNORED"]],
    ['{"blocked":true,"blocked":false}', ["KEY_TWICE"]],
    ['{"blocked":true,"\\u0062locked":false}', ["KEY_TWICE"]],
    ['{"blocked":true,"Blocked":false}', ["KEY_TWICE", "ODD_CASE"]],
    ['{"decision":"ask","decision":"deny","decision":"allow"}', ["KEY_TWICE"]],
    [
      '{"hookSpecificOutput":{"permissionDecision":"allow"},"hookSpecificOutput":{"permissionDecision":"deny"}}',
      ["KEY_TWICE"],
    ],
    ['{"hookSpecificOutput":{"permissionDecision":"deny","updatedInput":5,"decision":7}}', ["KEY_IGNORED"]],
    ['{"hookSpecificOutput":{"permissionDecision":7,"decision":{"behavior":"deny"}}}', ["KEY_IGNORED"]],
    ['{"metadata":{"a":1,"a":2},"blocked":true}', []],
    [`{"metadata":${'{"a":'.repeat(300_000)}1${"}".repeat(300_000)},"blocked":true}`, []],
    ['{"blocked":true}\nbye', ["RESPONSE_BROKEN"]],
    ['checking rm\n{"blocked":true}', ["RESPONSE_BROKEN"]],
    ['{"blocked":false}\n{"blocked":true}', ["RESPONSE_BROKEN"]],
    ['{"blocked":false}{"blocked":true}', ["RESPONSE_BROKEN"]],
    ['{"level":"info"}\nnoise\n  {"decision":"block"}\n', ["RESPONSE_BROKEN"]],
    ['{"blocked":true,"reason":"an unescaped "quote""}', ["RESPONSE_BROKEN"]],
    ['{"blocked":true,"reason":"two\nlines"}', ["RESPONSE_BROKEN"]],
    ['{"blocked":true,"score":NaN}', ["RESPONSE_BROKEN"]],
    ['{"blocked":true,"reason":"cut off he', ["RESPONSE_BROKEN"]],
  ])("%#: %.60s", (stdout, codes) => {
    const reply = said(stdout);
    expect(reply).toMatchObject({ ok: true, value: { decision: "block", possibleBlock: null } });
    const found = new Set(reply.ok ? reply.value?.warnings.map(({ code }) => code) : []);
    expect([...found].filter((code) => code !== "UNKNOWN_KEY").sort()).toEqual(codes);
  });

  test("bytes that are not UTF-8 become U+FFFD", () => {
    const bytes = Buffer.concat([Buffer.from('{"blocked":true,"reason":"caf'), Buffer.of(0xe9), Buffer.from('"}')]);
    expect(readResponse(SPEAKER, PRE, bytes)).toMatchObject({
      value: { decision: "block", reason: "caf\ufffd", warnings: [{ code: "NOT_UTF8", hook: "guard" }] },
    });
  });
});

describe("nor from a changed value, context, follow-ups and pushes", () => {
  const REST = '"priority":"x","decision":{"score":1},"action":"redact","warnings":5';
  test.each<[stdout: string, event: EventName, said: Partial<HookResponse>]>([
    [`{"output":"clean",${REST}}`, POST, { change: '"clean"' }],
    [`{"modifiedOutput":"clean",${REST}}`, POST, { change: '"clean"' }],
    [`{"input":{"a":1},${REST}}`, PRE, { change: '{"a":1}' }],
    [`{"hookSpecificOutput":{"updatedInput":{"a":1},"permissionDecision":7},${REST}}`, PRE, { change: '{"a":1}' }],
    [`{"additional_context":["c"],${REST}}`, PRE, { context: ["c"] }],
    [`{"hookSpecificOutput":{"additionalContext":"c"},${REST}}`, PRE, { context: ["c"] }],
    [`{"follow_up_messages":["go"],${REST}}`, STOP, { followUps: ["go"] }],
    [`{"blocked":false,${REST}}`, PRE, { decision: "none" }],
    ['{"input":{"a":1,"a":2},"input":{"b":[{"c":1,"c":2}]}}', PRE, { change: '{"b":[{"c":2}]}' }],
    ['{"input":{"a":1},"modifiedInput":null,"input":null}', PRE, { change: '{"a":1}' }],
  ])("%#: %.60s", (stdout, event, expected) => {
    expect(said(stdout, event)).toMatchObject({ ok: true, value: { ...expected, possibleBlock: null } });
  });
});

describe("what may have been a block beside it is a doubt, and allows nothing", () => {
  test.each<[stdout: string, event: EventName, said: Partial<HookResponse>, code: string]>([
    ['{"blocked":"true","input":{"a":1}}', PRE, { change: '{"a":1}' }, "REPLY_WRONG_TYPE"],
    ['{"output":"clean","decision":"Deny"}', POST, { change: '"clean"' }, "REPLY_WRONG_TYPE"],
    ['{"output":"clean","denied":true}', POST, { change: '"clean"' }, "REPLY_MISSPELT_KEY"],
    ['{"additional_context":["c"],"allowed":false}', PRE, { context: ["c"] }, "REPLY_MISSPELT_KEY"],
    ['{"decision":"ask","blocked":1}', PRE, { decision: "ask" }, "REPLY_WRONG_TYPE"],
    ['{"decision":"allow","input":{"a":1},"blocked":1}', PRE, { decision: "none" }, "REPLY_WRONG_TYPE"],
    ['noise\n{"output":"clean"}', POST, { change: '"clean"' }, "REPLY_NOT_JSON"],
    ['{"decision":"ask"}\nnoise', PRE, { decision: "ask" }, "REPLY_NOT_JSON"],
    ['{"additional_context":["c"],"message":5}', "user_message_send", { context: ["c"] }, "REPLY_WRONG_TYPE"],
  ])("%s", (stdout, event, expected, code) => {
    expect(said(stdout, event)).toMatchObject({
      ok: true,
      value: { ...expected, possibleBlock: { code, hook: "guard" } },
    });
  });

  test.each([
    '{"blocked":false,"decision":"Deny"}',
    '{"decision":"allow","blocked":"yes"}',
    '{"blocked":false,"veto":1}',
  ])("where nothing else is said the response is not valid: %s", (stdout) => expect(said(stdout).ok).toBe(false));

  test.each([
    '{"blocked":false,"denied":false}',
    '{"blocked":false,"allowed":true}',
    '{"blocked":false,"action":"log"}',
  ])("what cannot be one is a trifle: %s", (stdout) =>
    expect(said(stdout)).toMatchObject({ ok: true, value: { decision: "none", possibleBlock: null } }),
  );
});

function said(stdout: string, event: EventName = PRE): Result<HookResponse | null, Problem> {
  return readResponse(SPEAKER, event, Buffer.from(stdout));
}

const codeOf = (reply: Result<HookResponse | null, Problem>): string | null => (reply.ok ? null : reply.error.code);

test("what a response means does not depend on the one that was read before", () => {
  const texts = [
    '{"Replace":null}',
    '{"output":{"a":1}}',
    '{"blocked":true,"reason":"no"}',
    "[]",
    '{"blocked":"\ufffd',
  ];
  const readers = EVENT_NAMES.flatMap((event) =>
    [undefined, ...DIALECT_NAMES].flatMap((dialect) =>
      texts.flatMap((text) =>
        // The last of the bytes are no UTF-8, and are decoded to the same text.
        [Buffer.from(text), Buffer.from(text.replace("\ufffd", "\xff"), "latin1")].map((bytes) => () => {
          const hook = dialect === undefined ? SPEAKER : { ...SPEAKER, dialect };
          return readResponse(hook, event, bytes);
        }),
      ),
    ),
  );
  const alone = readers.map((read) => {
    readResponse(SPEAKER, PRE, Buffer.from('{"blocked":false}'));
    return read();
  });
  // Ten are of one dialect, and all dialects of one event: each step leads to the same text in another one of them.
  for (const step of [1, 10, 10 * (DIALECT_NAMES.length + 1)])
    for (let first = 0; first < step; first++)
      for (let index = first; index < readers.length; index += step) expect(readers[index]?.()).toEqual(alone[index]);
});
