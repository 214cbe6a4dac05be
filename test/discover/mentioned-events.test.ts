import { describe, expect, test } from "vitest";
import { mayBeFailClosed, mentionedEvents } from "../../src/discover/mentioned-events.ts";
import { workspace } from "../support/workspace.ts";

describe("the events whose names stand in a text are its claims, in the catalogue's order", () => {
  const texts: readonly (readonly [text: string, claims: readonly string[]])[] = [
    ["echo before_tool_call", ["before_tool_call"]],
    ['case "$1" in agent_stop|PreToolUse) ;; esac', ["before_tool_call", "agent_stop"]],
    ["# pre_tool_call and before_tool_call are one", ["before_tool_call"]],
    ["xbefore_tool_call before_tool_callx before-tool-call", []],
    ["", []],
  ];
  test.each(texts)("%j", async (text, claims) => {
    await using place = await workspace();
    expect(mentionedEvents(await place.write("hook", text))).toEqual(claims);
  });
});

describe("a text that says it is closed may be a guard", () => {
  const texts: readonly (readonly [text: string, isClosed: boolean])[] = [
    [`echo '{"event":"before_tool_call","fail_open":false}'`, true],
    ['echo "{\\"fail_open\\": false}"', true],
    ["fail_open = False", true],
    ['{"failOpen":false}', true],
    ["failOpen: !1, fail_open => 0", true],
    ['{"fail_open":"false"}', true],
    ['{"Fail-Open": "No"}', true],
    ['{"fial_open":false,"x":1}', true],
    ['{"fail_closed":true}', true],
    ['{"fail_open":true}', false],
    ['{"fail_open":"true"}', false],
    ['{"fail_open":null}', false],
    ['{"fail_closed":false}', false],
    ['{"observe":false,"failed":false,"background":false}', false],
    ["fail_open:0.5", false],
    ["fail_open", false],
  ];
  test.each(texts)("%j", async (text, isClosed) => {
    await using place = await workspace();
    expect(mayBeFailClosed(await place.write("hook", text))).toBe(isClosed);
  });
});

test("a long text is read in one go", async () => {
  await using place = await workspace();
  const texts = ["f".repeat(250_000), "fail_open ".repeat(25_000), `fail_open${" ".repeat(250_000)}`];
  for (const text of texts) expect(mayBeFailClosed(await place.write("hook", text))).toBe(false);
});

test("a file that nobody can read claims nothing, and may be a guard", async () => {
  await using place = await workspace();
  expect([mentionedEvents(place.dir), mayBeFailClosed(place.dir)]).toEqual([[], true]);
});
