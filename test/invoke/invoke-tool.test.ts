import { describe, expect, test } from "vitest";
import { skippableTime } from "../support/clock.ts";
import { runInProcess } from "../support/in-process.ts";
import { lifeline } from "../support/lifeline.ts";
import { declareTools, runTools, SERVER, SERVER_LINE, shellServer, USER_FILE } from "../support/mcp.ts";
import { workspace } from "../support/workspace.ts";
import { FAILING, testFailingTools } from "./failing-tools.ts";

describe("the result of a tool is read like a hook's stdout", () => {
  const rows: { title: string; tool: string; outcome: string; result: object }[] = [
    { title: "a block", tool: "block", outcome: "block", result: { blocked: true, reason: "no rm here" } },
    { title: "a change", tool: "modify", outcome: "modify", result: { input: { command: "ls -l" } } },
    { title: "structured content", tool: "structured", outcome: "modify", result: { input: { command: "ls -l" } } },
    { title: "no content", tool: "silent", outcome: "continue", result: { blocked: false } },
  ];
  test.each(rows)("$title", async ({ tool, outcome, result }) => {
    await using place = await workspace();
    await declareTools(place, [tool]);
    const run = await runTools(place);
    expect(run).toMatchObject({ first: { kind: "tool", outcome }, result, warnings: [] });
  });

  test("a tool gets the envelope of the name that its entry uses", async () => {
    await using place = await workspace();
    const hooks = { SessionStart: [{ tool: "fixture.load_facts", priority: 10 }] };
    await place.write(USER_FILE, JSON.stringify({ hooks, mcp_servers: { fixture: SERVER } }));
    const output = await runInProcess(place, "run session_start -q", { stdin: '{"source":"resume"}' });
    expect(output).toEqual({
      stdout: '{"blocked":false,"additional_context":["SessionStart from resume"]}\n',
      stderr: "",
      code: 0,
    });
  });

  test("tools of one event are asked by priority, the lowest first", async () => {
    await using place = await workspace();
    const late = { name: "late", tool: "fixture.load_facts", priority: 90 };
    const hooks = { SessionStart: [late, { name: "early", tool: "fixture.load_facts", priority: 10 }] };
    await place.write(USER_FILE, JSON.stringify({ hooks, mcp_servers: { fixture: SERVER } }));
    const { stdout } = await runInProcess(place, "run session_start -q --json", { stdin: "{}" });
    expect(JSON.parse(stdout).hooks.map(({ name }: { name: string }) => name)).toEqual(["early", "late"]);
  });

  test("numbers reach the tool as they came, and a value that it gives back keeps them", { tags: "slow" }, async () => {
    await using place = await workspace();
    const digits = '"id":12345678901234567890,"size":1e400';
    await declareTools(place, ["structured"], { server: shellServer(`tee seen | ${SERVER_LINE}`) });
    const stdin = `{"tool_name":"bash","tool_input":{"command":"ls",${digits}}}`;
    const { stdout } = await runInProcess(place, "run before_tool_call -q", { stdin });
    expect(stdout).toBe(`{"blocked":false,"input":{"command":"ls -l",${digits}}}\n`);
    expect(await place.read("home/.kodelet/seen")).toContain(digits);
  });
});

test.each(["refused", "wrapped"])(
  "a block counts, also as an error or in a text of its own: %s",
  { tags: "slow" },
  async (tool) => {
    await using place = await workspace();
    await declareTools(place, [tool]);
    const stdin = '{"tool_name":"bash","tool_input":{"command":"rm"}}';
    expect(await runInProcess(place, "run before_tool_call -q", { stdin })).toEqual({
      stdout: '{"blocked":true,"reason":"no rm here"}\n',
      stderr: "",
      code: 2,
    });
  },
);

describe("a tool that gives no answer has failed", { tags: "slow" }, () => testFailingTools(FAILING.slice(0, 3)));

test("a line on stdout that is no message is told, and the answer behind it counts", { tags: "slow" }, async () => {
  await using place = await workspace();
  await declareTools(place, ["noisy"]);
  const warnings = ["the MCP server of noisy printed a line that is not an MCP message: Loading…"];
  expect(await runTools(place)).toMatchObject({ reason: "after noise", warnings });
});

test("what the server writes to stderr belongs to the hook that asked", async () => {
  await using place = await workspace();
  await declareTools(place, ["log", "silent"]);
  const { hooks } = await runTools(place, "-vv");
  expect(hooks.map(({ stderr }) => stderr)).toEqual(["looked it up\n", ""]);
});

describe("a server's life ends with the run", { tags: "slow" }, () => {
  const ways: { title: string; tools: readonly (string | object)[]; line: string }[] = [
    { title: "when its stdin ends", tools: ["silent"], line: `exec ${SERVER_LINE}` },
    { title: "after a block", tools: ["block", "silent"], line: `exec ${SERVER_LINE}` },
    { title: "after a failure", tools: ["broken"], line: `exec ${SERVER_LINE}` },
    { title: "with a child that it started", tools: ["silent"], line: `sleep 30 >/dev/null & exec ${SERVER_LINE}` },
    {
      title: "even if it ignores the end and TERM",
      tools: ["silent"],
      line: `trap '' TERM; ${SERVER_LINE}; while :; do sleep 30; done`,
    },
    {
      title: "when it never answers, with a grandchild",
      tools: [{ name: "hang", tool: "fixture.hang", timeout: "4s" }],
      line: "(sleep 30 & sleep 30) & sleep 30",
    },
    {
      title: "when a tool hangs",
      tools: [{ name: "hang", tool: "fixture.hang", timeout: "4s" }],
      line: `sleep 30 & ${SERVER_LINE}`,
    },
  ];
  test.each(ways)("$title", async ({ tools, line }) => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    await declareTools(place, tools, { server: shellServer(`${life.hold}; ${line}`) });
    await runTools(place);
    expect(await life.released).toBe("held\n");
  });

  test.runIf(process.platform === "linux")("with a child in a session of its own that holds its stdout", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    await declareTools(place, ["silent"], {
      server: shellServer(`${life.hold}; setsid sleep 30 & exec ${SERVER_LINE}`),
    });
    expect(await runTools(place)).toMatchObject({ decision: "continue", warnings: [] });
    expect(await life.released).toBe("held\n");
  });

  test("a deadline of the chain cuts it off", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    await declareTools(place, ["hang"], { server: shellServer(`${life.hold}; sleep 30`) });
    using time = skippableTime();
    const running = runTools(place, "--deadline 9s");
    await life.held;
    time.skip();
    const { first } = await running;
    expect(first.failure).toMatchObject({ code: "HOOK_TIMED_OUT", message: expect.stringContaining("the deadline") });
    expect(await life.released).toBe("held\n");
  });
});

describe("the entries of one server share it", () => {
  const calls = (context: unknown) => (context as string[]).map((text) => text.split(" "));

  test("it is started once a run", async () => {
    await using place = await workspace();
    await declareTools(place, ["count", { name: "again", tool: "fixture.count" }]);
    const [[first, one], [second, two]] = calls((await runTools(place)).result.additional_context) as [
      string[],
      string[],
    ];
    expect([one, two]).toEqual(["1", "2"]);
    expect(second).toBe(first);
  });

  test("one that died or was ended is started anew for the next entry", { tags: "slow" }, async () => {
    await using place = await workspace();
    await declareTools(place, ["count", "die", { name: "again", tool: "fixture.count" }]);
    const [[first, one], [second, two]] = calls((await runTools(place)).result.additional_context) as [
      string[],
      string[],
    ];
    expect([one, two]).toEqual(["1", "1"]);
    expect(second).not.toBe(first);
  });
});
