import { describe, expect, test } from "vitest";
import { allEventNames, EVENT_NAMES, EVENT_ROWS, fieldsOf, findEvent } from "../../src/protocol/event.ts";
import { type Field, fitsField } from "../../src/protocol/payload/field.ts";
import { readPayload } from "../../src/protocol/payload/payload.ts";

test("no two events share a name in any dialect", () => {
  expect(allEventNames().size).toBe(EVENT_NAMES.length + aliases().length);
});

test.each(aliases())("$name is $dialect's name for $event", ({ name, dialect, event }) => {
  expect(findEvent(name)).toEqual({ event, dialect });
});

test.each(["toString", "__proto__", "constructor", "", "Before_Tool_Call", "before_tool_call "])(
  "%j is no event",
  (name) => expect(findEvent(name)).toBeNull(),
);

describe.each(EVENT_NAMES)("%s", (event) => {
  const row = EVENT_ROWS[event];
  const targets = row.target === null ? [] : typeof row.target === "string" ? [row.target] : row.target;

  test("is found by its own name as kodelet's", () => expect(findEvent(event)).toEqual({ event, dialect: "kodelet" }));

  test("has its target among its fields", () => {
    for (const target of targets) expect(Object.keys(row.fields)).toContain(target);
  });

  test("denies only before the thing happens, and halts only after", () => {
    expect(row.onBlock === "deny").toBe(row.phase === "pre");
  });

  test("does not give a base field another meaning", () => {
    for (const name of ["event", "conv_id", "cwd", "invoked_by", "recipe_name"])
      expect(row.fields).not.toHaveProperty(name);
  });

  test("has a valid sample, with and without what is optional", () => {
    const samples = Object.entries(fieldsOf(event)).map(([name, field]) => [
      name,
      name === "event" ? event : field.sample,
    ]);
    const needed = samples.filter(([name]) => fieldsOf(event)[String(name)]?.isRequired);
    for (const members of [samples, needed]) {
      const text = JSON.stringify(Object.fromEntries(members));
      expect(readPayload(event, text, "/own")).toMatchObject({ ok: true });
    }
  });
});

test("the catalogue says what a block does, as the specification's table", () => {
  const byEffect = (effect: string): readonly string[] =>
    EVENT_NAMES.filter((event) => EVENT_ROWS[event].onBlock === effect);
  expect(byEffect("deny")).toEqual([
    ...["session_start", "user_message_send", "turn_start", "before_llm_call", "before_tool_call", "before_compaction"],
    ...["budget_exceeded", "permission_request", "skill_start", "task_start", "subagent_start"],
  ]);
  expect(byEffect("halt")).toEqual([
    ...["turn_end", "turn_error", "after_llm_call", "llm_error", "after_tool_call", "on_error"],
  ]);
});

test("the fields that a caller must send are those of the specification's table", () => {
  const isNeeded = ({ isRequired, fallback }: Field): boolean => isRequired && fallback === undefined;
  const required = EVENT_NAMES.flatMap((event) =>
    Object.entries(EVENT_ROWS[event].fields).flatMap(([name, field]) => (isNeeded(field) ? [`${event}.${name}`] : [])),
  );
  expect(required).toEqual([
    ...["user_message_send.message", "turn_end.response", "before_tool_call.tool_name", "before_tool_call.tool_input"],
    ...[
      "after_tool_call.tool_name",
      "after_tool_call.tool_input",
      "after_tool_call.tool_output",
      "agent_stop.messages",
    ],
  ]);
});

test("a field of a kind takes JSON of that kind only", () => {
  expect(
    fitsField("text", "string") &&
      fitsField("number", "number") &&
      fitsField("list", "array") &&
      fitsField("object", "object"),
  ).toBe(true);
  expect(fitsField("text", "number") || fitsField("list", "object") || fitsField("object", "array")).toBe(false);
  expect(fitsField("json", "null")).toBe(true);
});

function aliases(): { event: string; dialect: string; name: string }[] {
  return EVENT_NAMES.flatMap((event) =>
    Object.entries(EVENT_ROWS[event].aliases).flatMap(([dialect, names]) =>
      names.map((name) => ({ event, dialect, name })),
    ),
  );
}
