import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { printResponse } from "../support/shell.ts";
import { type CallOptions, type Workspace, workspace } from "../support/workspace.ts";

const VALVE = "home/.local/state/hookctl/sessions/s1/valve";
const settings = (more: object) => JSON.stringify({ settings: { max_hook_driven_turns: 2, ...more } });
const stopped = JSON.stringify({ conv_id: "s1", messages: [] });
const stop = (place: Workspace, options: CallOptions = {}) =>
  runMain(place, ["run", "agent_stop", "-q"], { stdin: stopped, ...options });
const speak = (place: Workspace, message: string) =>
  runMain(place, ["run", "user_message_send", "-q"], { stdin: JSON.stringify({ conv_id: "s1", message }) });
const turnsOf = async (place: Workspace) => JSON.parse((await place.read(VALVE)) ?? '{"turns":0}').turns as number;

/** A session whose hook always asks the agent to go on, after its last turn below the limit. */
async function loopAtLimit(more: object = {}): Promise<Workspace> {
  const place = await workspace();
  await place.write("home/.kodelet/hooks.json", settings(more));
  await place.hook("again", printResponse({ follow_up_messages: ["go on"] }), { says: "agent_stop" });
  for (const _turn of [1, 2]) expect((await stop(place)).stdout).toBe('{"follow_up_messages":["go on"]}\n');
  return place;
}

const OVER =
  "hooks have started 2 turns in a row; the limit is 2 (max_hook_driven_turns). Their messages are in the inbox";
const over = { count: 2, limit: 2, over: true };

describe("over the limit follow-ups wait in the inbox, and the agent", () => {
  test.each([
    [{}, { hook_driven_turns: over, warnings: [OVER] }, 0, "continue"],
    [
      { on_limit: "ask_user" },
      { blocked: true, reason: OVER, decision: "ask", hook_driven_turns: over, warnings: [OVER] },
      2,
      "ask",
    ],
    [{ on_limit: "abort" }, { blocked: true, reason: OVER, hook_driven_turns: over, warnings: [OVER] }, 2, "halt"],
  ])("%j: %j, exit %i", async (more, answer, code, decision) => {
    await using place = await loopAtLimit(more);
    const result = await stop(place);
    expect({ ...result, stdout: JSON.parse(result.stdout) }).toMatchObject({ stdout: answer, stderr: "", code });
    const output = await runMain(place, ["run", "agent_stop", "--json"], { stdin: stopped });
    expect(JSON.parse(output.stdout)).toMatchObject({
      decision,
      decided_by: decision === "continue" ? null : "max_hook_driven_turns",
      hook_driven_turns: over,
    });
    expect(output.stderr).toContain("hooks have started 2 turns in a row");
    const { stdout } = await runMain(place, ["inbox", "--session", "s1"]);
    const waiting = { role: "system", hook: "again", content: "[hook:again] go on" };
    expect(JSON.parse(stdout)).toEqual({ messages: [waiting, waiting], wake: false });
  });
});

test("a push over the limit does not wake", async () => {
  await using place = await loopAtLimit();
  await place.hook("again", printResponse({ pushes: [{ message: "wake up", wake: true }] }), { says: "agent_stop" });
  expect(JSON.parse((await stop(place)).stdout)).toEqual({
    pushes: [{ message: "wake up", wake: false }],
    hook_driven_turns: over,
    warnings: [OVER],
  });
  expect(JSON.parse((await runMain(place, ["inbox", "drain", "--session", "s1"])).stdout)).toMatchObject({
    wake: false,
  });
});

describe("user_message_send, where no hook listens,", () => {
  test.each([
    ["hello", 0],
    ["", 2],
    ["  ", 2],
    ["go on", 2],
    ["go on, please", 0],
  ])("with the prompt %j leaves the count at %i", async (prompt, turns) => {
    await using place = await loopAtLimit();
    expect(await speak(place, prompt)).toMatchObject({ stdout: '{"blocked":false}\n', stderr: "", code: 0 });
    expect(await turnsOf(place)).toBe(turns);
  });

  test("writes nothing where there was no valve", async () => {
    await using place = await workspace();
    expect(await speak(place, "hello")).toMatchObject({ stdout: '{"blocked":false}\n', stderr: "", code: 0 });
    expect(await readdir(place.home)).toEqual([]);
  });
});

test("a person who speaks where a hook listens opens the valve too, and what that hook sends counts anew", async () => {
  await using place = await loopAtLimit();
  await place.hook("greets", printResponse({ pushes: [{ message: "hi" }] }), { says: "user_message_send" });
  await speak(place, "hello");
  expect(await turnsOf(place)).toBe(1);
  expect(await stop(place)).toMatchObject({ stdout: '{"follow_up_messages":["go on"]}\n', code: 0 });
  expect(await turnsOf(place)).toBe(2);
});

test("a block goes before the valve's own decision", async () => {
  await using place = await loopAtLimit({ on_limit: "ask_user" });
  const says = "after_tool_call";
  await place.hook("10-more", printResponse({ follow_up_messages: ["more"] }), { says });
  await place.hook("20-halt", printResponse({ blocked: true, reason: "disk full" }), { says });
  const stdin = JSON.stringify({ conv_id: "s1", tool_name: "bash", tool_input: {}, tool_output: {} });
  const { stdout, code } = await runMain(place, ["run", says, "--json", "-q"], { stdin });
  expect({ run: JSON.parse(stdout), code }).toMatchObject({
    run: { decision: "halt", reason: "disk full", decided_by: "20-halt", hook_driven_turns: over },
    code: 2,
  });
});

test("0 is no limit, and without a session nothing is counted", async () => {
  await using place = await loopAtLimit({ max_hook_driven_turns: 0 });
  expect(await stop(place)).toMatchObject({ stdout: '{"follow_up_messages":["go on"]}\n', code: 0 });
  expect(await turnsOf(place)).toBe(3);
  const nameless = await stop(place, { stdin: '{"messages":[]}' });
  expect(nameless).toMatchObject({ stdout: '{"follow_up_messages":["go on"]}\n', code: 0 });
  expect(await turnsOf(place)).toBe(3);
});

test("a broken valve is set aside and counting begins anew", async () => {
  await using place = await loopAtLimit();
  await place.write(VALVE, '{"turns":-1,"issued":[]}');
  expect(JSON.parse((await stop(place)).stdout)).toEqual({
    follow_up_messages: ["go on"],
    warnings: [expect.stringMatching(/valve was broken; it was moved/)],
  });
  expect(await turnsOf(place)).toBe(1);
  expect(await readdir(join(place.dir, VALVE, ".."))).toHaveLength(2);
});

test("where the count cannot be kept, the agent goes on with a warning", async () => {
  await using place = await loopAtLimit();
  await place.write("home/.local/state/hookctl/elsewhere", "");
  const env = { XDG_STATE_HOME: join(place.home, ".local/state/hookctl/elsewhere") };
  expect(JSON.parse((await stop(place, { env })).stdout)).toMatchObject({
    follow_up_messages: ["go on"],
    warnings: [expect.stringContaining("the turns that hooks start could not be counted: ENOTDIR"), expect.anything()],
  });
});
