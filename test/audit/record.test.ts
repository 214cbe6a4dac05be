import { mkdir, stat, symlink } from "node:fs/promises";
import { userInfo } from "node:os";
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
      user: userInfo().username,
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
      policy: expect.stringMatching(/^[\da-f]{64}$/),
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

test("log and why find the runs of a session whose id is in a variable of the agent", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
  await place.write("home/.kodelet/hooks.json", '{"settings":{"record":"payloads"}}');
  const session = "0b1c7f6e-1111-4222-8333-123456789abc";
  const stdin = JSON.stringify({
    ...{ session_id: session, transcript_path: `/t/${session}.jsonl`, hook_event_name: "PreToolUse" },
    ...{ tool_name: "Bash", tool_input: { command: "ls" } },
  });
  const env = { CLAUDE_CODE_SESSION_ID: session, AWS_SESSION_TOKEN: "IQoJb3JpZ2luX2VjEJr" };
  await runMain(place, ["bridge", "claude", "--event", "PreToolUse"], { stdin, env });
  expect((await runMain(place, ["log", "--session", session])).stdout).toContain("block");
  expect((await runMain(place, ["why", "--session", session])).stdout).toContain(`session  ${session}`);
  expect(await place.read("home/.local/state/hookctl/payloads.jsonl")).toContain(`/t/${session}.jsonl`);
});

test("the policy digest changes with the settings and the hooks, and not with the place or the call", async () => {
  const digestIn = async (place: Workspace, command = "ls"): Promise<unknown> => {
    await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall(command) });
    return (await lines(place)).at(-1)?.policy;
  };
  await using one = await workspace();
  await using other = await workspace();
  for (const place of [one, other]) await place.hook("guard", printResponse({}));
  const first = await digestIn(one);
  expect(first).toMatch(/^[\da-f]{64}$/);
  expect(await digestIn(one, "pwd")).toBe(first);
  expect(await digestIn(other)).toBe(first);
  await one.hook("guard", printResponse({ additional_context: ["changed"] }));
  const edited = await digestIn(one);
  await one.write("home/.kodelet/hooks.json", '{"overrides":{"guard":{"observe":true}}}');
  const observed = await digestIn(one);
  expect(new Set([first, edited, observed]).size).toBe(3);
});

test("a run names the rule of the guard that decided, also in --json and why", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", '{"guards":{"git":true}}');
  const json = parseRunJson(await run(place, { stdin: toolCall("git reset --hard") }));
  const [line] = await lines(place);
  expect(json.rule).toMatch(/^git\/[a-z-]+$/);
  expect(line).toMatchObject({ decided_by: "git", rule: json.rule });
  expect((await runMain(place, ["why"])).stdout).toContain(`  rule     ${json.rule}\n`);
});
