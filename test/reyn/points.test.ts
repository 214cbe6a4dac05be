import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const FILE = "home/.kodelet/hooks.json";
const POINTS = [
  ...["session_start", "session_end", "turn_start", "turn_end"],
  ...["skill_start", "skill_end", "task_start", "task_end"],
];

const declare = (place: Workspace, ...hooks: readonly object[]) => place.write(FILE, JSON.stringify({ hooks }));
const run = (place: Workspace, point: string, payload: object = {}) =>
  runInProcess(place, `run ${point} -q`, { stdin: JSON.stringify({ conv_id: "s1", response: "done", ...payload }) });
const drained = async (place: Workspace, session = "s1"): Promise<{ messages: { content: string }[]; wake: boolean }> =>
  JSON.parse((await runInProcess(place, `inbox drain --all --session ${session}`)).stdout);
const contents = async (place: Workspace, session?: string) =>
  (await drained(place, session)).messages.map(({ content }) => content);

describe.each(POINTS)("at %s", (point) => {
  test("a template, an effect and a computed push do their work before the point goes on", async () => {
    await using place = await workspace();
    const directive = '{"push_when":true,"wake":false,"message":"computed"}';
    await declare(
      place,
      { on: point, template_push: { message: "at {{ event }} of {{ conv_id }}" } },
      { on: point, shell_exec: `cat > ${place.dir}/event.json; echo ignored`, sandbox: "off" },
      { on: point, name: "dynamic", shell_push: `echo '${directive}'`, sandbox: "off" },
    );
    const result = await run(place, point);
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(result.stdout).not.toContain("ignored");
    // The event as JSON on stdin, and written by the time that the call is over.
    expect(JSON.parse((await place.read("event.json")) ?? "")).toMatchObject({ event: point, conv_id: "s1" });
    expect(await drained(place)).toEqual({
      messages: [
        { role: "system", hook: point, content: `[hook:${point}] at ${point} of s1` },
        { role: "system", hook: "dynamic", content: "[hook:dynamic] computed" },
      ],
      wake: true,
    });
  });
});

test.each(["completed", "aborted"])(
  "task_end says in its status how the task ended: %s",
  { tags: "slow" },
  async (status) => {
    await using place = await workspace();
    await declare(place, { on: "task_end", template_push: { message: "{{ id }} {{ status }}" } });
    expect(await run(place, "task_end", { id: "t1", status })).toMatchObject({ stderr: "", code: 0 });
    expect(await contents(place)).toEqual([`[hook:task_end] t1 ${status}`]);
  },
);

test("skill_end comes after an interrupt and an error as well, when the caller says so in its status", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  await declare(place, { on: "skill_end", template_push: { message: "{{ status }}" } });
  for (const status of ["interrupted", "error"]) await run(place, "skill_end", { status });
  expect(await contents(place)).toEqual(["[hook:skill_end] interrupted", "[hook:skill_end] error"]);
});

test.each(["agent_start", "phase_end"])("a point inside a turn does not exist: %s", async (on) => {
  await using place = await workspace();
  await declare(place, { on, shell_exec: ":" });
  expect(await runInProcess(place, "list")).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining(`unknown key "${on}" in hooks[0].on`),
    code: 78,
  });
});

test("a hook that fails is told by its name, and neither its siblings nor the point are stopped", async () => {
  await using place = await workspace();
  await declare(
    place,
    { on: "turn_end", name: "broken", shell_exec: "exit 7", sandbox: "off" },
    { on: "turn_end", name: "wrong", shell_push: "echo no JSON", sandbox: "off" },
    { on: "turn_end", name: "sibling", template_push: { message: "still here" } },
  );
  const result = await run(place, "turn_end");
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(JSON.parse(result.stdout).warnings).toEqual([
    "broken failed: exit 7",
    expect.stringContaining("wrong did not print valid JSON"),
  ]);
  expect(await contents(place)).toEqual(["[hook:sibling] still here"]);
});

test("the hooks of a point run one after another, in the order of the list", async () => {
  await using place = await workspace();
  const notes = (words: string) => ({ on: "turn_end", shell_exec: words, sandbox: "off" });
  const file = `${place.dir}/order`;
  await declare(place, notes(`sleep 0.3; echo first >> ${file}`), {
    ...notes(`cat ${file} > ${file}.seen; echo second >> ${file}`),
    name: "a",
  });
  expect(await run(place, "turn_end")).toMatchObject({ stderr: "", code: 0 });
  expect([await place.read("order.seen"), await place.read("order")]).toEqual(["first\n", "first\nsecond\n"]);
});

test("an effect may print as much as it likes, because nobody reads it, and comes to its end", async () => {
  await using place = await workspace();
  const shell_exec = `head -c 3000000 /dev/zero; : > ${place.dir}/ended`;
  await declare(place, { on: "turn_end", shell_exec, sandbox: "off" });
  expect(await run(place, "turn_end")).toEqual({ stdout: "{}\n", stderr: "", code: 0 });
  expect(await place.read("ended")).toBe("");
});

test("in YAML an `on` without quotes is the name of the point, not `true`", async () => {
  await using place = await workspace();
  const yaml = "hooks:\n  - on: turn_end\n    template_push:\n      message: m\n      wake: false\n";
  await place.write("home/.kodelet/hooks.yaml", yaml);
  expect(await run(place, "turn_end")).toMatchObject({ stderr: "", code: 0 });
  expect(await drained(place)).toMatchObject({ messages: [{ content: "[hook:turn_end] m" }], wake: false });
});

test("without a hook for the point nothing is started and nothing is written", async () => {
  await using place = await workspace();
  await declare(place, { on: "turn_end", shell_exec: `: > ${place.dir}/canary`, sandbox: "off" });
  expect(await run(place, "turn_start")).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0 });
  expect(await place.read("canary")).toBeNull();
  expect(await place.read("home/.local/state/hookctl/audit.jsonl")).toBeNull();
});

test("a push leaves what the agent already has untouched: the payload's messages stay as they came", async () => {
  await using place = await workspace();
  await declare(place, { on: "agent_stop", template_push: { message: "more" } });
  const result = await run(place, "agent_stop", { messages: [{ role: "user", content: "hi" }] });
  expect(JSON.parse(result.stdout)).toEqual({
    pushes: [{ push_when: true, wake: true, message: "more", session: null }],
  });
});
