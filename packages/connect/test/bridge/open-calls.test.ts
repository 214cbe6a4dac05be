import { rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HOOKCTL, runProgram, type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";

/** Ends hookctl when it judges the call, as `pkill -9 -f bridge` does. */
const KILLED = '[ -f "$HOME/kill" ] && rm "$HOME/kill" && kill -9 $PPID; exit 0';
const NOTES = ["-R", "home/.local/state/hookctl/calls"];

type Event = Extract<keyof typeof NATIVE.claude, string>;

/** The agent is the process above the shell of a registered line, which outlives hookctl. */
function call(place: Workspace, event: Event, fields: object = {}, mode = "--fail-closed") {
  const line = `"$@" bridge claude --event ${event} ${mode}; :`;
  const stdin = JSON.stringify({ ...NATIVE.claude[event], session_id: "s", ...fields });
  return runProgram(["/bin/sh", "-c", line, "sh", ...HOOKCTL], { cwd: place.project, env: place.env, stdin });
}

async function killed(place: Workspace, fields: object = {}): Promise<void> {
  await place.hook("guard", KILLED);
  await place.write("home/kill", "");
  expect((await call(place, "PreToolUse", fields)).stdout).toBe("");
  expect(await place.read("home/kill")).toBeNull();
}

const notes = async (place: Workspace) =>
  (await runProgram(["/bin/ls", ...NOTES], { cwd: place.dir, env: place.env })).stdout;

describe("a call of which hookctl was killed", () => {
  test("blocks the next one of the session once, where prompts are seen", async () => {
    await using place = await workspace();
    await call(place, "UserPromptSubmit");
    await killed(place);
    expect((await call(place, "PreToolUse", { session_id: "other" })).stdout).toBe("");
    const next = await call(place, "PreToolUse");
    expect(JSON.parse(next.stdout)).toMatchObject({
      systemMessage: expect.stringContaining("before it answered"),
      hookSpecificOutput: { permissionDecision: "deny" },
    });
    expect(next.stderr).toContain("(CALL_UNANSWERED)");
    expect((await call(place, "PreToolUse")).stdout).toBe("");
  });

  test("blocks once the tool has run nevertheless", async () => {
    await using place = await workspace();
    await killed(place, { tool_use_id: "t1" });
    expect((await call(place, "PostToolUse", { tool_use_id: "t1" })).stderr).toContain("(CALL_UNANSWERED)");
    expect((await call(place, "PreToolUse")).stderr).toBe("");
  });

  test("is only told where the agent may have canceled it", async () => {
    await using place = await workspace();
    await killed(place);
    const next = await call(place, "PreToolUse");
    expect(next.stdout).not.toContain("deny");
    expect(next.stderr).toContain("killed before it answered");
  });

  test.each(["UserPromptSubmit", "SessionStart"] as const)(
    "is forgotten at %s: the agent canceled it",
    async (event) => {
      await using place = await workspace();
      await call(place, "UserPromptSubmit");
      await killed(place);
      await call(place, event);
      expect(await call(place, "PreToolUse")).toMatchObject({ stdout: "", stderr: "" });
    },
  );

  test("does not count for another process of the agent", async () => {
    await using place = await workspace();
    await call(place, "UserPromptSubmit");
    await killed(place);
    const line = `"$@" bridge claude --event PreToolUse --fail-closed; :`;
    const stdin = JSON.stringify({ ...NATIVE.claude.PreToolUse, session_id: "s" });
    const agent = ["/bin/sh", "-c", '/bin/sh -c "$@"; :', "claude", line, "sh", ...HOOKCTL];
    const next = await runProgram(agent, { cwd: place.project, env: place.env, stdin });
    expect(next).toMatchObject({ stdout: "", stderr: "" });
  });
});

test("the file of a closed note is used again, and a link in its place leads nowhere", async () => {
  await using place = await workspace();
  const closed = join(place.home, ".local/state/hookctl/calls/closed");
  await call(place, "PreToolUse");
  const { ino } = await stat(closed);
  await call(place, "PreToolUse");
  expect((await stat(closed)).ino).toBe(ino);
  await rm(closed);
  const theirs = await place.write("theirs", "theirs");
  await symlink(theirs, closed);
  expect((await call(place, "PreToolUse")).code).toBe(0);
  expect(await place.read("theirs")).toBe("theirs");
});

test("an answered call leaves no note, also after a signal; a fail-open one writes none", async () => {
  await using place = await workspace();
  await place.hook("guard", "kill -TERM $PPID; sleep 0.2; exit 0");
  expect((await call(place, "PreToolUse")).stdout).toContain("deny");
  expect(await notes(place)).not.toMatch(/-\d/);
  await using open = await workspace();
  await call(open, "PreToolUse", {}, "");
  expect(await notes(open)).toBe("");
});
