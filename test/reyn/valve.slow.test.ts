import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { testOnNode, type Workspace, workspace } from "../support/workspace.ts";

const FILE = "home/.kodelet/hooks.json";
const VALVE = "home/.local/state/hookctl/sessions/s1/valve";

async function setUp(settings: object, push: object): Promise<Workspace> {
  const place = await workspace();
  await place.write(FILE, JSON.stringify({ settings, hooks: [{ on: "turn_end", template_push: push }] }));
  return place;
}

/** One turn's end: the agent drains the inbox afterwards and goes on when it wakes. */
async function turn(place: Workspace): Promise<{ wakes: boolean; code: number; answer: Record<string, unknown> }> {
  const stdin = JSON.stringify({ conv_id: "s1", response: "done" });
  const { stdout, code } = await runInProcess(place, "run turn_end -q", { stdin });
  const { wake } = JSON.parse((await runInProcess(place, "inbox drain --session s1")).stdout) as { wake: boolean };
  return { wakes: wake, code, answer: JSON.parse(stdout) as Record<string, unknown> };
}

/** A turn begins, as Reyn's own driver says it. */
const begin = (place: Workspace, more: object) => {
  const payload = { conv_id: "s1", point: "turn_start", agent_name: "A", chain_id: null, ...more };
  return runInProcess(place, "run turn_start -q", { stdin: JSON.stringify(payload) });
};

const speak = (place: Workspace, message: string) =>
  runInProcess(place, "run user_message_send -q", { stdin: JSON.stringify({ conv_id: "s1", message }) });
const CAP_2 = { max_hook_driven_turns: 2 };

test("over a cap of 2 the turns h1 and h2 run and h3 does not", async () => {
  await using place = await setUp(CAP_2, { message: "again" });
  expect(await turn(place)).toMatchObject({ wakes: true, code: 0 });
  expect(await turn(place)).toMatchObject({ wakes: true, code: 0 });
  expect(await turn(place)).toMatchObject({
    wakes: false,
    code: 0,
    answer: { hook_driven_turns: { count: 2, limit: 2, over: true } },
  });
});

test("a turn of the user arms it again", async () => {
  await using place = await setUp(CAP_2, { message: "again" });
  for (const _ of [1, 2, 3]) await turn(place);
  await speak(place, "please go on");
  expect(await turn(place)).toMatchObject({ wakes: true });
  expect(await turn(place)).toMatchObject({ wakes: true });
  expect(await turn(place)).toMatchObject({ wakes: false });
});

describe("the start of a turn", () => {
  const others = ["hook", "agent_request", "agent_response", "skill_completed", "task_ready", "USER", ""];
  const hooks: { title: string; more: object }[] = [
    ...others.map((kind) => ({ title: `of the kind "${kind}"`, more: { kind } })),
    { title: "of no kind", more: {} },
    { title: "of a kind that is null", more: { kind: null } },
    { title: "of no kind, with an input", more: { input: "please go on" } },
    { title: "with the message of a hook", more: { kind: "user", input: "[hook:turn_end] again" } },
    { title: "with the message of a hook in an object", more: { kind: "user", input: { message: "again" } } },
    { title: "with the message of a hook as Reyn's text", more: { kind: "user", user_text: "[hook:turn_end] again" } },
    { title: "with the message of a hook in both", more: { kind: "user", user_text: "again", input: ["again"] } },
    { title: "with the message of a hook in a list", more: { kind: "user", input: ["[hook:turn_end] again"] } },
    {
      title: "with the message of a hook beside its role",
      more: { kind: "user", input: [{ role: "system", content: "[hook:turn_end] again" }] },
    },
    {
      title: "with the message of a hook in parts",
      more: { kind: "user", input: { role: "user", content: [{ type: "text", text: "again" }] } },
    },
    { title: "with the message of a hook under a name of its own", more: { kind: "user", input: { told: "again" } } },
    { title: "with the message of a hook and no width", more: { kind: "user", input: "again\u200b" } },
    { title: "with white space alone", more: { kind: "user", input: "\u0085" } },
    {
      title: "with all that was drained",
      more: { kind: "user", input: "[hook:turn_end] again\n[hook:turn_end] again" },
    },
    { title: "of a subagent", more: { kind: "user", invoked_by: "subagent" } },
  ];
  test.each(hooks)("$title does not start the limit again", async ({ more }) => {
    await using place = await setUp(CAP_2, { message: "again" });
    for (const _ of [1, 2]) await turn(place);
    expect(await begin(place, more)).toMatchObject({ code: 0 });
    expect(await turn(place)).toMatchObject({ wakes: false });
  });

  const persons: { title: string; more: object }[] = [
    { title: "of a person, as Reyn sends it", more: { kind: "user" } },
    { title: "of a person with a message", more: { kind: "user", input: "please go on" } },
    { title: "of a person with Reyn's text", more: { kind: "user", user_text: "please go on" } },
    {
      title: "of a person beside the message of a hook",
      more: { kind: "user", input: [{ text: "again" }, { text: "more" }] },
    },
    { title: "of a person with a message in an object", more: { kind: "user", input: { message: "go on" } } },
  ];
  test.each(persons)("$title starts the limit again, with or without a hook for it", async ({ more }) => {
    await using place = await setUp(CAP_2, { message: "again" });
    for (const _ of [1, 2, 3]) {
      expect(await begin(place, more)).toMatchObject({ code: 0 });
      expect(await turn(place)).toMatchObject({ wakes: true });
      expect(await turn(place)).toMatchObject({ wakes: true });
      expect(await turn(place)).toMatchObject({ wakes: false });
    }
  });
});

test("a message to a subagent is none of a person", async () => {
  await using place = await setUp(CAP_2, { message: "again" });
  for (const _ of [1, 2]) await turn(place);
  const stdin = JSON.stringify({ conv_id: "s1", message: "look at the tests", invoked_by: "subagent" });
  await runInProcess(place, "run user_message_send -q", { stdin });
  expect(await turn(place)).toMatchObject({ wakes: false });
});

test("a message of a hook that comes back as a prompt is no turn of the user", async () => {
  await using place = await setUp(CAP_2, { message: "again" });
  for (const _ of [1, 2]) await turn(place);
  await speak(place, "[hook:turn_end] again");
  expect(await turn(place)).toMatchObject({ wakes: false });
});

test("the turns of a caller that takes the pushes from the answer and drains nothing count as well", async () => {
  await using place = await setUp(CAP_2, { message: "again" });
  const stdin = JSON.stringify({ conv_id: "s1", response: "done" });
  const wakes = [];
  for (const _ of [1, 2, 3]) {
    const { pushes } = JSON.parse((await runInProcess(place, "run turn_end -q", { stdin })).stdout);
    wakes.push(pushes[0].wake);
    await speak(place, pushes[0].message);
  }
  expect(wakes).toEqual([true, true, false]);
});

test("passive pushes do not count", async () => {
  await using place = await setUp({ max_hook_driven_turns: 1 }, { message: "tip", wake: false });
  for (const _ of [1, 2, 3]) {
    const { wakes, answer } = await turn(place);
    expect({ wakes, answer }).toMatchObject({ wakes: false, answer: { pushes: [{ message: "tip", wake: false }] } });
    expect(answer).not.toHaveProperty("warnings");
  }
  expect(await place.read(VALVE)).toBeNull();
});

test("25 turns are the limit where nothing is said", async () => {
  await using place = await setUp({}, { message: "again" });
  await place.write(VALVE, '{"turns":24,"issued":[]}');
  expect(await turn(place)).toMatchObject({ wakes: true });
  expect(await turn(place)).toMatchObject({ wakes: false, answer: { hook_driven_turns: { count: 25, limit: 25 } } });
});

test("0 takes the limit away", async () => {
  await using place = await setUp({ max_hook_driven_turns: 0 }, { message: "again" });
  await place.write(VALVE, '{"turns":1000,"issued":[]}');
  expect(await turn(place)).toMatchObject({ wakes: true });
});

describe("at the limit", () => {
  const actions: { on_limit: string; code: number; answer: object }[] = [
    { on_limit: "warn", code: 0, answer: { pushes: [{ wake: false }] } },
    { on_limit: "ask_user", code: 2, answer: { blocked: true, decision: "ask" } },
    { on_limit: "abort", code: 2, answer: { blocked: true } },
  ];
  test.each(actions)("$on_limit leaves the session alive: exit $code, the message waits", async (action) => {
    await using place = await setUp({ ...CAP_2, on_limit: action.on_limit }, { message: "again" });
    await place.write(VALVE, '{"turns":2,"issued":[]}');
    const stdin = JSON.stringify({ conv_id: "s1", response: "done" });
    const result = await runInProcess(place, "run turn_end -q", { stdin });
    expect({ ...result, stdout: JSON.parse(result.stdout) }).toMatchObject({
      stdout: action.answer,
      code: action.code,
    });
    expect(result.stdout).toContain("hooks have started 2 turns in a row");
    const inbox = JSON.parse((await runInProcess(place, "inbox drain --all --session s1")).stdout);
    expect(inbox).toMatchObject({ messages: [{ content: "[hook:turn_end] again" }], wake: false });
    await speak(place, "go on, please");
    expect(await turn(place)).toMatchObject({ wakes: true });
  });

  testOnNode.each(actions)("$on_limit survives a crash: the count is on disk", async ({ on_limit, code }) => {
    await using place = await setUp({ ...CAP_2, on_limit }, { message: "again" });
    const stdin = JSON.stringify({ conv_id: "s1", response: "done" });
    // Each call is a process of its own, and the last one before the limit is killed once its hooks have answered.
    await place.run(["run", "turn_end", "-q"], { stdin });
    await place.run(["inbox", "drain", "--session", "s1"]);
    const killer = await place.write("killer.cjs", KILLER);
    const env = { NODE_OPTIONS: `--require=${killer}` };
    expect(await place.run(["run", "turn_end", "-q"], { stdin, env })).toMatchObject({ signal: "SIGKILL" });
    await place.run(["inbox", "drain", "--session", "s1"]);
    expect(await place.run(["run", "turn_end", "-q"], { stdin })).toMatchObject({ code, signal: null });
    expect(JSON.parse((await place.run(["inbox", "drain", "--session", "s1"])).stdout)).toMatchObject({
      wake: false,
    });
  });
});

/** Ends the process by KILL when it has put the new count in its place. */
const KILLER = `
const fs = require("node:fs");
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  renameSync(from, to);
  if (String(to).endsWith("/valve")) process.kill(process.pid, "SIGKILL");
};
`;
