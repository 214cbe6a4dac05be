import { describe, expect, test } from "vitest";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { toolCall } from "../../../../test/support/payloads.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";

const BLOCK = printResponse({ blocked: true, reason: "no" });
const STATE = "home/.local/state/hookctl";
const SETTINGS = "home/.kodelet/hooks.json";

const call = (place: Workspace, agent: AgentName, event: string, change: object = {}) => {
  const stdin = JSON.stringify({ ...NATIVE[agent][event], ...change });
  return runInProcess(place, `bridge ${agent} --event ${event}`, { stdin, host: { random: Math.random } });
};
const idIn = (text: string): string | null => /hookctl why ([0-9A-Z]+)/.exec(text)?.[1] ?? null;
const explained = async (place: Workspace, id: string | null) =>
  JSON.parse((await runInProcess(place, `why ${id} --json`)).stdout).run;

describe("the id in a block's reason is that of a run that `why` explains", () => {
  test("for a hook", async () => {
    await using place = await workspace();
    await place.hook("guard", BLOCK);
    const { stdout } = await call(place, "claude", "PreToolUse");
    expect(await explained(place, idIn(stdout))).toMatchObject({
      decision: "block",
      decided_by: "guard",
      reason: "no",
    });
  });

  test("for the second of two events of one call", async () => {
    await using place = await workspace();
    await place.hook("watch", "true", { says: "user_message_send" });
    await place.hook("guard", BLOCK, { says: "turn_start" });
    const { stdout } = await call(place, "gemini", "BeforeAgent");
    expect(stdout).toContain("(guard, hookctl why ");
    expect(await explained(place, idIn(stdout))).toMatchObject({ event: "turn_start", decided_by: "guard" });
  });

  test("for a guard that could not run", async () => {
    await using place = await workspace();
    await place.write(SETTINGS, "{");
    const stdin = JSON.stringify(NATIVE.claude.PreToolUse);
    const { stdout } = await runInProcess(place, "bridge claude --event PreToolUse --fail-closed", { stdin });
    expect(stdout).toContain('"permissionDecision":"deny"');
    expect(await explained(place, idIn(stdout))).toMatchObject({ decision: "block" });
  });
});

describe("no id is printed of a run that `why` does not find", () => {
  const unsigned = { stdout: expect.stringContaining("no (guard)"), code: 0 };

  test("because nothing is recorded", async () => {
    await using place = await workspace();
    await place.hook("guard", BLOCK);
    await place.write(SETTINGS, JSON.stringify({ settings: { record: "off" } }));
    expect(await call(place, "claude", "PreToolUse")).toMatchObject(unsigned);
  });

  test("because its line was lost", async () => {
    await using place = await workspace();
    await place.hook("guard", BLOCK);
    // A folder in place of the log: no line can be appended.
    await place.write(`${STATE}/audit.jsonl/file`, "");
    expect(await call(place, "claude", "PreToolUse")).toMatchObject(unsigned);
  });
});

describe("run", () => {
  const run = (place: Workspace, isTerminal: boolean) =>
    runInProcess(place, "run before_tool_call", {
      stdin: toolCall(),
      host: { isStderrTerminal: () => isTerminal, random: Math.random },
    });

  test("names the run on a terminal only", async () => {
    await using place = await workspace();
    await place.hook("guard", BLOCK);
    const shown = await run(place, true);
    expect(shown).toMatchObject({ stdout: '{"blocked":true,"reason":"no"}\n', code: 2 });
    expect(shown.stderr).toMatch(/ {2}Explain it: hookctl why [0-9A-Z]{26}\n$/);
    expect(await explained(place, idIn(shown.stderr))).toMatchObject({ decided_by: "guard" });
    expect((await run(place, false)).stderr).not.toContain("hookctl why");
  });

  test("says nothing of it where nothing is recorded", async () => {
    await using place = await workspace();
    await place.hook("guard", BLOCK);
    await place.write(SETTINGS, JSON.stringify({ settings: { record: "off" } }));
    expect((await run(place, true)).stderr).not.toContain("hookctl why");
  });
});
