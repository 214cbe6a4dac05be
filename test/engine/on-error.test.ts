import { describe, expect, test } from "vitest";
import { outcomes as fared, hooksIn, TOOL } from "../../packages/sdk/test/library/place.ts";
import { skippableTime } from "../support/clock.ts";
import { runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, shellQuote, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const RECORD = "home/.local/state/hookctl/audit.jsonl";
const listener = { says: "OnError" } as const;

const run = async (place: Workspace, args = "run before_tool_call --json -q", stdin = toolCall()) => {
  const result = await runInProcess(place, args, { stdin });
  return { ...result, run: parseRunJson(result) };
};
/** Name, event and outcome of each hook of a run. */
const steps = ({ hooks }: ReturnType<typeof parseRunJson>): readonly string[] =>
  hooks.map((hook) => [hook.name, "event" in hook ? hook.event : "", hook.outcome].join(" "));

describe("a hook that fails raises on_error", () => {
  test("its hooks get the code, the words, the hook, its event and where the agent was", async () => {
    await using place = await workspace();
    const seen = `${place.dir}/seen.json`;
    await place.hook("broken", "exit 3");
    await place.hook("kb", `cat > ${shellQuote(seen)}`, listener);
    const result = await run(
      place,
      undefined,
      toolCall("ls", { conv_id: "s1", branch: "dev", secret: "not handed on" }),
    );
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(steps(result.run)).toEqual(["broken  failed", "kb on_error continue"]);
    expect(result.run.hooks[1]).toMatchObject({ name: "kb", event: "on_error", failed_hook: "broken" });
    const payload: unknown = JSON.parse((await place.read(seen)) ?? "");
    expect(payload).toMatchObject({
      ...{ event: "on_error", hook: "OnError", conv_id: "s1", sessionId: "s1", branch: "dev", tool_name: "bash" },
      error: { code: "HOOK_EXITED", message: "broken failed: exit 3", hook: "broken", event: "before_tool_call" },
    });
    expect(payload).not.toHaveProperty("secret");
    expect(payload).not.toHaveProperty("tool_input");
  });

  test("once for each failure, in the order of the chain", async () => {
    await using place = await workspace();
    await place.hook("1-broken", "exit 1");
    await place.hook("2-garbled", "echo hello");
    await place.hook("kb", printResponse({ action: "injectContext", additionalContext: ["noted"] }), listener);
    const result = await run(place);
    const failed = result.run.hooks.flatMap((hook) => ("failed_hook" in hook ? [hook.failed_hook] : []));
    expect(failed).toEqual(["1-broken", "2-garbled"]);
    expect(result.run.result).toMatchObject({ blocked: false, additional_context: ["noted", "noted"] });
  });

  test("what its hooks say adds up: context, warnings and metadata, in the record too", async () => {
    await using place = await workspace();
    await place.hook("broken", "exit 1");
    const said = { additionalContext: ["restore first"], warnings: ["seen 3 times"], metadata: { hookId: "kb" } };
    await place.hook("kb", printResponse(said), listener);
    const result = await run(place);
    expect(result.run.result).toEqual({
      ...{ blocked: false, additional_context: ["restore first"], metadata: { kb: { hookId: "kb" } } },
      warnings: ["broken failed: exit 1", "kb: seen 3 times"],
    });
    const line = JSON.parse((await place.read(RECORD)) ?? "") as { hooks: readonly object[] };
    expect(line.hooks[1]).toMatchObject({
      ...{ name: "kb", event: "on_error", failed_hook: "broken", metadata: { hookId: "kb" } },
    });
  });

  test("the story tells who was told of it", async () => {
    await using place = await workspace();
    await place.hook("broken", "exit 1");
    await place.hook("kb", ":", listener);
    const result = await runInProcess(place, "run before_tool_call", { stdin: toolCall() });
    expect(result).toMatchObject({ code: 0, stderr: expect.stringMatching(/kb .*notified that broken failed/) });
  });

  test("secrets are taken out of what its hooks say", async () => {
    await using place = await workspace();
    await place.hook("broken", "exit 1");
    await place.hook("kb", printResponse({ additionalContext: [`use ghp_${"a1B2".repeat(9)}`] }), listener);
    expect((await run(place)).run.result).toMatchObject({ additional_context: ["use [redacted]"] });
  });
});

describe("the most restrictive decision counts", () => {
  const block = printResponse({ action: "block", reason: "too many errors" });
  const rows = [
    { title: "before a tool call a block of on_error blocks", event: "before_tool_call", decision: "block", code: 2 },
    { title: "after a tool call it halts", event: "after_tool_call", decision: "halt", code: 2 },
    { title: "at the end of a session it is a warning", event: "session_end", decision: "continue", code: 0 },
  ];
  test.each(rows)("$title", async ({ event, decision, code }) => {
    await using place = await workspace();
    await place.hook("broken", "exit 1", { says: event });
    await place.hook("strict", block, listener);
    const stdin = toolCall("ls", { event, tool_output: "x" });
    const result = await run(place, `run ${event} --json -q`, stdin);
    expect(result).toMatchObject({ code, stderr: "" });
    expect(result.run.decision).toBe(decision);
    expect(result.run.decided_by).toBe(decision === "continue" ? null : "strict");
    if (decision === "continue")
      expect(result.run.warnings).toContain("strict blocked, but session_end cannot be blocked");
  });

  test("a block drops the changes that were made before it", async () => {
    await using place = await workspace();
    await place.hook("1-change", printResponse({ input: { command: "ls -l" } }));
    await place.hook("2-broken", "exit 1");
    await place.hook("strict", block, listener);
    const { run: told } = await run(place);
    expect(told.result).toMatchObject({ blocked: true, reason: "too many errors" });
    expect(told.result).not.toHaveProperty("input");
  });

  describe("a question of on_error is one of the chain", () => {
    const ask = printResponse({ decision: "ask", reason: "it failed again: go on?" });
    const question = { blocked: true, reason: "it failed again: go on?", decision: "ask" };

    test("it is said in words, and keeps the changes that were made", async () => {
      await using place = await workspace();
      await place.hook("1-change", printResponse({ input: { command: "ls -l" } }));
      await place.hook("2-broken", "exit 1");
      await place.hook("unsure", ask, listener);
      const result = await run(place);
      expect(result).toMatchObject({ code: 2, stderr: "" });
      expect(result.run).toMatchObject({ decision: "ask", decided_by: "unsure" });
      expect(result.run.result).toMatchObject({ ...question, input: { command: "ls -l" } });
    });

    const rows = [
      {
        title: "at the end of a session it is a warning",
        event: "session_end",
        says: "",
        by: null,
        decision: "continue",
      },
      {
        title: "a block of the chain outranks it",
        event: "before_tool_call",
        says: { blocked: true },
        by: "2",
        decision: "block",
      },
      {
        title: "the first question stays",
        ...{ event: "before_tool_call", says: { decision: "ask", reason: "first" }, by: "2", decision: "ask" },
      },
      {
        title: "an allow does not",
        event: "before_tool_call",
        says: { decision: "allow" },
        by: "unsure",
        decision: "ask",
      },
      { title: "after a tool call it is one too", event: "after_tool_call", says: "", by: "unsure", decision: "ask" },
    ];
    test.each(rows)("$title", async ({ event, says, by, decision }) => {
      await using place = await workspace();
      await place.hook("1-broken", "exit 1", { says: event });
      await place.hook("2", says === "" ? ":" : printResponse(says), { says: event });
      await place.hook("unsure", ask, listener);
      const result = await run(place, `run ${event} --json -q`, toolCall("ls", { event, tool_output: "x" }));
      expect(result).toMatchObject({ code: decision === "continue" ? 0 : 2, stderr: "" });
      expect(result.run).toMatchObject({ decision, decided_by: by });
      if (by === null) expect(result.run.warnings).toContain("unsure blocked, but session_end cannot be blocked");
    });

    test("a block of another failure outranks it", async () => {
      await using place = await workspace();
      await place.hook("1-broken", "exit 1");
      await place.hook("2-garbled", "echo hello");
      await place.hook("unsure", `case $(cat) in *1-broken*) ${ask} ;; *) ${block} ;; esac`, listener);
      const result = await run(place);
      expect(result).toMatchObject({ code: 2, run: { decision: "block", reason: "too many errors" } });
    });
  });

  test("the decision of the chain stays, with its reason", async () => {
    await using place = await workspace();
    await place.hook("1-broken", "exit 1");
    await place.hook("2-guard", printResponse({ blocked: true, reason: "frozen" }));
    await place.hook("strict", block, listener);
    const { run: told } = await run(place);
    expect(told).toMatchObject({ decision: "block", reason: "frozen", decided_by: "2-guard" });
  });

  test("a closed hook of on_error that fails blocks, and the story says so", async () => {
    await using place = await workspace();
    await place.hook("broken", "exit 1");
    await place.hook("strict", "exit 4", { says: '{"event":"OnError","fail_open":false}' });
    const result = await runInProcess(place, "run before_tool_call", { stdin: toolCall() });
    expect(result).toMatchObject({ code: 2, stdout: expect.stringContaining('"blocked":true') });
    expect(result.stderr).toContain(
      "Blocked: strict could not decide: strict failed: exit 4\n  This hook is fail-closed.",
    );
    expect(result.stderr).not.toContain("cannot be blocked");
  });

  test("a closed hook that fails still blocks, and on_error is told", async () => {
    await using place = await workspace();
    await place.hook("guard", "exit 1", { says: '{"event":"PreToolUse","fail_open":false}' });
    await place.hook("kb", printResponse({ action: "passThrough" }), listener);
    const result = await run(place);
    expect(result).toMatchObject({ code: 2 });
    expect(steps(result.run)).toEqual(["guard  failed", "kb on_error continue"]);
    expect(result.run.decided_by).toBe("guard");
  });
});

describe("it never goes round in circles", () => {
  test("a hook of on_error that fails raises nothing, and the others are still asked", async () => {
    await using place = await workspace();
    await place.hook("broken", "exit 1");
    await place.hook("kb-1", "exit 1", listener);
    await place.hook("kb-2", ":", listener);
    const { run: told } = await run(place);
    expect(steps(told)).toEqual(["broken  failed", "kb-1 on_error failed", "kb-2 on_error continue"]);
  });

  test("a hook that answers both is not asked about itself", async () => {
    await using place = await workspace();
    await place.hook("both", "exit 1", { says: '{"event":["PreToolUse","OnError"]}' });
    expect(steps((await run(place)).run)).toEqual(["both  failed"]);
  });

  test("a failure at on_error itself raises none", async () => {
    await using place = await workspace();
    await place.hook("kb-1", "exit 1", listener);
    await place.hook("kb-2", ":", listener);
    const { run: told } = await run(place, "run OnError --json -q", "{}");
    expect(steps(told)).toEqual(["kb-1  failed", "kb-2  continue"]);
  });
});

describe("it is asked for nothing else", () => {
  test("a run without failures, and a failing run without listeners, ask nobody", async () => {
    await using place = await workspace();
    const mark = `${place.dir}/mark`;
    await place.hook("fine", ":");
    await place.hook("kb", touch(mark), listener);
    expect(steps((await run(place)).run)).toEqual(["fine  continue"]);
    expect(await place.read(mark)).toBeNull();
  });

  test("a hook that is refused or passed over has not failed", async () => {
    await using place = await workspace();
    await place.hook("pending", "exit 1", { scope: "project" });
    await place.hook("elsewhere", "exit 1", { says: '{"event":"PreToolUse","match":{"tool_name":"x"}}' });
    await place.hook("kb", ":", listener);
    expect(steps((await run(place)).run)).toEqual(["pending  refused", "elsewhere  skipped"]);
  });

  test("a tool call that succeeded, or does not say, raises nothing", async () => {
    await using place = await workspace();
    await place.hook("log", ":", { says: "PostToolUse" });
    await place.hook("kb", ":", listener);
    for (const success of ["", ',"success":true', ',"success":"false"', ',"success":0']) {
      const stdin = `{"hook":"PostToolUse","tool":{"name":"bash"${success}}}`;
      expect(steps((await run(place, "run PostToolUse --json -q", stdin)).run)).toEqual(["log  continue"]);
    }
    for (const tool_output of [{ Ok: "x" }, { Err: "x", Ok: "y" }, { success: true, Err: "x" }, "Err", ["Err"], {}]) {
      const stdin = toolCall("make", { event: "after_tool_call", tool_output });
      expect(steps((await run(place, "run after_tool_call --json -q", stdin)).run)).toEqual(["log  continue"]);
    }
  });
});

describe("a tool call that failed raises on_error at after_tool_call", () => {
  const failed = '{"hook":"PostToolUse","sessionId":"s1","tool":{"name":"bash","success":false,"durationMs":7}}';
  const failedCall = (tool_output: object): string => toolCall("make", { event: "after_tool_call", tool_output });

  test.each([
    ["PostToolUse", failed, { success: false }],
    ["PostToolUse", '{"hook":"PostToolUse","tool":{"name":"bash","success":false,"output":"no rule"}}', "no rule"],
    ["after_tool_call", failedCall({ success: false, error: "exit 2" }), "exit 2"],
    ["after_tool_call", failedCall({ success: false, result: "no rule" }), "no rule"],
    ["after_tool_call", failedCall({ Err: "no rule" }), "no rule"],
    [
      "post_tool_call",
      '{"tool_name":"bash","args":{},"result":{"Err":{"code":2}},"ctx":{"session_id":"s1"}}',
      { code: 2 },
    ],
    [
      "PostToolUse",
      '{"tool_name":"bash","tool_input":{},"tool_output":{"success":false},"error":{"code":5}}',
      { code: 5 },
    ],
  ])("%s of %s", async (event, stdin, error) => {
    await using place = await workspace();
    const seen = `${place.dir}/seen.json`;
    await place.hook("log", ":", { says: "PostToolUse" });
    await place.hook("kb", `cat > ${seen}; ${printResponse({ additionalContext: ["seen before"] })}`, listener);
    const result = await run(place, `run ${event} --json -q`, stdin);
    expect(result.run.hooks).toMatchObject([{ name: "log" }, { name: "kb", event: "on_error", failed_tool: "bash" }]);
    expect(result.run.result).toEqual({ additional_context: ["seen before"] });
    const payload = JSON.parse((await place.read(seen)) ?? "");
    expect(payload).toMatchObject({ event: "on_error", hook: "OnError", tool_name: "bash", error });
    expect(payload.tool).toMatchObject({ name: "bash", success: false });
    const line = JSON.parse((await place.read(RECORD)) ?? "");
    expect(line.hooks[1]).toMatchObject({ name: "kb", event: "on_error", failed_tool: "bash" });
  });

  test("without a hook of after_tool_call too, and a declared one is no exception", async () => {
    await using place = await workspace();
    const hooks = { OnError: [{ block: "ask a person", name: "stop" }] };
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks }));
    const result = await run(place, "run PostToolUse --json -q", failed);
    expect(result).toMatchObject({ code: 2, run: { decision: "halt", decided_by: "stop", reason: "ask a person" } });
  });

  test("a hook of on_error with a match is asked about the calls that it fits", async () => {
    await using place = await workspace();
    await place.hook("sql", ":", { says: '{"event":"OnError","match":{"tool_name":"sql"}}' });
    await place.hook("shell", ":", { says: '{"event":"OnError","match":{"tool_name":"bash"}}' });
    const result = await run(place, "run PostToolUse --json -q", failed);
    expect(steps(result.run)).toEqual(["shell on_error continue", "sql on_error skipped"]);
  });

  test("the tool's failure is told before a hook's, and each once", async () => {
    await using place = await workspace();
    await place.hook("broken", "exit 1", { says: "PostToolUse" });
    await place.hook("kb", ":", listener);
    const result = await run(place, "run PostToolUse --json -q", failed);
    expect(result.run.hooks.slice(1)).toMatchObject([{ failed_tool: "bash" }, { failed_hook: "broken" }]);
    expect(result.run.hooks).toHaveLength(3);
  });

  test("a change of the output reaches on_error: what was redacted stays so", async () => {
    await using place = await workspace();
    const seen = `${place.dir}/seen.json`;
    await place.hook("redact", printResponse({ output: { success: false, error: "[gone]" } }), { says: "PostToolUse" });
    await place.hook("kb", `cat > ${seen}`, listener);
    await run(place, "run after_tool_call --json -q", failedCall({ success: false, error: "hunter2" }));
    const text = (await place.read(seen)) ?? "";
    expect(JSON.parse(text)).toMatchObject({ error: "[gone]" });
    expect(text).not.toContain("hunter2");
  });

  test("an agent whose event raises on_error itself tells it once", async () => {
    await using place = await workspace();
    const mark = `${place.dir}/mark`;
    await place.hook("kb", `echo x >> ${mark}`, listener);
    const native = { session_id: "s", hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_input: {} };
    const result = await runInProcess(place, "bridge claude -q", {
      stdin: JSON.stringify({ ...native, error: "exit 1" }),
    });
    expect(result).toMatchObject({ code: 0 });
    expect(await place.read(mark)).toBe("x\n");
  });

  test("one that only says that the call failed tells it too", async () => {
    await using place = await workspace();
    const mark = `${place.dir}/mark`;
    await place.hook("kb", `echo x >> ${mark}`, listener);
    const toolResult = { resultType: "failure", textResultForLlm: "exit 1" };
    const native = { sessionId: "s", toolName: "bash", toolArgs: "{}", toolResult };
    await runInProcess(place, "bridge copilot --event postToolUse -q", { stdin: JSON.stringify(native) });
    expect(await place.read(mark)).toBe("x\n");
  });
});

test("a deadline that has passed leaves on_error unasked, visibly", async () => {
  await using place = await workspace();
  using time = skippableTime();
  await using hooks = hooksIn(place, { deadline: "9s" });
  const hung = (): Promise<never> => {
    setImmediate(time.skip);
    return new Promise(() => undefined);
  };
  hooks.register("before_tool_call", hung, { name: "hung" });
  const asked: string[] = [];
  hooks.register("OnError", () => void asked.push("kb"), { name: "kb" });
  const result = await hooks.run("before_tool_call", TOOL);
  expect(result.hooks.map(({ failure }) => failure?.code)).toEqual(["HOOK_TIMED_OUT", "HOOK_DEADLINE_PASSED"]);
  expect(asked).toEqual([]);
});

test("the library raises it for functions too", async () => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  const seen: unknown[] = [];
  const broken = (): never => {
    throw new Error("boom");
  };
  hooks.register("PreToolUse", broken, { name: "broken" });
  hooks.register("OnError", ({ error }) => void seen.push(error), { name: "kb" });
  const result = await hooks.run("PreToolUse", TOOL);
  expect(fared(result)).toEqual(["broken failed", "kb continue"]);
  expect(result.hooks[1]).toMatchObject({ event: "on_error", failed_hook: "broken" });
  expect(seen).toEqual([expect.objectContaining({ code: "HOOK_THREW", hook: "broken", event: "before_tool_call" })]);
});
