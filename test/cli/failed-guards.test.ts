import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hookInRun, runToolCall } from "../support/approvals.ts";
import { runInProcess, runMain } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, shellQuote, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const CLOSED = '{"event":"before_tool_call","fail_open":false}';
const USER_FILE = "home/.kodelet/hooks.json";

/** Declares one fail-closed command beside other settings. */
const declare = (place: Workspace, command: unknown, timeout = "30s"): Promise<string> =>
  place.write(
    USER_FILE,
    JSON.stringify({ hooks: { before_tool_call: [{ name: "guard", command, fail_open: false, timeout }] } }),
  );

const FAILURES: readonly { title: string; body: string; code: string; timeout?: string }[] = [
  { title: "runs into its timeout", body: "sleep 30", code: "HOOK_TIMED_OUT", timeout: "300ms" },
  {
    title: "ignores TERM at its timeout",
    body: "trap '' TERM; while :; do sleep 1; done",
    ...{ code: "HOOK_TIMED_OUT", timeout: "300ms" },
  },
  { title: "exits with 3", body: "exit 3", code: "HOOK_EXITED" },
  { title: "dies of a signal", body: "kill -SEGV $$", code: "HOOK_SIGNALLED" },
  { title: "prints no JSON", body: "echo fine", code: "REPLY_NOT_JSON" },
];

describe.each(FAILURES)("a fail-closed guard that $title blocks", ({ body, code, timeout = "30s" }) => {
  const blocked = { decision: "block", decided_by: "guard" };

  test("as an executable", async () => {
    await using place = await workspace();
    await place.hook("guard", body, { says: CLOSED });
    await place.write(USER_FILE, JSON.stringify({ overrides: { guard: { timeout } } }));
    const run = await runToolCall(place);
    expect(run).toMatchObject(blocked);
    expect(hookInRun(run, "guard")).toMatchObject({ outcome: "failed", failure: { code } });
  });

  test("as a declared command", async () => {
    await using place = await workspace();
    await declare(place, body, timeout);
    const run = await runToolCall(place);
    expect(run).toMatchObject(blocked);
    expect(hookInRun(run, "guard")).toMatchObject({ outcome: "failed", failure: { code } });
  });
});

describe("a fail-closed guard that cannot be started blocks", () => {
  test("as an executable whose interpreter is gone", async () => {
    await using place = await workspace();
    const sh = await place.write("bin/interpreter", '#!/bin/sh\nexec /bin/sh "$@"\n', 0o755);
    const script = `#!${sh}\n[ "$1" = hook ] && exec echo ${shellQuote(CLOSED)}\n${printResponse({ blocked: false })}\n`;
    await place.hook("guard", script);
    expect(await runToolCall(place)).toMatchObject({ decision: "continue" });
    await rm(sh);
    const run = await runToolCall(place);
    expect(run).toMatchObject({ decision: "block", decided_by: "guard" });
    expect(hookInRun(run, "guard")).toMatchObject({ failure: { code: "HOOK_NOT_STARTED" } });
  });

  test("as a declared command whose program is gone", async () => {
    await using place = await workspace();
    await declare(place, ["/nowhere/guard", "--check"]);
    const run = await runToolCall(place);
    expect(run).toMatchObject({ decision: "block", decided_by: "guard" });
    expect(hookInRun(run, "guard")).toMatchObject({ failure: { code: "HOOK_NOT_STARTED" } });
  });
});

/** The clock of a run jumps when the first hook has run: the deadline is over before the guard's turn. */
async function runPastDeadline(place: Workspace) {
  const ran = join(place.dir, "ran");
  await place.hook("a-slow", touch(ran));
  await runInProcess(place, "list");
  const elapsedMs = () => (existsSync(ran) ? 60_000 : 0);
  const result = await runInProcess(place, "run before_tool_call --json -q --deadline 30s", {
    stdin: toolCall(),
    host: { elapsedMs },
  });
  return parseRunJson(result);
}

describe("a fail-closed guard that the deadline cut off blocks", () => {
  test("as an executable that had no turn", async () => {
    await using place = await workspace();
    await place.hook("guard", touch(join(place.dir, "asked")), { says: CLOSED });
    const run = await runPastDeadline(place);
    expect(run).toMatchObject({ decision: "block", decided_by: "guard" });
    expect(hookInRun(run, "guard")).toMatchObject({ failure: { code: "HOOK_DEADLINE_PASSED" } });
    expect(await place.read("asked")).toBeNull();
  });

  test("as a declared command that had no turn", async () => {
    await using place = await workspace();
    await declare(place, ["/usr/bin/touch", join(place.dir, "asked")]);
    const run = await runPastDeadline(place);
    expect(run).toMatchObject({ decision: "block", decided_by: "guard" });
    expect(hookInRun(run, "guard")).toMatchObject({ failure: { code: "HOOK_DEADLINE_PASSED" } });
    expect(await place.read("asked")).toBeNull();
  });

  test("and a rule, which takes no time, decides all the same", async () => {
    await using place = await workspace();
    await place.write(USER_FILE, '{"hooks":{"before_tool_call":[{"name":"rule","block":"no"}]}}');
    expect(await runPastDeadline(place)).toMatchObject({ decision: "block", decided_by: "rule", reason: "no" });
  });

  test("while it decides", async () => {
    await using place = await workspace();
    await place.hook("guard", "sleep 30", { says: CLOSED });
    await runInProcess(place, "list");
    const result = await runMain(place, ["run", "before_tool_call", "--json", "-q", "--deadline", "1s"], {
      stdin: toolCall(),
    });
    expect(result.code).toBe(2);
    expect(parseRunJson(result)).toMatchObject({ decision: "block" });
  });
});

test("a project's hook that nobody approved blocks where the user says fail_open: false for its name", async () => {
  await using place = await workspace();
  await place.hook("guard", touch(join(place.dir, "started")), { scope: "project" });
  expect(await runToolCall(place)).toMatchObject({ decision: "continue" });
  await place.write(USER_FILE, '{"overrides":{"guard":{"fail_open":false}}}');
  expect(await runToolCall(place)).toMatchObject({ decision: "block", decided_by: "guard" });
  expect(await place.read("started")).toBeNull();
});

describe("a hook that the user requires and nobody approved blocks", () => {
  const requires = (place: Workspace) => place.write(USER_FILE, '{"overrides":{"guard":{"required":true}}}');

  test("as a file of the project", async () => {
    await using place = await workspace();
    await place.hook("guard", touch(join(place.dir, "started")), { scope: "project" });
    expect(await runToolCall(place)).toMatchObject({ decision: "continue" });
    await requires(place);
    expect(await runToolCall(place)).toMatchObject({ decision: "block", decided_by: "guard" });
    expect(await place.read("started")).toBeNull();
  });

  test("through the bridge as well", async () => {
    await using place = await workspace();
    await requires(place);
    await place.hook("guard", ":", { scope: "project" });
    const stdin = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } });
    const { stdout } = await runInProcess(place, "bridge claude --event PreToolUse", { stdin });
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });
});
