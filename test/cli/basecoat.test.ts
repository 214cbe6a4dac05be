import { symlink } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { approveAll } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { outcomes, parseRunJson } from "../support/json-output.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const RECORD = "home/.local/state/hookctl/audit.jsonl";
const EVENTS = {
  ...{ SessionStart: "session_start", SessionEnd: "session_end" },
  ...{ PreToolUse: "before_tool_call", PostToolUse: "after_tool_call" },
  ...{ PreCompact: "before_compaction", PostCompact: "after_compaction" },
  ...{ OnError: "on_error", OnBudgetExceeded: "budget_exceeded" },
} as const;
const NAMES = Object.keys(EVENTS) as readonly (keyof typeof EVENTS)[];

/** A whole envelope, as the contract draws it. */
const envelope = (hook: string, more: object = {}): string =>
  JSON.stringify({
    ...{ hook, timestamp: "2025-04-27T18:42:31Z", sessionId: "sess_01J", agent: "backend-dev" },
    ...{ repository: "acme/shop", branch: "feat/145-hooks", budget: { usedTokens: 78_124, effectiveLimit: 160_000 } },
    ...{ tool: { name: "powershell", success: false, durationMs: 6422 }, ...more },
  });

/** One event with what `--json` tells of it. */
async function run(place: Workspace, event: string, args = "", stdin = envelope(event)) {
  const result = await runInProcess(place, `run ${event} --json -q ${args}`, { stdin });
  return { ...result, run: parseRunJson(result) };
}
const settings = (place: Workspace, value: object): Promise<string> =>
  place.write("home/.kodelet/hooks.json", JSON.stringify({ version: 1, ...value }));

describe.each(NAMES)("%s", (name) => {
  test("takes the whole envelope on stdin and hands every field of it to the hook", async () => {
    await using place = await workspace();
    const seen = `${place.dir}/seen.json`;
    await place.hook("watch", `cat > ${shellQuote(seen)}`, { says: name });
    const result = await run(place, name);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(result.run).toMatchObject({ event: EVENTS[name], decision: "continue" });
    expect(JSON.parse((await place.read(seen)) ?? "")).toMatchObject({
      ...JSON.parse(envelope(name)),
      ...{ conv_id: "sess_01J", tool_name: "powershell", cwd: place.project },
    });
  });

  test("takes an envelope with nothing but hook, session and tool", async () => {
    await using place = await workspace();
    await place.hook("watch", ":", { says: name });
    const result = await run(place, name, "", `{"hook":"${name}","sessionId":"s","tool":{"name":"bash"}}`);
    expect(result).toMatchObject({ code: 0, stderr: "", run: { decision: "continue" } });
  });

  test("has an observer that still runs after a block", async () => {
    await using place = await workspace();
    await place.hook("1-stop", printResponse({ action: "block", reason: "no" }), { says: name });
    await place.hook("2-telemetry", ":", { says: JSON.stringify({ event: name, observe: true }) });
    expect(outcomes((await run(place, name)).run)[1]).toEqual(["2-telemetry", "observed"]);
  });
});

test("a kodelet hook finds its own names in a Base Coat envelope", async () => {
  await using place = await workspace();
  const seen = `${place.dir}/seen.json`;
  await place.hook("watch", `cat > ${shellQuote(seen)}`, { says: "after_tool_call" });
  expect(await run(place, "PostToolUse")).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse((await place.read(seen)) ?? "")).toMatchObject({
    ...{ event: "after_tool_call", conv_id: "sess_01J", cwd: place.project, invoked_by: "main" },
    ...{ tool_name: "powershell", tool_input: null, tool_output: { success: false }, elapsed_ms: 6422 },
    budget: { used_tokens: 78_124, effective_limit: 160_000 },
  });
});

describe("a block means what the event allows", () => {
  const rows = [
    ...["SessionStart", "PreToolUse", "PreCompact", "OnBudgetExceeded"].map((name) => ({ name, decision: "block" })),
    ...["PostToolUse", "OnError"].map((name) => ({ name, decision: "halt" })),
    ...["SessionEnd", "PostCompact"].map((name) => ({ name, decision: "continue" })),
  ];
  test.each(rows)("$name: $decision", async ({ name, decision }) => {
    await using place = await workspace();
    await place.hook("stop", printResponse({ action: "block", reason: "rotate first" }), { says: name });
    const result = await run(place, name);
    expect(result).toMatchObject({ code: decision === "continue" ? 0 : 2, stderr: "", run: { decision } });
    if (decision !== "continue") expect(result.run).toMatchObject({ reason: "rotate first", decided_by: "stop" });
    else expect(result.run.warnings).toEqual([expect.stringContaining("cannot be blocked")]);
  });
});

describe("the four responses", () => {
  const rows = [
    { title: "passThrough changes nothing", event: "PreToolUse", said: { action: "passThrough" }, code: 0, result: {} },
    {
      title: "injectContext adds its context",
      event: "SessionStart",
      said: { action: "injectContext", additionalContext: ["Run the tests before a merge.", "Restore first."] },
      code: 0,
      result: { additionalContext: ["Run the tests before a merge.", "Restore first."] },
    },
    {
      title: "block stops with its reason",
      event: "OnBudgetExceeded",
      said: { action: "block", reason: "82% used" },
      code: 2,
      result: { reason: "82% used" },
    },
    {
      title: "modify replaces the input before",
      event: "PreToolUse",
      said: { action: "modify", modifiedInput: { command: "ls" } },
      code: 0,
      result: { modifiedInput: { command: "ls" } },
    },
    {
      title: "modify replaces the output after",
      event: "PostToolUse",
      said: { action: "modify", modifiedOutput: { summary: "no access", redacted: true } },
      code: 0,
      result: { modifiedOutput: { summary: "no access", redacted: true } },
    },
    {
      title: "modify at OnError brings the error into one shape",
      event: "OnError",
      said: { action: "modify", modifiedOutput: { class: "auth" } },
      code: 0,
      result: { modifiedOutput: { class: "auth" } },
    },
  ] as const;
  test.each(rows)("$title", async ({ event, said, code, result }) => {
    await using place = await workspace();
    await place.hook("hook", printResponse(said), { says: event });
    const output = await runInProcess(place, `run ${event} --as basecoat -q`, { stdin: envelope(event) });
    expect(output).toMatchObject({ code, stderr: "" });
    expect(JSON.parse(output.stdout)).toEqual({ action: said.action, ...result });
  });

  test.each([
    {
      title: "modify without a value: a warning",
      said: { action: "modify" },
      warnings: ["hook returned modify without a new value, so nothing is changed"],
    },
    {
      title: "modify with null: no change",
      said: { action: "modify", modifiedInput: null },
      warnings: [],
    },
    {
      title: "modify of the wrong side: a warning",
      said: { action: "modify", modifiedOutput: "[gone]" },
      warnings: ['hook set "modifiedOutput", which has no effect at before_tool_call'],
    },
  ])("$title", async ({ said, warnings }) => {
    await using place = await workspace();
    await place.hook("hook", printResponse(said), { says: "PreToolUse" });
    const output = await run(place, "PreToolUse");
    expect(output).toMatchObject({ code: 0, run: { decision: "continue", warnings } });
    expect(output.run.result).not.toHaveProperty("input");
  });

  test("an unknown action fails the hook, which lets the tool pass with a warning", async () => {
    await using place = await workspace();
    await place.hook("hook", printResponse({ action: "explode" }), { says: "PreToolUse" });
    const output = await run(place, "PreToolUse");
    expect(output).toMatchObject({
      code: 0,
      run: { decision: "continue", hooks: [{ failure: { code: "REPLY_WRONG_TYPE" } }] },
    });
    expect(output.run.warnings).toHaveLength(1);
  });
});

test("the response envelope as it is drawn is understood; warnings and metadata are kept in the record", async () => {
  await using place = await workspace();
  const said = { action: "passThrough", priority: 50, additionalContext: [], warnings: ["slow disk"] };
  const body = printResponse({ ...said, metadata: { hookId: "anti-loop-detector" } });
  await place.hook("loop", body, { says: '{"event":"PostToolUse","priority":50}' });
  const { run: told } = await run(place, "PostToolUse");
  const metadata = { loop: { priority: 50, hookId: "anti-loop-detector" } };
  expect(told.result).toEqual({ warnings: ["loop: slow disk"], metadata });
  const line = JSON.parse((await place.read(RECORD)) ?? "") as object;
  expect(line).toMatchObject({
    ...{ event: "after_tool_call", session: "sess_01J", warnings: ["loop: slow disk"] },
    hooks: [{ name: "loop", outcome: "continue", metadata: metadata.loop }],
  });
});

test("metadata decides nothing, whatever words stand in it", async () => {
  await using place = await workspace();
  const metadata = { action: "block", blocked: true, modifiedInput: { command: "true" } };
  await place.hook("notes", printResponse({ action: "passThrough", metadata }), { says: "PreToolUse" });
  const { code, run: told } = await run(place, "PreToolUse");
  expect({ code, result: told.result }).toEqual({ code: 0, result: { blocked: false, metadata: { notes: metadata } } });
});

test("the priority of a response comes too late to order anything, and a warning says so", async () => {
  await using place = await workspace();
  await place.hook("1-late", printResponse({ action: "passThrough", priority: 99 }), { says: "PreToolUse" });
  await place.hook("2-next", printResponse({ action: "passThrough", priority: 1 }), { says: "PreToolUse" });
  await place.hook("3-default", printResponse({ action: "passThrough", priority: 100 }), { says: "PreToolUse" });
  const registered = { says: '{"event":"PreToolUse","priority":150}' };
  await place.hook("4-own", printResponse({ action: "passThrough", priority: 150 }), registered);
  await place.hook("5-default", printResponse({ action: "passThrough", priority: 100.0 }), registered);
  const { run: told } = await run(place, "PreToolUse");
  expect(outcomes(told).map(([name]) => name)).toEqual(["1-late", "2-next", "3-default", "4-own", "5-default"]);
  expect(told.warnings).toEqual([
    "1-late returned priority 99, which has no effect: its declared priority is 100",
    "2-next returned priority 1, which has no effect: its declared priority is 100",
  ]);
});

describe("order and composition", () => {
  const inject = (text: string) => ({ inject: text });

  test("lower priority first, ties in the order of registration, before and after a tool alike", async () => {
    await using place = await workspace();
    const list = [
      { ...inject("telemetry"), priority: 90 },
      { ...inject("tie a"), priority: 50 },
      { ...inject("tie b"), priority: 50 },
      { ...inject("permission"), priority: 10 },
      { ...inject("budget"), priority: 20 },
    ];
    await settings(place, { hooks: { PreToolUse: list, PostToolUse: list } });
    for (const event of ["PreToolUse", "PostToolUse"]) {
      expect((await run(place, event)).run.result).toMatchObject({
        additional_context: ["permission", "budget", "tie a", "tie b", "telemetry"],
      });
    }
  });

  test("a modified payload is what the next hook sees", async () => {
    await using place = await workspace();
    const seen = `${place.dir}/seen.json`;
    await place.hook("1-redact", printResponse({ action: "modify", modifiedOutput: { text: "[gone]" } }), {
      says: "PostToolUse",
    });
    await place.hook("2-look", `cat > ${shellQuote(seen)}`, { says: "PostToolUse" });
    await run(place, "PostToolUse");
    expect(JSON.parse((await place.read(seen)) ?? "")).toMatchObject({ tool_output: { text: "[gone]" } });
  });

  test("context adds up unless a later hook overwrites it in words", async () => {
    await using place = await workspace();
    await place.hook("1", printResponse({ action: "injectContext", additionalContext: ["a"] }), {
      says: "SessionStart",
    });
    await place.hook("2", printResponse({ action: "injectContext", additionalContext: ["b"] }), {
      says: "SessionStart",
    });
    expect((await run(place, "SessionStart")).run.result).toMatchObject({ additional_context: ["a", "b"] });
    const overwrite = { action: "injectContext", additionalContext: ["c"], additional_context_mode: "overwrite" };
    await place.hook("3", printResponse(overwrite), { says: "SessionStart" });
    expect((await run(place, "SessionStart")).run.result).toMatchObject({ additional_context: ["c"] });
  });

  test("what a hook injects is cut at 8 KiB, marked, and does not take room from the next", async () => {
    await using place = await workspace();
    const long = 'printf \'{"action":"injectContext","additionalContext":["%09000d"]}\' 7';
    await place.hook("1-long", long, { says: "SessionStart" });
    await place.hook("2-short", printResponse({ action: "injectContext", additionalContext: ["ok"] }), {
      says: "SessionStart",
    });
    const { run: told } = await run(place, "SessionStart");
    const context = told.result.additional_context as readonly string[];
    expect(context.map((text) => text.length)).toEqual([8192 + "… [cut at 8 KiB]".length, 2]);
    expect(context[0]).toMatch(/… \[cut at 8 KiB\]$/);
    expect(told.warnings).toEqual(["the context of 1-long was cut at 8192 bytes"]);
  });

  test("a block ends the chain and keeps the context so far", async () => {
    await using place = await workspace();
    await place.hook("1", printResponse({ action: "injectContext", additionalContext: ["known fix"] }), {
      says: "PreToolUse",
    });
    await place.hook("2", printResponse({ action: "block", reason: "no" }), { says: "PreToolUse" });
    await place.hook("3", printResponse({ action: "injectContext", additionalContext: ["never"] }), {
      says: "PreToolUse",
    });
    const { run: told } = await run(place, "PreToolUse");
    expect(outcomes(told).map(([, outcome]) => outcome)).toEqual(["continue", "block", "skipped"]);
    expect(told.result).toMatchObject({ blocked: true, additional_context: ["known fix"] });
  });
});

describe("a hook that breaks does not break the agent", () => {
  const rows = [
    { title: "it exits with 1", body: "exit 1", code: "HOOK_EXITED" },
    { title: "it is killed", body: "kill -9 $$", code: "HOOK_SIGNALLED" },
    { title: "it prints a stack trace", body: "echo Traceback", code: "REPLY_NOT_JSON" },
    { title: "it takes too long", body: "sleep 9", code: "HOOK_TIMED_OUT" },
    { title: "it exits with 2, as other agents' hooks do to block", body: "exit 2", code: "HOOK_EXITED" },
  ];
  test.each(rows)("$title: pass-through with a warning", async ({ body, code }) => {
    await using place = await workspace();
    await place.hook("broken", body, { says: "PreToolUse" });
    const result = await run(place, "PreToolUse", code === "HOOK_TIMED_OUT" ? "--timeout 300ms" : "");
    expect(result).toMatchObject({
      code: 0,
      run: { decision: "continue", hooks: [{ outcome: "failed", failure: { code } }] },
    });
    expect(result.run.warnings.length).toBeGreaterThan(0);
  });

  test("the failure stands in the record", async () => {
    await using place = await workspace();
    await place.hook("broken", "exit 1", { says: "PreToolUse" });
    await run(place, "PreToolUse");
    const line = JSON.parse((await place.read(RECORD)) ?? "") as object;
    expect(line).toMatchObject({ hooks: [{ name: "broken", outcome: "failed", failure: "HOOK_EXITED" }] });
  });

  test("a hook that calls hookctl may not do so without end", async () => {
    await using place = await workspace();
    await place.hook("self", ":", { says: "PreToolUse" });
    const env = { HOOKCTL_DEPTH: "3" };
    const result = await runInProcess(place, "run PreToolUse", { stdin: envelope("PreToolUse"), env });
    expect(result).toMatchObject({ code: 75, stdout: "" });
  });
});

describe("hooks.json", () => {
  const DOCUMENT = {
    version: 1,
    hooks: {
      PreToolUse: [{ command: "python hooks/pre_tool.py", priority: 20 }],
      OnBudgetExceeded: [{ command: "python hooks/rotate_session.py", priority: 10 }],
    },
  };
  const says = (answer: object): string =>
    `import json, sys\njson.load(sys.stdin)\nprint(${shellQuote(JSON.stringify(answer))})\n`;

  test("as the contract draws it works in .kodelet once it is approved", async () => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks.json", JSON.stringify(DOCUMENT));
    await place.write(
      "project/.kodelet/hooks/pre_tool.py",
      says({ action: "injectContext", additionalContext: ["hi"] }),
    );
    await place.write("project/.kodelet/hooks/rotate_session.py", says({ action: "block", reason: "rotate" }));
    await place.write("bin/.keep", "");
    await symlink("/usr/bin/python3", `${place.dir}/bin/python`);
    const env = { PATH: `${place.dir}/bin:/usr/bin:/bin` };
    const call = async (event: string) => {
      const result = await runInProcess(place, `run ${event} --as basecoat -q`, { stdin: envelope(event), env });
      return { code: result.code, answer: JSON.parse(result.stdout) as object };
    };
    const waiting = await call("PreToolUse");
    expect(waiting).toMatchObject({ code: 0, answer: { action: "passThrough" } });
    await approveAll(place);
    expect(await call("PreToolUse")).toEqual({
      code: 0,
      answer: { action: "injectContext", additionalContext: ["hi"] },
    });
    expect(await call("OnBudgetExceeded")).toEqual({ code: 2, answer: { action: "block", reason: "rotate" } });
  });

  test("an entry with enabled false is not started, and stays visible", async () => {
    await using place = await workspace();
    const off = { command: "exit 1", priority: 20, enabled: false };
    await settings(place, { hooks: { PreToolUse: [off, { inject: "on", enabled: true }] } });
    const { run: told } = await run(place, "PreToolUse");
    expect(outcomes(told)).toEqual([
      ["PreToolUse#1", "skipped"],
      ["PreToolUse#2", "continue"],
    ]);
  });

  test.each([2, "1", null])("version %j is an error that names it", async (version) => {
    await using place = await workspace();
    await settings(place, { ...DOCUMENT, version });
    const result = await runInProcess(place, "run PreToolUse", { stdin: envelope("PreToolUse") });
    expect(result).toMatchObject({ code: 78, stderr: expect.stringContaining("version") });
  });

  test("an event that is none, and a key that is none, are errors that name the nearest", async () => {
    await using place = await workspace();
    await settings(place, { hooks: { PreToolUsed: [] } });
    const first = await runInProcess(place, "run PreToolUse", { stdin: envelope("PreToolUse") });
    expect(first).toMatchObject({ code: 78, stderr: expect.stringContaining("Did you mean PreToolUse?") });
    await settings(place, { hooks: { PreToolUse: [{ command: "true", prioritty: 1 }] } });
    const second = await runInProcess(place, "run PreToolUse", { stdin: envelope("PreToolUse") });
    expect(second).toMatchObject({ code: 78, stderr: expect.stringContaining("Did you mean priority?") });
  });

  test("a declared command gets the envelope of the name it is declared for", async () => {
    await using place = await workspace();
    const seen = `${place.dir}/seen.json`;
    await settings(place, { hooks: { PreToolUse: [{ command: `cat > ${shellQuote(seen)}` }] } });
    const stdin = JSON.stringify({ event: "before_tool_call", tool_name: "bash", tool_input: {}, conv_id: "s1" });
    await run(place, "before_tool_call", "", stdin);
    expect(JSON.parse((await place.read(seen)) ?? "")).toMatchObject({
      ...{ hook: "PreToolUse", sessionId: "s1", agent: "main", tool: { name: "bash" } },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });
});

describe("repository and branch come from git's own files", () => {
  test("of the folder the agent works in, without the credentials of the remote", async () => {
    await using place = await workspace();
    const seen = `${place.dir}/seen.json`;
    await place.write("project/.git/HEAD", "ref: refs/heads/feat/x\n");
    const url = "https://me:hunter2@git.example/acme/shop.git";
    await place.write("project/.git/config", `[remote "origin"]\n\turl = ${url}\n`);
    await place.hook("watch", `cat > ${shellQuote(seen)}; env > ${shellQuote(`${seen}.env`)}`, {
      says: "SessionStart",
    });
    await run(place, "SessionStart", "", '{"hook":"SessionStart"}');
    const result = await place.read(seen);
    expect(JSON.parse(result ?? "")).toMatchObject({ repository: "acme/shop", branch: "feat/x" });
    expect(`${result}${await place.read(`${seen}.env`)}`).not.toContain("hunter2");
  });
});

describe("secrets are taken out before anything is stored or handed on", () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const rows = [
    { title: "additionalContext", said: { action: "injectContext", additionalContext: [`use ${token}`] } },
    { title: "the reason of a block", said: { action: "block", reason: `use ${token}` } },
    { title: "warnings", said: { action: "passThrough", warnings: [`use ${token}`] } },
    { title: "metadata", said: { action: "passThrough", metadata: { used: token } } },
  ];
  test.each(rows)("$title", async ({ said }) => {
    await using place = await workspace();
    await place.hook("leaky", `echo "${token}" >&2; ${printResponse(said)}`, { says: "PreToolUse" });
    const stdin = envelope("PreToolUse");
    const calls = ["--json -vv", "--as basecoat -vv", "-vv"].map((flags) => `run PreToolUse ${flags}`);
    const result = [];
    for (const call of calls) result.push(await runInProcess(place, call, { stdin }));
    const all = `${JSON.stringify(result)}${await place.read(RECORD)}`;
    expect(all).not.toContain(token);
    expect(all).toContain("[redacted]");
  });

  test("a value that a hook changed is handed on as it is, and only its hash is stored", async () => {
    await using place = await workspace();
    await place.hook("change", printResponse({ action: "modify", modifiedInput: { command: token } }), {
      says: "PreToolUse",
    });
    expect((await run(place, "PreToolUse")).run.result).toMatchObject({ input: { command: token } });
    const line = await place.read(RECORD);
    expect(line).not.toContain(token);
    expect(JSON.parse(line ?? "")).toMatchObject({ hooks: [{ outcome: "modify", value_hash: expect.any(String) }] });
  });
});

test("nothing is started that was not put into a hooks folder or declared, and a set may be switched off", async () => {
  await using place = await workspace();
  const none = await runInProcess(place, "run PreToolUse --as basecoat", { stdin: envelope("PreToolUse") });
  expect(none).toEqual({ stdout: '{"action":"passThrough"}\n', stderr: "", code: 0 });
  await place.hook("stop", printResponse({ action: "block" }), { says: "PreToolUse" });
  const off = await runInProcess(place, "run PreToolUse --no-hooks --as basecoat", { stdin: envelope("PreToolUse") });
  expect(off).toEqual({ stdout: '{"action":"passThrough"}\n', stderr: "", code: 0 });
});

test("an entry has the time limit it asks for, and 30 seconds without one", async () => {
  await using place = await workspace();
  await settings(place, {
    hooks: { PreToolUse: [{ name: "quick", command: "true", timeout: "3s" }, { command: "true" }] },
  });
  const result = await runInProcess(place, "list --json");
  const { hooks } = JSON.parse(result.stdout) as { readonly hooks: readonly { readonly timeout_ms: number }[] };
  expect(hooks.map(({ timeout_ms }) => timeout_ms)).toEqual([3000, 30_000]);
});
