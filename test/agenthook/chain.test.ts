import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hooksIn } from "../../packages/sdk/test/library/place.ts";
import { runInProcess } from "../support/in-process.ts";
import { printResponse, shellQuote, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const CTX = { session_id: "s1", turn_number: 1 };
const TURN = JSON.stringify({ input: { message: "go" }, ctx: CTX });
const ENDED = JSON.stringify({ input: { message: "go" }, output: "done", ctx: CTX });

const identity = (event: unknown, more: object = {}): string => JSON.stringify({ event, ...more });
/** A hook for several points that notes when it was asked. */
const notes = (place: Workspace, name: string, more: object) =>
  place.hook(name, `echo ${name} >> ${shellQuote(`${place.dir}/order`)}`, {
    says: identity(["pre_turn", "post_turn"], more),
  });
const orderIn = async (place: Workspace): Promise<readonly string[]> =>
  ((await place.read("order")) ?? "").trim().split("\n");
const settings = (place: Workspace, value: object) =>
  place.write("home/.kodelet/hooks.json", JSON.stringify({ settings: value }));

describe("priority", () => {
  test("lower runs first, and the design's own three wrap a turn without a setting", async () => {
    await using place = await workspace();
    await notes(place, "metrics", { priority: 100 });
    await notes(place, "logging", { priority: 50 });
    await notes(place, "guardrail", { priority: 10 });
    await runInProcess(place, "run pre_turn -q", { stdin: TURN });
    await runInProcess(place, "run post_turn -q", { stdin: ENDED });
    expect(await orderIn(place)).toEqual(["guardrail", "logging", "metrics", "metrics", "logging", "guardrail"]);
  });

  test("is 100 where nothing is said, and ties stay as they are after the event", async () => {
    await using place = await workspace();
    await notes(place, "a", {});
    await notes(place, "b", { priority: 100 });
    await notes(place, "c", { priority: 99 });
    await notes(place, "d", { priority: 101 });
    await runInProcess(place, "run post_turn -q", { stdin: ENDED });
    expect(await orderIn(place)).toEqual(["d", "a", "b", "c"]);
  });

  test("is the same before and after with post_order forward", async () => {
    await using place = await workspace();
    await settings(place, { post_order: "forward" });
    await notes(place, "a", { priority: 10 });
    await notes(place, "b", { priority: 50 });
    await runInProcess(place, "run post_turn -q", { stdin: ENDED });
    expect(await orderIn(place)).toEqual(["a", "b"]);
  });

  test("orders functions among executables, before and after", async () => {
    await using place = await workspace();
    await notes(place, "file", { priority: 50 });
    await using hooks = hooksIn(place);
    for (const [name, priority] of [
      ["late", undefined],
      ["early", 10],
    ] as const) {
      const noop = () => undefined;
      hooks.use({ name, ...(priority === undefined ? {} : { priority }), preTurn: noop, postTurn: noop });
    }
    const names = async (event: "pre_turn" | "post_turn", stdin: string) =>
      (await hooks.run(event, stdin)).hooks.map(({ name }) => name);
    expect(await names("pre_turn", TURN)).toEqual(["early", "file", "late"]);
    expect(await names("post_turn", ENDED)).toEqual(["late", "file", "early"]);
  });
});

describe("a hook that fails", () => {
  const ways: readonly { title: string; body: string; timeout?: string }[] = [
    { title: "exits with 1", body: "exit 1" },
    { title: "prints no JSON", body: "echo Reject" },
    { title: "prints an action that there is not", body: printResponse({ action: "abort" }) },
    { title: "is too slow", body: "sleep 30", timeout: "200ms" },
  ];
  test.each(ways)("that $title: is a warning by default", async ({ body, timeout = "30s" }) => {
    await using place = await workspace();
    await place.hook("bad", body, { says: identity("pre_turn", { timeout }) });
    const { stdout, code } = await runInProcess(place, "run pre_turn -q", { stdin: TURN });
    expect({ answer: JSON.parse(stdout), code }).toEqual({
      answer: { blocked: false, warnings: [expect.stringContaining("bad")] },
      code: 0,
    });
  });

  test.each(ways)("that $title: blocks with fail_open false", async ({ body, timeout = "30s" }) => {
    await using place = await workspace();
    await place.hook("bad", body, { says: identity("pre_turn", { timeout, fail_open: false }) });
    const { stdout, code } = await runInProcess(place, "run pre_turn -q", { stdin: TURN });
    expect({ answer: JSON.parse(stdout), code }).toMatchObject({
      answer: { blocked: true, reason: expect.stringContaining("bad could not decide") },
      code: 2,
    });
  });

  test("halts after the turn, and only warns at the end of a session, with fail_open false", async () => {
    await using place = await workspace();
    const closed = { event: ["post_turn", "on_session_end", "post_compaction"], fail_open: false };
    await place.hook("bad", "exit 1", { says: JSON.stringify(closed) });
    expect(await runInProcess(place, "run post_turn -q", { stdin: ENDED })).toMatchObject({ code: 2 });
    for (const end of ["on_session_end", "post_compaction"]) {
      expect(await runInProcess(place, `run ${end} -q`, { stdin: JSON.stringify({ ctx: CTX }) })).toMatchObject({
        code: 0,
      });
    }
  });

  test("as a method that throws: a warning, or a block with failOpen false", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    const preTurn = () => {
      throw new Error("broken");
    };
    hooks.use({ name: "open", preTurn });
    expect(await hooks.run("pre_turn", TURN)).toMatchObject({ decision: "continue", hooks: [{ outcome: "failed" }] });
    hooks.use({ name: "closed", failOpen: false, preTurn });
    expect(await hooks.run("pre_turn", TURN)).toMatchObject({ decision: "block", decided_by: "closed" });
  });
});

describe("short-circuit", () => {
  test("a rejection after a change drops the change and starts nothing more but observers", async () => {
    await using place = await workspace();
    await place.hook("1", printResponse({ Transform: { message: "changed" } }), { says: "pre_turn" });
    await place.hook("2", printResponse({ Reject: "no" }), { says: "pre_turn" });
    await place.hook("3", touch(`${place.dir}/started`), { says: "pre_turn" });
    await place.hook("4", touch(`${place.dir}/observed`), { says: identity("pre_turn", { observe: true }) });
    const { stdout, code } = await runInProcess(place, "run pre_turn -q", { stdin: TURN });
    expect({ answer: JSON.parse(stdout), code }).toEqual({ answer: { blocked: true, reason: "no" }, code: 2 });
    expect([await place.read("started"), await place.read("observed")]).toEqual([null, ""]);
  });

  test("a replaced value is used as it is, and a hook behind it that would reject is not asked", async () => {
    await using place = await workspace();
    await place.hook("1", printResponse({ Transform: { message: "one" } }), { says: "pre_turn" });
    await place.hook("2", printResponse({ Replace: { message: "two" } }), { says: "pre_turn" });
    await place.hook("3", printResponse({ Reject: "no" }), { says: "pre_turn" });
    const { stdout, code } = await runInProcess(place, "run pre_turn -q", { stdin: TURN });
    expect({ stdout, code }).toEqual({ stdout: '{"blocked":false,"input":{"message":"two"}}\n', code: 0 });
  });

  test("each change builds on the one before", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    const append = (text: string) => (payload: { input?: unknown }) => ({
      Transform: { message: `${(payload.input as { message: string }).message} ${text}` },
    });
    hooks.use({ name: "a", preTurn: append("a") });
    hooks.use({ name: "b", preTurn: append("b") });
    expect((await hooks.run("pre_turn", TURN)).result.input).toEqual({ message: "go a b" });
  });

  test("a replacement ends the chain of functions too", async () => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    hooks.use({ name: "a", preToolCall: () => ({ Replace: { command: "true" } }) });
    hooks.use({ name: "b", preToolCall: () => ({ Reject: "never said" }) });
    const run = await hooks.run("pre_tool_call", JSON.stringify({ tool_name: "bash", args: {}, ctx: CTX }));
    expect(run).toMatchObject({ decision: "continue", decided_by: "a", result: { input: { command: "true" } } });
    expect(run.hooks.map(({ outcome }) => outcome)).toEqual(["replace", "skipped"]);
  });
});

describe("points a hook does not name", () => {
  test("do not start it", async () => {
    await using place = await workspace();
    await place.hook("one", touch(`${place.dir}/started`), { says: "pre_turn" });
    expect(await runInProcess(place, "run post_turn", { stdin: ENDED })).toEqual({
      stdout: "{}\n",
      stderr: "",
      code: 0,
    });
    expect(await place.read("started")).toBeNull();
  });

  test("cost an agent without hooks nothing: no file is written", async () => {
    await using place = await workspace();
    const before = readdirSync(place.dir, { recursive: true });
    expect(await runInProcess(place, "run pre_turn", { stdin: TURN })).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(place.dir, { recursive: true })).toEqual(before);
  });
});

test("what an observer of events would see is in the record: point, hook, outcome and time of each", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ Reject: "no" }), { says: "pre_turn" });
  await place.hook("watch", `cat > ${shellQuote(`${place.dir}/seen`)}`, {
    says: identity("pre_turn", { observe: true }),
  });
  await runInProcess(place, "run pre_turn -q", { stdin: TURN });
  const line = JSON.parse((await place.read("home/.local/state/hookctl/audit.jsonl")) ?? "");
  expect(line).toMatchObject({
    event: "turn_start",
    decision: "block",
    hooks: [
      { name: "guard", outcome: "block" },
      { name: "watch", outcome: "observed" },
    ],
  });
  expect(JSON.parse((await place.read("seen")) ?? "")).toMatchObject({ ctx: CTX, input: { message: "go" } });
});
