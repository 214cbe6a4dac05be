import { mkdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { COMMANDS, ORDINARY } from "../../../gates/disarm/ordinary.mjs";
import { callsOf, HOME, PROJECT, type Step } from "../../../gates/disarm/steps.mjs";
import { runInProcess } from "../../../test/support/in-process.ts";
import { sampledRows } from "../../../test/support/property-runs.ts";
import { workspace } from "../../../test/support/workspace.ts";

const MOST_STOPPED = 2;

test("there are 300 ordinary commands and 70 ordinary edits", () => {
  expect(COMMANDS.length).toBeGreaterThanOrEqual(300);
  expect(ORDINARY.length - COMMANDS.length).toBeGreaterThanOrEqual(70);
});

test("guards stop or question at most two of them", async () => {
  await using place = await workspace();
  await mkdir(`${place.project}/.git`);
  const guards = { filesystem: true, git: true, secrets: true, "self-protection": true };
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ guards }));
  await place.write("home/.bashrc", '# ~/.bashrc\nalias ll="ls -l"\n');
  await place.write("home/.profile", ". ~/.bashrc\n");
  await place.write("home/.claude/settings.json", '{\n  "hooks": {\n  }\n}\n');
  const decided = async (step: Step): Promise<string> => {
    const [call] = callsOf("claude", step);
    const payload = { hook_event_name: "PreToolUse", tool_name: call?.tool, tool_input: call?.input };
    const stdin = JSON.stringify(payload).replaceAll(PROJECT, place.project).replaceAll(HOME, place.home);
    return (await runInProcess(place, "bridge claude", { stdin })).stdout;
  };
  const stopped: string[] = [];
  for (const step of sampledRows(ORDINARY)) {
    const stdout = await decided(step);
    if (/"permissionDecision":"(?:deny|ask)"/.test(stdout)) stopped.push(JSON.stringify(step));
  }
  expect(await decided({ kind: "shell", command: "git reset --hard" })).toContain('"deny"');
  expect({ stopped, isFew: stopped.length <= MOST_STOPPED }).toEqual({ stopped, isFew: true });
});
