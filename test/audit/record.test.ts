import { mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type CallOptions, type Workspace, workspace } from "../support/workspace.ts";

const RECORD = "home/.local/state/hookctl/audit.jsonl";

const run = (place: Workspace, options: CallOptions = {}) =>
  runMain(place, ["run", "before_tool_call", "--json"], {
    stdin: toolCall("ls", { conv_id: "session-7" }),
    ...options,
  });

async function lines(place: Workspace, file = RECORD): Promise<Record<string, unknown>[]> {
  const text = (await place.read(file)) ?? "";
  expect(text).toMatch(/^$|\n$/);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("the record has one line for each run: names, numbers and the call in short", async () => {
  await using place = await workspace();
  await place.hook("change", printResponse({ input: { command: "ls -a" } }));
  await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
  const first = parseRunJson(await run(place));
  const second = parseRunJson(await run(place));
  expect(await lines(place)).toEqual(
    [first, second].map(({ run_id, duration_ms, hooks }) => ({
      schema: "hookctl.record/1",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      run_id,
      event: "before_tool_call",
      session: "session-7",
      project: place.project,
      tool: "bash",
      call: "ls",
      decision: "block",
      decided_by: "guard",
      reason: "no",
      duration_ms,
      hooks: [
        expect.objectContaining({
          name: "change",
          source: "user",
          outcome: "modify",
          trust: "trusted",
          exit: 0,
          start_ms: expect.any(Number),
          duration_ms: hooks[0]?.duration_ms,
          hash: expect.stringMatching(/^[\da-f]{64}$/),
          value_hash: expect.stringMatching(/^[\da-f]{64}$/),
        }),
        expect.objectContaining({ name: "guard", outcome: "block", exit: 0 }),
      ],
    })),
  );
  expect(await place.read(RECORD)).not.toContain("ls -a");
});

test("a line says which agent called, in which trace, and what changed", async () => {
  await using place = await workspace();
  await place.hook("change", printResponse({ input: { command: "ls -a", "a key": 1 } }));
  const ids = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls\n  -l" } };
  const bridged = await runMain(place, ["bridge", "claude"], {
    stdin: JSON.stringify(call),
    env: { TRACEPARENT: `00-${ids.join("-")}-01` },
  });
  expect(bridged).toMatchObject({ code: 0, signal: null });
  expect(await lines(place)).toMatchObject([
    {
      ...{ agent: "claude", project: place.project, tool: "bash", call: "ls -l", decision: "continue" },
      ...{ changed: ["tool_input.command", "tool_input.a key"], trace: { trace_id: ids[0], span_id: ids[1] } },
    },
  ]);
});

test("the hooks of a run start one after the other, counted from its beginning", async () => {
  await using place = await workspace();
  await place.hook("a-slow", "sleep 0.1");
  await place.hook("b-next", printResponse({}));
  await run(place);
  const [line] = (await lines(place)) as { duration_ms: number; hooks: { start_ms: number; duration_ms: number }[] }[];
  const [slow, next] = line?.hooks ?? [];
  expect(next?.start_ms).toBeGreaterThanOrEqual((slow?.start_ms ?? 0) + (slow?.duration_ms ?? 0) - 0.1);
  expect(line?.duration_ms).toBeGreaterThanOrEqual((next?.start_ms ?? 0) + (next?.duration_ms ?? 0) - 0.1);
  expect(slow?.start_ms).toBeGreaterThan(0);
});

test("the record is for its user alone", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}));
  await run(place);
  expect((await stat(join(place.dir, RECORD))).mode & 0o777).toBe(0o600);
  expect((await stat(join(place.dir, RECORD, ".."))).mode & 0o777).toBe(0o700);
});

test("the record lies in XDG_STATE_HOME, when that is absolute", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}));
  await run(place, { env: { XDG_STATE_HOME: join(place.dir, "state") } });
  expect(await lines(place, "state/hookctl/audit.jsonl")).toHaveLength(1);
  await run(place, { env: { XDG_STATE_HOME: "state" } });
  expect(await lines(place)).toHaveLength(1);
  expect(await place.read("project/state/hookctl/audit.jsonl")).toBeNull();
});

test("a run without hooks writes no line", async () => {
  await using place = await workspace();
  await place.hook("later", printResponse({}), { says: "turn_end" });
  expect(await run(place)).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(await place.read(RECORD)).toBeNull();
});

test("record: off writes nothing", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true }));
  await place.write("home/.kodelet/hooks.json", '{"settings":{"record":"off"}}');
  expect(await run(place)).toMatchObject({ code: 2, signal: null });
  expect(await place.read(RECORD)).toBeNull();
});

const faults: { title: string; cause: string; spoil: (place: Workspace) => Promise<unknown> }[] = [
  { title: "its folder is a file", cause: "ENOTDIR", spoil: (place) => place.write("state", "") },
  {
    title: "a folder is in its place",
    cause: "EISDIR",
    spoil: (place) => mkdir(join(place.dir, "state/hookctl/audit.jsonl"), { recursive: true }),
  },
  {
    title: "a link stands in its place",
    cause: "ELOOP",
    spoil: async (place) => {
      await mkdir(join(place.dir, "state/hookctl"), { recursive: true });
      await symlink("/dev/null", join(place.dir, "state/hookctl/audit.jsonl"));
    },
  },
];

test.each(faults)(
  "a record that cannot be written, because $title, is told and changes nothing",
  async ({ cause, spoil }) => {
    await using place = await workspace();
    await spoil(place);
    await place.hook("guard", printResponse({ input: { command: "ls -a" } }));
    const env = { XDG_STATE_HOME: join(place.dir, "state") };
    const warning = `the audit log ${place.dir}/state/hookctl/audit.jsonl was not written: ${cause}`;
    const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall(), env });
    expect(result).toMatchObject({ code: 0, signal: null, stderr: expect.stringContaining(warning) });
    expect(JSON.parse(result.stdout)).toEqual({ blocked: false, input: { command: "ls -a" }, warnings: [warning] });
    await place.hook("guard", printResponse({ blocked: true }));
    expect(await run(place, { env })).toMatchObject({
      code: 2,
      signal: null,
      stderr: expect.stringContaining(warning),
    });
  },
);

test("a partial last line is not joined to the next one", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}));
  await place.write(RECORD, '{"schema":"hookctl.record/1","ti', 0o600);
  expect(await run(place)).toMatchObject({ code: 0, signal: null });
  const [partial, whole, end] = ((await place.read(RECORD)) ?? "").split("\n");
  expect([partial, end]).toEqual(['{"schema":"hookctl.record/1","ti', ""]);
  expect(JSON.parse(whole ?? "")).toMatchObject({ decision: "continue" });
});

test("many runs at once write whole lines", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}));
  const result = await Promise.all(Array.from({ length: 12 }, () => run(place)));
  expect(result.map(({ code }) => code)).toEqual(Array(12).fill(0));
  expect(new Set((await lines(place)).map(({ run_id }) => run_id)).size).toBe(12);
});
