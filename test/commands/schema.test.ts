import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { EVENT_NAMES } from "../../src/protocol/event.ts";
import { runInProcess } from "../support/in-process.ts";
import { sampledRows } from "../support/property-runs.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const answerOf = async (place: Workspace, words: string): Promise<Record<string, object>> => {
  const result = await runInProcess(place, words);
  expect(result).toMatchObject({ stderr: "", code: 0 });
  return JSON.parse(result.stdout);
};
const validator = (schema: object | undefined) => new Ajv2020({ strict: false }).compile(schema ?? false);

describe("the schema of an event", () => {
  test.each(sampledRows(EVENT_NAMES))("%s: its sample is valid, and another event's name is not", async (event) => {
    await using place = await workspace();
    const isValid = validator((await answerOf(place, `schema ${event}`)).payload);
    const sample = await answerOf(place, `payload ${event}`);
    expect(isValid(sample)).toBe(true);
    expect(isValid({ ...sample, event: "nothing" })).toBe(false);
  });

  const replies: readonly (readonly [event: string, reply: unknown, isValid: boolean])[] = [
    ["before_tool_call", null, true],
    ["before_tool_call", { blocked: true, reason: "no" }, true],
    ["before_tool_call", { blocked: "true" }, false],
    ["before_tool_call", { decision: "perhaps" }, false],
    ["PreToolUse", { action: "block", reason: "no" }, true],
    ["PreToolUse", { action: "blok" }, false],
    ["agent_stop", { follow_up_messages: [1] }, false],
  ];
  test.each(sampledRows(replies))("%s: the reply %j is valid: %s", async (event, reply, isValid) => {
    await using place = await workspace();
    expect(validator((await answerOf(place, `schema ${event}`)).reply)(reply)).toBe(isValid);
  });
});

describe("the schema of settings", () => {
  const files: readonly (readonly [file: object, isValid: boolean])[] = [
    [{ version: 1, settings: { timeout: "30s" }, overrides: { guard: { fail_open: false } } }, true],
    [{ hooks: { PreToolUse: [{ command: "sh x.sh", priority: 20 }] } }, true],
    [{ hooks: [{ on: "turn_end", command: ["sh", "x.sh"] }] }, true],
    [{ settings: { timeout: 30 } }, false],
    [{ setings: {} }, false],
    [{ hooks: { PreToolUse: [{ priority: "high", block: "no" }] } }, false],
  ];
  test.each(sampledRows(files))("%j is valid: %s", async (file, isValid) => {
    await using place = await workspace();
    expect(validator(await answerOf(place, "schema config"))(file)).toBe(isValid);
  });
});

test("without a subject all subjects are listed, and a mistyped one is named", async () => {
  await using place = await workspace();
  expect((await runInProcess(place, "schema")).stdout.split("\n")).toEqual(
    expect.arrayContaining(["config", "agent_stop"]),
  );
  expect(await runInProcess(place, "schema confg")).toMatchObject({
    stdout: "",
    code: 64,
    stderr: expect.stringContaining("Did you mean config?"),
  });
});
