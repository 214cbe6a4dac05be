import { describe, expect, test } from "vitest";
import { readIdentity } from "../../src/discover/read-identity.ts";

const read = (answer: string) => readIdentity({ name: "guard", path: "/hooks/guard" }, answer);

describe("one event name of any dialect", () => {
  test.each([
    ["before_tool_call", "before_tool_call", "kodelet"],
    ["PreToolUse", "before_tool_call", "basecoat"],
    ["pre_tool_call", "before_tool_call", "agenthook"],
  ])("%s", (answer, event, dialect) => {
    expect(read(answer)).toMatchObject({
      ok: true,
      value: { events: [event], dialect, priority: null, failOpen: null },
    });
  });
});

test("one JSON object says everything at once", () => {
  const said = {
    ...{ event: ["PreToolUse", "before_tool_call", "Stop"], priority: 7.5, fail_open: false, timeout: "2s" },
    ...{ match: { tool_name: ["bash", "mcp_*"] }, dialect: "kodelet", background: true, files: ["rules.txt"] },
    reads: "env",
  };
  expect(read(JSON.stringify(said))).toEqual({
    ok: true,
    value: {
      ...{ events: ["before_tool_call", "agent_stop"], dialect: "kodelet", priority: 7.5, failOpen: false },
      ...{ observe: null, timeoutMs: 2000, match: { tool_name: ["bash", "mcp_*"] }, background: true },
      readsEnv: true,
      files: ["rules.txt"],
      outputLimit: null,
    },
  });
});

describe("anything else is invalid, with the reason", () => {
  const event = '"event":"agent_stop"';
  const wrong: readonly (readonly [answer: string, detail: string])[] = [
    [`{${event},"prio":1}`, 'unknown key "prio". Did you mean "priority"?'],
    [`{${event},"zzzzzz":1}`, 'unknown key "zzzzzz"'],
    [`{${event},"priority":"1"}`, '"priority" must be a number'],
    [`{${event},"priority":1e999}`, '"priority" must be a number'],
    [`{${event},"fail_open":"no"}`, '"fail_open" must be true or false'],
    [`{${event},"timeout":"5"}`, '"timeout" must be a duration such as 5s'],
    [`{${event},"timeout":5}`, '"timeout" must be a duration such as 5s'],
    [
      `{${event},"match":[]}`,
      '"match" must be an object of field paths, each with a string or a list of strings that is not empty',
    ],
    [
      `{${event},"match":{"a":1}}`,
      '"match" must be an object of field paths, each with a string or a list of strings that is not empty',
    ],
    [`{${event},"reads":"ENV"}`, '"reads" must be one of stdin, env'],
    [`{${event},"reads":["env"]}`, '"reads" must be one of stdin, env'],
    [`{${event},"files":"a"}`, '"files" must be a list of paths'],
    ['{"event":[1]}', '"event" must be an event name or a list of them'],
    ["{}", 'the key "event" is missing'],
    [`{${event},"observe":true,"fail_open":false}`, "an observer cannot decide, so it cannot have fail_open: false"],
  ];
  test.each(wrong)("%s", (answer, detail) => {
    expect(read(answer)).toEqual({
      ok: false,
      error: { code: "HOOK_BAD_ANSWER", hook: "guard", path: "/hooks/guard", detail },
    });
  });

  test.each([`{${event}`, `{${event}} {}`, `{${event},${event}}`])("%s", (answer) => {
    expect(read(answer)).toMatchObject({ ok: false, error: { code: "HOOK_BAD_ANSWER" } });
  });

  test.each([
    ["", "", null],
    ["before_tool", "before_tool", "before_tool_call"],
    ['{"event":["agent_stop","agent_stpo"]}', "agent_stpo", "agent_stop"],
    ['{"event":[]}', "", null],
  ])("%j is no event", (answer, result, nearest) => {
    expect(read(answer)).toMatchObject({ ok: false, error: { code: "HOOK_UNKNOWN_TYPE", answer: result, nearest } });
  });

  test("a dialect that is none", () => {
    expect(read(`{${event},"dialect":"cobol"}`)).toMatchObject({
      ok: false,
      error: { detail: expect.stringMatching(/^"dialect" must be one of kodelet, /) },
    });
  });
});

test("each name of a file has its own dialect, the first one of an event counts, and a dialect of its own counts for all", () => {
  const result = (said: object) => {
    const identity = read(JSON.stringify(said));
    return identity.ok ? { dialect: identity.value.dialect, dialects: identity.value.dialects } : identity.error.code;
  };
  const event = ["before_tool_call", "pre_turn", "PostToolUse", "pre_tool_call"];
  expect(result({ event })).toEqual({
    dialect: "kodelet",
    dialects: { before_tool_call: "kodelet", turn_start: "agenthook", after_tool_call: "basecoat" },
  });
  expect(result({ event, dialect: "agenthook" })).toEqual({ dialect: "agenthook", dialects: undefined });
  expect(result({ event: ["pre_turn", "post_turn"] })).toEqual({ dialect: "agenthook", dialects: undefined });
  expect(result({ event: "pre_turn", match: { a: [] } })).toBe("HOOK_BAD_ANSWER");
});
