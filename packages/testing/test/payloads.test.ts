import { describe, expect, test } from "vitest";
import { EVENT_NAMES, fieldsOf } from "../../../src/protocol/event.ts";
import type { Hook, Match } from "../../../src/protocol/hook.ts";
import { jsonText } from "../../../src/protocol/json/write.ts";
import { matches } from "../../../src/protocol/match.ts";
import { payloadText, readPayload } from "../../../src/protocol/payload/payload.ts";
import { minimalPayload, parsePathValues, samplePayload, withValue } from "../../../src/protocol/payload/sample.ts";
import { PAYLOAD_CHECKS, payloadsFor } from "../checks/payload-checks.ts";

const hookOf = (events: Hook["events"], match: Match | null = null): Hook => ({
  name: "guard",
  path: "/h/guard",
  source: "user",
  kind: "executable",
  rank: 0,
  events,
  mentionedEvents: [],
  dialect: "kodelet",
  priority: 100,
  failOpen: true,
  observe: false,
  timeoutMs: 1000,
  match,
  outputLimit: null,
  background: false,
  readsEnv: false,
  disabledReason: null,
  isWeakenedBySettings: false,
  trust: "trusted",
  state: "ready",
  refusal: null,
  projectDir: null,
  entry: null,
  hash: null,
  shadows: null,
});

describe.each(EVENT_NAMES)("%s", (event) => {
  test("the least payload is valid and holds the required fields alone", () => {
    const least = minimalPayload(event, "/w");
    expect(readPayload(event, jsonText(least), "/w").ok).toBe(true);
    // `agent` is completed from the other fields.
    const required = Object.entries(fieldsOf(event)).filter(([name, { isRequired }]) => isRequired && name !== "agent");
    expect(Object.keys(least).sort()).toEqual(required.map(([name]) => name).sort());
  });

  test.each(Object.keys(PAYLOAD_CHECKS))("“%s” has a valid payload", (check) => {
    const [payload, ...others] = payloadsFor(check, hookOf([event]), { cwd: "/w", context: { payloads: new Map() } });
    expect(others).toEqual([]);
    expect(payload).toMatchObject({ event, cwd: "/w" });
    const text = payload === undefined ? "" : payloadText(payload);
    expect(readPayload(event, text, "/other").ok).toBe(true);
    expect(text.length > 1024 * 1024).toBe(check === "survives a large payload");
  });
});

test("required fields of the least payload are empty, whatever they hold", () => {
  expect(minimalPayload("before_tool_call", "/w")).toMatchObject({ tool_name: "", tool_input: {} });
  expect(minimalPayload("agent_stop", "/w")).toMatchObject({ messages: [] });
});

const fits: readonly { readonly title: string; readonly match: Match }[] = [
  { title: "an exact text", match: { tool_name: "edit" } },
  { title: "a glob", match: { tool_name: "mcp_*", "tool_input.path": "?.ts" } },
  { title: "a list", match: { tool_name: ["write", "edit*"] } },
  { title: "a field that no payload has", match: { "extra.deep": "yes" } },
];

test.each(fits)("payloads are bent to a match: $title", ({ match }) => {
  for (const check of Object.keys(PAYLOAD_CHECKS)) {
    const [payload] = payloadsFor(check, hookOf(["before_tool_call"], match), {
      cwd: "/w",
      context: { payloads: new Map() },
    });
    expect(payload !== undefined && matches(match, payload.members)).toBe(true);
  }
});

test("a match that no valid payload can fit leaves the payload as it is", () => {
  const [payload] = payloadsFor("handles a sample payload", hookOf(["before_tool_call"], { "tool_name.x": "y" }), {
    cwd: "/w",
    context: { payloads: new Map() },
  });
  expect(payload?.members.get("tool_name")?.raw).toBe('"bash"');
});

test("a value is placed by its path, and JSON where it parses", () => {
  const placed = parsePathValues(["a.b=1.0", "c=text", 'd={"e":[1]}', "f=a=b"]);
  expect(placed.ok).toBe(true);
  const all = placed.ok ? placed.value.reduce(withValue, {}) : {};
  expect(jsonText(all)).toBe('{"a":{"b":1.0},"c":"text","d":{"e":[1]},"f":"a=b"}');
  expect(parsePathValues(["a=1", "=2"])).toEqual({ ok: false, error: "=2" });
});

test("a sample names its event and its folder", () => {
  expect(samplePayload("agent_stop", "/w")).toMatchObject({
    event: "agent_stop",
    cwd: "/w",
    conv_id: "sample-session",
  });
});
