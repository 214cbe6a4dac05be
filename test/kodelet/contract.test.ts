import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall, toolResult } from "../support/payloads.ts";
import { printResponse, shellQuote, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const quiet = { stderr: "", signal: null };
const record = (place: Workspace, event: string) =>
  place.hook("recorder", `cat > ${shellQuote(join(place.dir, "seen"))}`, { says: event });
const seen = async (place: Workspace): Promise<unknown> => JSON.parse((await place.read("seen")) ?? "null");

const CALL = { tool_name: "bash", tool_input: { command: "a < b && c > d" }, tool_user_id: "call_1" };
const payloads: readonly { event: string; names: string; fields: object }[] = [
  {
    event: "before_tool_call",
    names: "event, conv_id, cwd, invoked_by, tool_name, tool_input, tool_user_id",
    fields: CALL,
  },
  {
    event: "after_tool_call",
    names: "event, conv_id, cwd, invoked_by, tool_name, tool_input, tool_output, tool_user_id",
    fields: { ...CALL, tool_output: { toolName: "bash", success: true, timestamp: "2026-01-31T09:30:00Z" } },
  },
  { event: "user_message_send", names: "event, conv_id, cwd, invoked_by, message", fields: { message: "hi & bye" } },
  {
    event: "agent_stop",
    names: "event, conv_id, cwd, invoked_by, messages",
    fields: { messages: [{ role: "assistant", content: "done" }] },
  },
  {
    event: "turn_end",
    names: "event, conv_id, cwd, invoked_by, response, turn_number",
    fields: { response: "done", turn_number: 1 },
  },
];

describe("kodelet: what a hook gets on stdin", () => {
  test.each(payloads)("at $event: $names", async ({ event, fields }) => {
    await using place = await workspace();
    await record(place, event);
    const sent = { event, conv_id: "c-1", cwd: place.project, invoked_by: "main", ...fields };
    const result = await runMain(place, ["run", event, "-q"], { stdin: JSON.stringify(sent) });
    expect(result).toMatchObject({ ...quiet, code: 0 });
    expect(await seen(place)).toMatchObject(sent);
  });

  test("invoked_by tells a subagent from the main agent", async () => {
    await using place = await workspace();
    await record(place, "before_tool_call");
    await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall("ls", { invoked_by: "subagent" }) });
    expect(await seen(place)).toMatchObject({ invoked_by: "subagent" });
    await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
    expect(await seen(place)).toMatchObject({ invoked_by: "main" });
  });

  test("recipe_name is handed on when there is one, and is not there when there is none", async () => {
    await using place = await workspace();
    await record(place, "before_tool_call");
    await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall("ls", { recipe_name: "review" }) });
    expect(await seen(place)).toMatchObject({ recipe_name: "review" });
    await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
    expect(await seen(place)).not.toHaveProperty("recipe_name");
  });

  test("after a blocked call the caller tells after_tool_call that it failed", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
    await record(place, "after_tool_call");
    const blocked = await runMain(place, ["run", "before_tool_call", "-v"], { stdin: toolCall() });
    const { blocked_result } = JSON.parse(blocked.stdout) as { blocked_result: object };
    expect(blocked_result).toMatchObject({ success: false, error: "blocked by hook: no" });
    const stdin = JSON.stringify({ tool_name: "bash", tool_input: { command: "ls" }, tool_output: blocked_result });
    expect(await runMain(place, ["run", "after_tool_call", "-q"], { stdin })).toEqual({
      ...quiet,
      stdout: "{}\n",
      code: 0,
    });
    expect(await seen(place)).toMatchObject({ tool_output: blocked_result });
  });
});

describe("kodelet: what a hook may answer", () => {
  const ends: readonly { title: string; said: object }[] = [
    { title: "empty", said: { follow_up_messages: [] } },
    { title: "null", said: { follow_up_messages: null } },
    { title: "left out", said: {} },
  ];
  test.each(ends)("the agent stops when follow_up_messages is $title", async ({ said }) => {
    await using place = await workspace();
    await place.hook("shy", printResponse(said), { says: "agent_stop" });
    const result = await runMain(place, ["run", "agent_stop", "-q"], { stdin: '{"messages":[]}' });
    expect(result).toEqual({ ...quiet, stdout: "{}\n", code: 0 });
  });

  test("follow-ups of all hooks count in their order, past a failure, null and an empty text", async () => {
    await using place = await workspace();
    const bodies = [
      printResponse({ follow_up_messages: ["a"] }),
      "exit 1",
      printResponse(null),
      printResponse({ follow_up_messages: ["", "b"] }),
    ];
    for (const [index, body] of bodies.entries()) await place.hook(`${index}`, body, { says: "agent_stop" });
    const result = await runMain(place, ["run", "agent_stop", "-q"], { stdin: '{"messages":[]}' });
    expect(result).toMatchObject({ ...quiet, code: 0 });
    expect(JSON.parse(result.stdout)).toEqual({
      follow_up_messages: ["a", "b"],
      warnings: ["1 failed: exit 1", "an empty follow-up message of 3 was dropped"],
    });
  });

  test("a message that is blocked is told with its reason, to the caller and to the person", async () => {
    await using place = await workspace();
    await place.hook("words", printResponse({ blocked: true, reason: "no names, please" }), {
      says: "user_message_send",
    });
    const result = await runMain(place, ["run", "user_message_send"], { stdin: '{"message":"hi"}' });
    expect(result).toEqual({
      stdout: '{"blocked":true,"reason":"no names, please"}\n',
      stderr: expect.stringMatching(/✖ Blocked by words\n {2}no names, please\n$/),
      code: 2,
      signal: null,
    });
  });

  test("a block needs no reason: the hook's name stands for it", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ blocked: true }));
    const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
    expect(result).toEqual({ ...quiet, stdout: '{"blocked":true,"reason":"blocked by hook guard"}\n', code: 2 });
  });

  test("after_tool_call replaces the output, and null leaves it as it is", async () => {
    await using place = await workspace();
    await place.hook("redact", printResponse({ output: { success: true, result: "[gone]" } }), {
      says: "after_tool_call",
    });
    const changed = await runMain(place, ["run", "after_tool_call", "-q"], { stdin: toolResult("secret") });
    expect(changed).toEqual({ ...quiet, stdout: '{"output":{"success":true,"result":"[gone]"}}\n', code: 0 });
    await place.hook("redact", printResponse({ output: null }), { says: "after_tool_call" });
    const same = await runMain(place, ["run", "after_tool_call", "-q"], { stdin: toolResult("secret") });
    expect(same).toEqual({ ...quiet, stdout: "{}\n", code: 0 });
  });

  test("at turn_end nothing needs to be said, and an answer that cannot be read is a warning", async () => {
    await using place = await workspace();
    const run = () => runMain(place, ["run", "turn_end", "-q"], { stdin: '{"response":"done","turn_number":1}' });
    await place.hook("log", printResponse({}), { says: "turn_end" });
    expect(await run()).toEqual({ ...quiet, stdout: "{}\n", code: 0 });
    await place.hook("log", "echo logged", { says: "turn_end" });
    const result = await run();
    expect(result).toMatchObject({ ...quiet, code: 0 });
    expect(JSON.parse(result.stdout)).toEqual({
      warnings: [expect.stringContaining("log did not print valid JSON")],
    });
  });
});

describe("kodelet: which files are hooks", () => {
  test("a hook that does not say its type within 5 s is none, and holds nothing else up", async () => {
    await using place = await workspace();
    await place.hook("slow", "#!/bin/sh\nsleep 60");
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
    const result = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
    expect(result).toMatchObject({ ...quiet, code: 2 });
    expect(parseRunJson(result)).toMatchObject({
      decided_by: "guard",
      hooks: [{ name: "guard" }, { name: "slow", outcome: "skipped", failure: { code: "HOOK_TIMED_OUT" } }],
    });
  });

  test("an ending such as .sh is part of the name", async () => {
    await using place = await workspace();
    await place.hook("guard.sh", ":");
    const { hooks } = parseListJson(await runMain(place, ["list", "--json"]));
    expect(hooks).toMatchObject([
      { name: "guard.sh", path: `${place.home}/.kodelet/hooks/guard.sh`, events: ["before_tool_call"] },
    ]);
  });

  test("a project file without the right to execute hides no hook of its name", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ blocked: true, reason: "mine" }));
    await place.hook("guard", ":", { scope: "project", mode: 0o644 });
    const result = await runMain(place, ["run", "before_tool_call", "-q", "--trust"], { stdin: toolCall() });
    expect(result).toEqual({ ...quiet, stdout: '{"blocked":true,"reason":"mine"}\n', code: 2 });
  });

  test("a hook is called with hook to say what it is, and with run to do its work", async () => {
    await using place = await workspace();
    const log = shellQuote(join(place.dir, "calls"));
    await place.hook("caller", `#!/bin/sh\necho "$@" >> ${log}\n[ "$1" = hook ] && echo before_tool_call\nexit 0`);
    expect(await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() })).toMatchObject({ code: 0 });
    expect(await place.read("calls")).toBe("hook\nrun\n");
  });

  test("nothing of a project that nobody approved is started, not even to ask for its type", async () => {
    await using place = await workspace();
    const canary = join(place.dir, "canary");
    await place.hook("theirs", `#!/bin/sh\n${touch(canary)}\necho before_tool_call`, { scope: "project" });
    for (const args of [["run", "before_tool_call"], ["list"], ["test", "theirs"], ["try", "theirs"]]) {
      await runMain(place, args, { stdin: toolCall() });
    }
    expect(await place.read("canary")).toBeNull();
  });
});
