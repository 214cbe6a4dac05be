import { join } from "node:path";
import { expect, test } from "vitest";
import { skippableTime } from "../support/clock.ts";
import { runMain } from "../support/in-process.ts";
import { outcomes, parseRunJson } from "../support/json-output.ts";
import { lifeline } from "../support/lifeline.ts";
import { stop, toolCall, toolResult } from "../support/payloads.ts";
import { addToCommand, printResponse, shellQuote, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const quiet = { stderr: "", signal: null };

test("two hooks that each rewrite the input compose", async () => {
  await using place = await workspace();
  await place.hook("1-all", addToCommand("-a"));
  await place.hook("2-head", addToCommand("| head"));
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall("ls") });
  expect(result).toEqual({ ...quiet, stdout: '{"blocked":false,"input":{"command":"ls -a | head"}}\n', code: 0 });
});

const silences = [
  { title: "prints nothing", body: ":" },
  { title: "prints an empty object", body: printResponse({}) },
  { title: "prints null as its output", body: printResponse({ output: null }) },
];

test.each(silences)("an audit logger after a redactor that $title does not undo it", async ({ body }) => {
  await using place = await workspace();
  await place.hook("1-redact", printResponse({ output: { success: true, result: "[gone]" } }), {
    says: "after_tool_call",
  });
  await place.hook("2-audit", `cat > ${shellQuote(join(place.dir, "seen"))}; ${body}`, { says: "after_tool_call" });
  const result = await runMain(place, ["run", "after_tool_call", "-q"], { stdin: toolResult("secret") });
  expect(result).toEqual({ ...quiet, stdout: '{"output":{"success":true,"result":"[gone]"}}\n', code: 0 });
  expect(JSON.parse((await place.read("seen")) ?? "")).toMatchObject({ tool_output: { result: "[gone]" } });
});

test("a block after a rewrite wins and drops it", async () => {
  await using place = await workspace();
  await place.hook("1-change", printResponse({ input: { command: "ls -a" } }));
  await place.hook("2-guard", printResponse({ blocked: true, reason: "no" }));
  await place.hook("3-never", touch(join(place.dir, "canary")));
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(result).toEqual({ ...quiet, stdout: '{"blocked":true,"reason":"no"}\n', code: 2 });
  expect(await place.read("canary")).toBeNull();
});

test('{"blocked":false,"input":null} changes nothing', async () => {
  await using place = await workspace();
  await place.hook("shy", printResponse({ blocked: false, input: null }));
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(result).toEqual({ ...quiet, stdout: '{"blocked":false}\n', code: 0 });
});

test("follow-ups of three hooks add up past a failing one", async () => {
  await using place = await workspace();
  for (const name of ["1", "3", "4"])
    await place.hook(name, printResponse({ follow_up_messages: [`go on ${name}`] }), { says: "agent_stop" });
  await place.hook("2", `${printResponse({ follow_up_messages: ["lost"] })}; exit 1`, { says: "agent_stop" });
  const result = await runMain(place, ["run", "agent_stop", "-q"], { stdin: stop() });
  expect(result).toMatchObject({ ...quiet, code: 0 });
  expect(JSON.parse(result.stdout)).toEqual({
    follow_up_messages: ["go on 1", "go on 3", "go on 4"],
    warnings: [expect.stringContaining("2 failed: exit 1")],
  });
});

test("context of several hooks adds up and outlives a block", async () => {
  await using place = await workspace();
  await place.hook("1", printResponse({ additional_context: ["one"] }));
  await place.hook("2", printResponse({ blocked: true, reason: "no", additional_context: ["two"] }));
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  const stdout = '{"blocked":true,"reason":"no","additional_context":["one","two"]}\n';
  expect(result).toEqual({ ...quiet, stdout, code: 2 });
});

test("observers run after a block and after a replace, and change nothing", async () => {
  for (const [end, code] of [
    [printResponse({ blocked: true, reason: "no" }), 2] as const,
    [printResponse({ Replace: { x: 1 } }), 0] as const,
  ]) {
    await using place = await workspace();
    await place.hook("1-end", end, { says: "pre_tool_call" });
    await place.hook("2-watch", `${touch(join(place.dir, "seen"))}; ${printResponse({ blocked: true, input: {} })}`, {
      says: '{"event":"before_tool_call","observe":true}',
    });
    const result = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
    expect(result).toMatchObject({ ...quiet, code });
    expect(parseRunJson(result)).toMatchObject({ decided_by: "1-end", hooks: [{}, { outcome: "observed" }] });
    expect(await place.read("seen")).toBe("");
  }
});

test("replace ends the chain with its value", async () => {
  await using place = await workspace();
  await place.hook("1-replace", printResponse({ Replace: { command: "true" } }), { says: "pre_tool_call" });
  await place.hook("2-never", touch(join(place.dir, "canary")));
  const result = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({ ...quiet, code: 0 });
  const output = parseRunJson(result);
  expect(output).toMatchObject({
    decision: "continue",
    decided_by: "1-replace",
    result: { input: { command: "true" } },
  });
  expect(outcomes(output)).toEqual([
    ["1-replace", "replace"],
    ["2-never", "skipped"],
  ]);
  expect(await place.read("canary")).toBeNull();
});

// A short timeout for the hook that hangs alone: on a busy machine the others would exceed it too.
const failures: readonly { title: string; body: string; timeout?: string }[] = [
  { title: "exits with 1", body: "exit 1" },
  { title: "exits with 2", body: "exit 2" },
  { title: "is ended by a signal", body: "kill -KILL $$" },
  { title: "prints no JSON", body: "echo checking" },
  { title: "prints two objects", body: "printf '{}{}'" },
  { title: "misspells a deciding key", body: printResponse({ blockd: true }) },
  { title: "hangs", body: "sleep 30", timeout: "300ms" },
  { title: "prints too much", body: "yes" },
];

test.each(failures)(
  "a hook that $title is a warning when open, and blocks when closed",
  { tags: "slow" },
  async ({ body, timeout = "30s" }) => {
    await using place = await workspace();
    const flags = ["-q", "--timeout", timeout];
    await place.hook("guard", body);
    const open = await runMain(place, ["run", "before_tool_call", ...flags], { stdin: toolCall() });
    expect(open).toMatchObject({ ...quiet, code: 0 });
    expect(JSON.parse(open.stdout)).toEqual({ blocked: false, warnings: [expect.stringContaining("guard ")] });
    await place.hook("guard", body, { says: '{"event":"before_tool_call","fail_open":false}' });
    const closed = await runMain(place, ["run", "before_tool_call", ...flags], { stdin: toolCall() });
    expect(closed).toMatchObject({ ...quiet, code: 2 });
    expect(JSON.parse(closed.stdout)).toMatchObject({
      blocked: true,
      reason: expect.stringMatching(/^guard could not decide: /),
    });
  },
);

/** Runs a hook that prints only after its timeout. */
async function runPastTimeout(place: Workspace, late: string) {
  await using life = await lifeline(place.dir);
  using time = skippableTime();
  await place.hook("guard", `trap ${shellQuote(`${late}; exit 0`)} TERM; ${life.hold}; sleep 30 & wait`);
  const call = ["run", "before_tool_call", "--json", "-q", "--timeout", "9s"];
  const running = runMain(place, call, { stdin: toolCall() });
  await life.held;
  time.skip();
  return await running;
}

test("a block counts however its hook ended, also where it was printed after the timeout", async () => {
  await using place = await workspace();
  const block = printResponse({ blocked: true, reason: "policy" });
  await place.hook("guard", `${block}; exit 1`);
  const failed = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(failed).toEqual({ ...quiet, stdout: '{"blocked":true,"reason":"policy"}\n', code: 2 });
  const late = await runPastTimeout(place, block);
  expect(late).toMatchObject({ ...quiet, code: 2 });
  expect(parseRunJson(late)).toMatchObject({ decision: "block", hooks: [{ outcome: "block" }] });
});

test("nothing else that a hook prints after its timeout counts", async () => {
  await using place = await workspace();
  const result = await runPastTimeout(place, printResponse({ input: {} }));
  expect(result).toMatchObject({ ...quiet, code: 0 });
  expect(parseRunJson(result)).toMatchObject({
    decision: "continue",
    hooks: [{ failure: { code: "HOOK_TIMED_OUT" } }],
  });
});

test("ask is blocked: true with a decision of its own, and exit 2", async () => {
  await using place = await workspace();
  await place.hook("asker", printResponse({ decision: "ask", reason: "really?" }));
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(result).toEqual({ ...quiet, stdout: '{"blocked":true,"reason":"really?","decision":"ask"}\n', code: 2 });
});

test("ask where something has happened is ask too, and what was redacted before it stays so", async () => {
  await using place = await workspace();
  await place.hook("asker", printResponse({ decision: "ask", reason: "really?" }), { says: "after_tool_call" });
  await place.hook("redactor", printResponse({ output: "[taken out]" }), {
    says: '{"event":"after_tool_call","priority":1}',
  });
  const result = await runMain(place, ["run", "after_tool_call", "-q"], { stdin: toolResult() });
  const stdout = '{"blocked":true,"reason":"really?","output":"[taken out]","decision":"ask"}\n';
  expect(result).toEqual({ ...quiet, stdout, code: 2 });
});

test("a block at after_tool_call halts: the agent should stop", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true, reason: "leak" }), { says: "after_tool_call" });
  const result = await runMain(place, ["run", "after_tool_call", "--json", "-q"], { stdin: toolResult() });
  expect(result).toMatchObject({ ...quiet, code: 2 });
  expect(parseRunJson(result)).toMatchObject({
    decision: "halt",
    reason: "leak",
    result: { blocked: true, reason: "leak" },
  });
});

test("a block at session_end is ignored, with a warning and exit 0", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true }), { says: "session_end" });
  const result = await runMain(place, ["run", "session_end", "-q"], { stdin: "{}" });
  const stdout = '{"warnings":["guard blocked, but session_end cannot be blocked"]}\n';
  expect(result).toEqual({ ...quiet, stdout, code: 0 });
});
