import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

/** The fields that Reyn's own driver sends at each point, and no others. */
const SENT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  session_start: { agent_name: "ann" },
  session_end: { agent_name: "ann" },
  turn_start: { agent_name: "ann", kind: "task_ready", chain_id: null },
  turn_end: { agent_name: "ann", chain_id: "c1", user_text: "hello" },
  skill_start: { run_id: "r1", skill_name: "review" },
  skill_end: { run_id: "r1", status: "completed" },
  task_start: { task_id: "t1", name: "fix it", assignee: "s1" },
  task_end: { task_id: "t1", status: "aborted" },
};
const FILE = "home/.kodelet/hooks.json";

describe.each(Object.entries(SENT))("%s as Reyn sends it", (point, fields) => {
  const payload = { point, ...fields };
  const said = Object.entries(payload).filter(([, value]) => value !== null);
  const message = said.map(([field]) => `{{ ${field} }}`).join(" | ");
  const rendered = said.map(([, value]) => value).join(" | ");

  test.each([{}, { conv_id: "s1" }])(
    "is taken with %j, and a template may name each of its fields",
    { tags: "slow" },
    async (more) => {
      await using place = await workspace();
      await place.write(FILE, JSON.stringify({ hooks: [{ on: point, template_push: { message } }] }));
      const result = await runInProcess(place, `run ${point} -q`, { stdin: JSON.stringify({ ...payload, ...more }) });
      expect(result).toMatchObject({ stderr: "", code: 0 });
      expect(JSON.parse(result.stdout)).toMatchObject({ pushes: [{ push_when: true, wake: true, message: rendered }] });
    },
  );

  test("reaches a command with all of them", async () => {
    await using place = await workspace();
    const shell_exec = `cat > ${place.dir}/event.json`;
    await place.write(FILE, JSON.stringify({ hooks: [{ on: point, shell_exec, sandbox: "off" }] }));
    await runInProcess(place, `run ${point} -q`, { stdin: JSON.stringify(payload) });
    expect(JSON.parse((await place.read("event.json")) ?? "")).toMatchObject(payload);
  });

  test("has its point also where another driver does not send it", { tags: "slow" }, async () => {
    await using place = await workspace();
    const hooks = [
      { on: point, template_push: { message: "at {{ point }}" } },
      { on: point, shell_exec: `cat > ${place.dir}/event.json`, sandbox: "off" },
    ];
    await place.write(FILE, JSON.stringify({ hooks }));
    const result = await runInProcess(place, `run ${point} -q`, {
      stdin: JSON.stringify({ response: "r", ...fields }),
    });
    expect(JSON.parse(result.stdout)).toMatchObject({ pushes: [{ message: `at ${point}` }] });
    expect(JSON.parse((await place.read("event.json")) ?? "")).toMatchObject({ point });
  });
});

test.each([
  ["skill_start", { id: "r1", name: "review" }, "{{ run_id }} {{ skill_name }}", "r1 review"],
  ["skill_end", { id: "r1", name: "review" }, "{{ run_id }} {{ skill_name }}", "r1 review"],
  ["task_start", { id: "t1" }, "{{ task_id }}", "t1"],
  ["task_end", { id: "t1" }, "{{ task_id }}", "t1"],
])("%s with hookctl's own fields %j has them in Reyn's names too", async (point, fields, message, content) => {
  await using place = await workspace();
  await place.write(FILE, JSON.stringify({ hooks: [{ on: point, template_push: { message } }] }));
  const result = await runInProcess(place, `run ${point} -q`, { stdin: JSON.stringify(fields) });
  expect(JSON.parse(result.stdout)).toMatchObject({ pushes: [{ message: content }] });
});

describe("what is no payload of Reyn at turn_end needs its response", () => {
  test.each([{}, { point: "turn_start" }, { point: { name: "turn_end" } }])("%j", async (payload) => {
    await using place = await workspace();
    await place.write(FILE, JSON.stringify({ hooks: [{ on: "turn_end", template_push: { message: "m" } }] }));
    const result = await runInProcess(place, "run turn_end -q", { stdin: JSON.stringify(payload) });
    expect(result).toMatchObject({ code: 65, stderr: expect.stringContaining('no "response"') });
  });
});

test("a point that the caller sends in another sense stays as it is", async () => {
  await using place = await workspace();
  await place.write(FILE, JSON.stringify({ hooks: [{ on: "task_end", template_push: { message: "{{ point.x }}" } }] }));
  const result = await runInProcess(place, "run task_end -q", { stdin: JSON.stringify({ point: { x: 7 } }) });
  expect(JSON.parse(result.stdout)).toMatchObject({ pushes: [{ message: "7" }] });
});
