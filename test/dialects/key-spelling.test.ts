import { describe, expect, test } from "vitest";
import { readResponse } from "../../src/dialects/response/read-response.ts";
import { EMPTY_RESPONSE } from "../../src/protocol/hook-response.ts";

const said = (stdout: string) => readResponse({ name: "guard", path: "/g" }, "before_tool_call", Buffer.from(stdout));

describe("an unknown key close to a deciding one fails, for it may be a block", () => {
  test.each([
    ...["block", "bloc", "blockd", "bloked", "blockedd", "is_blocked", "isBlocked", "Block", "BLOCKD", "b-l-o-c-k-e-d"],
    ...["Deny", "denied", "deny", "rejected", "forbid", "veto", "allow", "approved"],
    ...["decison", "desicion", "decisions", "acton", "actions", "Rejct", "Transfrm", "Replase", "contine"],
    ...["permission_decision", "permissionDecison", "hookSpecificOuput", "hook_specific_output"],
  ])("%s", (key) => {
    expect(said(JSON.stringify({ [key]: true }))).toMatchObject({
      ok: false,
      error: { code: "REPLY_MISSPELT_KEY", key },
    });
  });
});

const specific = (members: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...members } });
const PERMISSION = "hookSpecificOutput.permissionDecision";
const BEHAVIOR = "hookSpecificOutput.decision.behavior";

describe("such a key inside Claude's own object fails too", () => {
  test.each([
    ["permissionDecison", { permissionDecison: "deny" }, PERMISSION],
    ["deniedBy", { deniedBy: "policy 7" }, PERMISSION],
    ["blocked", { permissionDecision: "allow", blocked: true }, PERMISSION],
    ["behavior", { behavior: "deny" }, BEHAVIOR],
    ["decision.behaviour", { decision: { behaviour: "deny" } }, BEHAVIOR],
    ["decision.deny", { decision: { behavior: "allow", deny: true } }, BEHAVIOR],
    ["decision.permissionDecision", { decision: { permissionDecision: "deny" } }, PERMISSION],
  ])("%s", (key, members, nearest) => {
    expect(said(JSON.stringify(specific(members)))).toEqual({
      ok: false,
      error: { code: "REPLY_MISSPELT_KEY", hook: "guard", path: "/g", key: `hookSpecificOutput.${key}`, nearest },
    });
  });
});

describe("a block in known words counts, whatever stands beside it", () => {
  const no = { permissionDecision: "deny", permissionDecisionReason: "no" };
  test.each<readonly [title: string, reply: object, key: string]>([
    ["at the top", { blocked: true, reason: "no", deniedBy: 7 }, "deniedBy"],
    ["beside permissionDecision", specific({ ...no, deniedBy: "policy 7" }), "hookSpecificOutput.deniedBy"],
    ["before permissionDecision", specific({ is_blocked: true, ...no }), "hookSpecificOutput.is_blocked"],
    [
      "beside behavior",
      specific({ decision: { behavior: "deny", message: "no", deniedBy: 7 } }),
      "hookSpecificOutput.decision.deniedBy",
    ],
    [
      "inside Claude's object, with the block at the top",
      { ...specific({ denied: true }), decision: "block", reason: "no" },
      "hookSpecificOutput.denied",
    ],
    [
      "inside behavior's object, with the block around it",
      specific({ ...no, decision: { approved: false } }),
      "hookSpecificOutput.decision.approved",
    ],
  ])("%s", (_title, reply, key) => {
    expect(said(JSON.stringify(reply))).toEqual({
      ok: true,
      value: {
        ...{ ...EMPTY_RESPONSE, decision: "block", reason: "no" },
        warnings: [{ code: "UNKNOWN_KEY", hook: "guard", key, nearest: expect.any(String) }],
      },
    });
  });

  test("in the patch of a state, which is not kept", () => {
    const ignored = { code: "KEY_IGNORED", hook: "guard", key: "state", found: 'an object with "sets"' };
    expect(said('{"blocked":true,"state":{"sets":{}}}')).toMatchObject({
      value: { decision: "block", state: null, warnings: [ignored] },
    });
  });

  test("under a name that occurs twice", () => {
    const twice = '{"hookSpecificOutput":{"permissionDecision":"deny","PermissionDecision":"allow"}}';
    expect(said(twice)).toMatchObject({ ok: true, value: { decision: "block", warnings: [{ code: "KEY_TWICE" }] } });
  });
});

test("a state with a key that it does not have fails a reply that blocks nothing", () => {
  expect(said('{"state":{"set":{"a":1},"delet":["b"]}}')).toMatchObject({
    ok: false,
    error: { code: "REPLY_WRONG_TYPE", key: "state", found: 'an object with "delet"' },
  });
});

describe("a known key in odd case is taken, with a warning", () => {
  test.each([
    ['{"Blocked":true,"REASON":"no"}', { decision: "block", reason: "no" }],
    ['{"DECISION":"deny"}', { decision: "block" }],
    ['{"Action":"block"}', { decision: "block" }],
    ['{"reject":"no"}', { decision: "block", reason: "no" }],
    ['{"Input":{"a":1}}', { change: '{"a":1}' }],
    ['{"hookspecificoutput":{"PermissionDecision":"deny"}}', { decision: "block" }],
  ])("%s", (stdout, expected) => {
    const reply = said(stdout);
    expect(reply).toMatchObject({ ok: true, value: expected });
    expect(reply.ok && reply.value?.warnings.map(({ code }) => code)).toContain("ODD_CASE");
  });
});

describe("any other unknown key warns, and says what may have been meant", () => {
  test.each([
    ["resaon", "reason"],
    ["followup_messages", "follow_up_messages"],
    ["addtional_context", "additional_context"],
    ["zebra_crossing_light", null],
    ["__proto__", null],
    ["constructor", null],
    ["toString", null],
    ["", null],
  ])("%j", (key, nearest) => {
    const warning = { code: "UNKNOWN_KEY", hook: "guard", key, nearest };
    const stdout = JSON.stringify(Object.fromEntries([[key, { blocked: true }]]));
    expect(said(stdout)).toEqual({ ok: true, value: { ...EMPTY_RESPONSE, warnings: [warning] } });
  });
});

test("a key that changes nothing at this event warns", () => {
  const key = { code: "CHANGE_IGNORED", hook: "guard", event: "before_tool_call" };
  for (const name of ["output", "message", "modifiedOutput"])
    expect(said(`{"${name}":"x"}`)).toEqual({
      ok: true,
      value: { ...EMPTY_RESPONSE, warnings: [{ ...key, key: name }] },
    });
});

test("empty follow-up messages are dropped with a warning", () => {
  expect(said('{"follow_up_messages":["a","","b"]}')).toMatchObject({
    value: { followUps: ["a", "b"], warnings: [{ code: "EMPTY_FOLLOW_UP", hook: "guard" }] },
  });
});

test("a megabyte of unknown keys is read to its end", { tags: "slow" }, () => {
  const keys = Array.from({ length: 60_000 }, (_, index) => [`key_number_${index}`, 1]);
  const reply = said(JSON.stringify({ ...Object.fromEntries(keys), blocked: true }));
  expect(reply).toMatchObject({ ok: true, value: { decision: "block" } });
});
