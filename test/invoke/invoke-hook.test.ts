import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { InvokeContext } from "../../src/invoke/invoke-executable.ts";
import { invokeHook } from "../../src/invoke/invoke-hook.ts";
import { TOKEN_VARIABLE } from "../../src/process/process-request.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import { ok } from "../../src/protocol/result.ts";
import { aHook, aPayload } from "../chain/builders.ts";
import { skippableTime } from "../support/clock.ts";
import { lifeline } from "../support/lifeline.ts";
import { pidIn } from "../support/pid.ts";
import { printResponse, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const endsIn = (atMs: number) => ({ atMs, elapsedMs: () => 0 });
const payload = aPayload("before_tool_call");
const context = ({ project }: Workspace, over: Partial<InvokeContext> = {}): InvokeContext => ({
  cwd: project,
  isoTime: "2100-01-01T00:00:00.000Z",
  deadline: endsIn(Number.POSITIVE_INFINITY),
  interrupt: { raised: () => null, listen: () => () => undefined },
  prepare: async () => ok({ env: { PATH: "/usr/bin:/bin", [TOKEN_VARIABLE]: randomUUID() }, sandbox: null }),
  servers: new Map(),
  ...over,
});
const hookAt = async (place: Workspace, body: string, over: Partial<Hook> = {}): Promise<Hook> =>
  aHook("guard", { path: await place.hook("guard", body), ...over });

describe("one that may not or cannot be asked any more fails without being started", () => {
  const refusal = { code: "HOOK_REFUSED_SANDBOX", cause: "x", settingsFile: "/s", hook: "guard", path: "/p" } as const;
  const rows: readonly (readonly [
    title: string,
    hook: Partial<Hook>,
    context: Partial<InvokeContext>,
    told: object,
  ])[] = [
    ["it may not run", { refusal: refusal }, {}, { wasNotInvoked: true, response: { error: refusal } }],
    [
      "a signal has come",
      {},
      { interrupt: { raised: () => "SIGHUP", listen: () => () => undefined } },
      { wasNotInvoked: false, response: { error: { code: "HOOK_INTERRUPTED", signal: "SIGHUP" } } },
    ],
    [
      "the deadline has passed",
      {},
      { deadline: endsIn(0) },
      { wasNotInvoked: false, response: { error: { code: "HOOK_DEADLINE_PASSED" } } },
    ],
  ];
  test.each(rows)("%s", async (_title, over, outside, result) => {
    await using place = await workspace();
    const hook = await hookAt(place, touch("canary"), over);
    const nothing = { exitCode: null, signal: null, durationMs: 0, stderr: "", warnings: [] };
    expect(await invokeHook(hook, payload, context(place, outside))).toMatchObject({ ...nothing, ...result });
    expect(await place.read("project/canary")).toBeNull();
  });
});

test("a hook gets the payload on stdin, run as its word, and its folder", async () => {
  await using place = await workspace();
  const hook = await hookAt(
    place,
    `cat > seen; printf '%s' "$*" > words; echo note >&2; ${printResponse({ reason: "fine" })}`,
  );
  const asked = await invokeHook(hook, payload, context(place));
  expect(asked).toMatchObject({ response: { ok: true }, exitCode: 0, signal: null, stderr: "note\n", warnings: [] });
  expect(JSON.parse((await place.read("project/seen")) ?? "")).toMatchObject({ event: "before_tool_call" });
  expect(await place.read("project/words")).toBe("run");
});

test("a hook of another dialect gets the kodelet fields and its dialect's names", async () => {
  await using place = await workspace();
  const hook = await hookAt(place, "cat > seen", { dialect: "basecoat" });
  await invokeHook(hook, payload, context(place));
  expect(JSON.parse((await place.read("project/seen")) ?? "")).toMatchObject({
    ...{ event: "before_tool_call", hook: "PreToolUse", timestamp: "2100-01-01T00:00:00.000Z" },
    tool: { name: "bash" },
  });
});

const failures: readonly (readonly [title: string, body: string, told: object, problem: object])[] = [
  ["exits with 3", "exit 3", { exitCode: 3, signal: null }, { code: "HOOK_EXITED", exitCode: 3 }],
  ["is ended by a signal", "kill -SEGV $$", { exitCode: null, signal: "SIGSEGV" }, { code: "HOOK_SIGNALLED" }],
  ["prints no UTF-8", "printf '\\377'", { exitCode: 0 }, { code: "REPLY_NOT_UTF8" }],
  ["is no program", "#!/no/such/interpreter\n", { exitCode: null }, { code: "HOOK_NOT_STARTED" }],
];
test.each(failures)("a hook that %s failed", async (_title, body, result, problem) => {
  await using place = await workspace();
  const asked = await invokeHook(await hookAt(place, body), payload, context(place));
  expect(asked).toMatchObject({ ...result, wasNotInvoked: false, response: { ok: false, error: problem } });
});

const BLOCK = printResponse({ blocked: true, reason: "policy" });
describe("a block that can be read counts, however its hook ended", () => {
  const policy = { ok: true, value: { decision: "block", reason: "policy" } };
  test.each<[title: string, body: string, ended: string]>([
    ["exit 1", `${BLOCK}; exit 1`, "exit 1"],
    ["exit 2", `${BLOCK}; echo no >&2; exit 2`, "exit 2"],
    ["a signal", `${BLOCK}; kill -SEGV $$`, "SIGSEGV"],
    ["too much output", `${BLOCK}; exec yes`, "too much output"],
    ["exit 1 with a log line before it", `echo checking; ${BLOCK}; exit 1`, "exit 1"],
  ])("%s", async (_title, body, endedBy) => {
    await using place = await workspace();
    const asked = await invokeHook(await hookAt(place, body), payload, context(place));
    expect(asked).toMatchObject({ failedWith: endedBy, response: policy });
  });

  test("its timeout", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    using time = skippableTime();
    const hook = await hookAt(place, `${BLOCK}; ${life.hold}; exec sleep 30`, { timeoutMs: 9_000 });
    const asked = invokeHook(hook, payload, context(place));
    await life.held;
    time.skip();
    expect(await asked).toMatchObject({ failedWith: "timed out after 9 s", response: policy });
  });

  test("and nothing else that a failed hook says, but a question where it does not fail closed", async () => {
    await using place = await workspace();
    const said = async (value: object) => {
      const { response: told } = await invokeHook(
        await hookAt(place, `${printResponse(value)}; exit 1`),
        payload,
        context(place),
      );
      return told.ok ? { decision: told.value?.decision, doubt: told.value?.possibleBlock?.code } : told.error.code;
    };
    expect(await said({ input: { command: "ls" } })).toBe("HOOK_EXITED");
    expect(await said({ decision: "allow" })).toBe("HOOK_EXITED");
    expect(await said({ decision: "ask" })).toEqual({ decision: "ask", doubt: "HOOK_EXITED" });
  });
});

describe("the shorter of the hook's limit and what is left of the deadline counts", () => {
  test.each([
    [100, 20_000, { afterMs: 100, byDeadline: false }],
    [20_000, 100, { afterMs: 100, byDeadline: true }],
  ])("limit %i ms, left %i ms", async (timeoutMs, leftMs, result) => {
    await using place = await workspace();
    const hook = await hookAt(place, "exec sleep 30", { timeoutMs });
    const asked = await invokeHook(hook, payload, context(place, { deadline: endsIn(leftMs) }));
    expect(asked).toMatchObject({
      response: { ok: false, error: { code: "HOOK_TIMED_OUT", ...result } },
      warnings: [],
    });
  });
});

test("background: true allows a hook to leave processes behind", async () => {
  await using place = await workspace();
  const body = `sleep 30 >/dev/null 2>&1 & echo $! > pid; ${printResponse({})}`;
  const asked = await invokeHook(await hookAt(place, body, { background: true }), payload, context(place));
  expect(asked).toMatchObject({ response: { ok: true }, warnings: [] });
  const pid = pidIn(await place.read("project/pid"));
  expect(process.kill(pid, "SIGKILL")).toBe(true);
});
