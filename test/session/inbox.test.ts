import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { spawnHookctl } from "../support/spawn-hookctl.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const SESSIONS = "home/.local/state/hookctl/sessions";
const ask = (place: Workspace, id = "s1") =>
  runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall("ls", { conv_id: id }) });
const inbox = async (place: Workspace, words: string, id = "s1") => {
  const { stdout, stderr, code } = await runMain(place, [
    "inbox",
    ...words.split(" ").filter(Boolean),
    "--session",
    id,
  ]);
  return { answer: JSON.parse(stdout) as unknown, stderr, code };
};
const empty = { answer: { messages: [], wake: false }, stderr: "", code: 0 };
const said = (hook: string, text: string) => ({ role: "system", hook, content: `[hook:${hook}] ${text}` });

test("pushes wait in the inbox of the session until it is drained: all of them, and one turn", async () => {
  await using place = await workspace();
  await place.hook("10-tip", printResponse({ pushes: [{ message: "a tip", wake: false }] }));
  await place.hook(
    "20-call",
    printResponse({ pushes: [{ message: "wake up" }, { message: "not now", push_when: false }] }),
  );
  expect(JSON.parse((await ask(place)).stdout)).toMatchObject({
    blocked: false,
    pushes: [{ message: "a tip", wake: false }, { message: "wake up" }],
  });
  const all = {
    answer: { messages: [said("10-tip", "a tip"), said("20-call", "wake up")], wake: true },
    stderr: "",
    code: 0,
  };
  expect(await inbox(place, "")).toEqual(all);
  expect(await inbox(place, "drain")).toEqual(all);
  expect(await inbox(place, "drain")).toEqual(empty);
  expect(await inbox(place, "", "another")).toEqual(empty);
  expect(await readdir(join(place.dir, SESSIONS))).toEqual(["s1"]);
});

test("a push that names another session lands there", async () => {
  await using place = await workspace();
  await place.hook("far", printResponse({ pushes: [{ message: "over there", session: "s2", wake: false }] }));
  await ask(place);
  await ask(place, "");
  expect(await inbox(place, "drain --all", "s2")).toMatchObject({
    answer: { messages: [said("far", "over there"), said("far", "over there")], wake: false },
  });
  expect(await readdir(join(place.dir, SESSIONS))).toEqual(["s2"]);
});

describe("Reyn's directive", () => {
  const directive = { push_when: true, wake: false, message: "tests ran", session: null };
  const faults = [{ wake: 1 }, { message: "" }, { message: 7 }, { push_when: "yes" }, { session: 3 }, { wake: null }];

  test("is a push", async () => {
    await using place = await workspace();
    await place.hook("pushes", printResponse(directive));
    expect(JSON.parse((await ask(place)).stdout)).toEqual({ blocked: false, pushes: [directive] });
    expect(await inbox(place, "drain --all")).toMatchObject({
      answer: { messages: [said("pushes", "tests ran")], wake: false },
    });
  });

  test("with push_when false says nothing", async () => {
    await using place = await workspace();
    await place.hook("pushes", printResponse({ ...directive, push_when: false }));
    expect(await ask(place)).toMatchObject({ stdout: '{"blocked":false}\n', code: 0 });
    expect(await inbox(place, "")).toEqual(empty);
  });

  test.each(faults)("with the fault %j is skipped, and the rest goes on", async (fault) => {
    await using place = await workspace();
    await place.hook("pushes", printResponse({ ...directive, ...fault }));
    expect(JSON.parse((await ask(place)).stdout)).toEqual({
      blocked: false,
      warnings: [expect.stringContaining("the push of pushes was skipped: ")],
    });
    expect(await inbox(place, "")).toEqual(empty);
  });
});

test("20 pushes and 5 drains at once: each message comes exactly once", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("pushes", printResponse({ pushes: [{ message: "m", wake: false }] }));
  const drains = Array.from({ length: 5 }, () => inbox(place, "drain --all"));
  const runs = await Promise.all(Array.from({ length: 20 }, () => ask(place)));
  expect(runs.filter(({ code }) => code !== 0)).toEqual([]);
  const drained = [...(await Promise.all(drains)), await inbox(place, "drain --all")];
  const counts = drained.map(({ answer }) => (answer as { messages: readonly unknown[] }).messages.length);
  expect(counts.reduce((sum, count) => sum + count)).toBe(20);
});

test("messages that nobody heard stay", async () => {
  await using place = await workspace();
  await place.hook("pushes", printResponse({ pushes: [{ message: "m" }] }));
  await ask(place);
  const words = ["inbox", "drain", "--session", "s1"];
  const deaf = await spawnHookctl(place, words, { stdio: ["pipe", "pipe", "pipe"], stdin: "", isDeaf: true });
  expect(deaf).toMatchObject({ stdout: "", stderr: expect.stringContaining("OUTPUT_LOST"), code: 74 });
  expect(await inbox(place, "drain")).toMatchObject({ answer: { messages: [said("pushes", "m")], wake: true } });
});

test("a broken inbox is set aside, and said", async () => {
  await using place = await workspace();
  await place.write(`${SESSIONS}/s1/inbox`, '{"messages":[{"hook":"x"}]}');
  const { answer, stderr, code } = await inbox(place, "drain");
  expect({ answer, stderr, code }).toEqual({
    ...empty,
    stderr: expect.stringMatching(/inbox was broken; it was moved to .*inbox\.broken-/),
  });
  const [name = ""] = await readdir(join(place.dir, SESSIONS, "s1"));
  expect(await place.read(`${SESSIONS}/s1/${name}`)).toBe('{"messages":[{"hook":"x"}]}');
});

describe("wrong words", () => {
  test.each([
    ["inbox", 64, "Missing --session"],
    ["inbox drian --session s1", 64, "the actions of inbox are show and drain"],
    ["state", 64, "state: missing argument ACTION."],
    ["state get", 64, "Missing --session"],
    ["state gte x --session s1", 64, 'Unknown action "gte". Did you mean get?'],
    ["state set x --session s1", 64, "hookctl state set KEY VALUE"],
    ["state incr x one --session s1", 64, "BY must be a number"],
    ["state get x --session s1", 1, ""],
  ])("%s: %i", async (line, code, says) => {
    await using place = await workspace();
    const result = await runMain(place, line.split(" "));
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining(says), code });
    expect(await place.read("home/.local")).toBeNull();
  });
});
