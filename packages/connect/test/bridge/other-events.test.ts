import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";

const LOG = "home/.local/state/hookctl/audit.jsonl";

/** Claude Code after a tool call, to which no hook listens; the first call identifies what is there. */
async function afterTool(prepare: (place: Workspace) => Promise<unknown>) {
  await using place = await workspace();
  await prepare(place);
  const stdin = JSON.stringify(NATIVE.claude.PostToolUse);
  const first = await runInProcess(place, "bridge claude --event PostToolUse", { stdin });
  const second = await runInProcess(place, "bridge claude --event PostToolUse", { stdin });
  return { first, second, log: await place.read(LOG) };
}

const silent = printResponse({});
const settings = (value: object) => (place: Workspace) =>
  place.write("home/.kodelet/hooks.json", JSON.stringify(value));

describe("an event that no hook handles", () => {
  test.each<[title: string, prepare: (place: Workspace) => Promise<unknown>]>([
    ["a hook of another event", (place) => place.hook("guard", silent)],
    [
      "one that fails closed",
      (place) => place.hook("guard", silent, { says: '{"event":"turn_end","fail_open":false}' }),
    ],
    ["a rule for another event", settings({ hooks: { before_tool_call: [{ name: "no-rm", block: "no" }] } })],
  ])("%s: nothing is said or recorded", async (_title, prepare) => {
    const nothing = { stdout: "", stderr: "", code: 0 };
    expect(await afterTool(prepare)).toMatchObject({ first: nothing, second: nothing, log: null });
  });

  test.each<[title: string, prepare: (place: Workspace) => Promise<unknown>]>([
    [
      "a program",
      (place) => place.hook("guard", silent, { says: '{"event":"after_tool_call","match":{"tool_name":"none"}}' }),
    ],
    [
      "a rule",
      settings({ hooks: { after_tool_call: [{ name: "guard", match: { tool_name: "none" }, block: "no" }] } }),
    ],
  ])("%s that does not match the call: nothing is said, and each call is recorded", async (_title, prepare) => {
    const nothing = { stdout: "", stderr: "", code: 0 };
    const { first, second, log } = await afterTool(prepare);
    expect({ first, second }).toMatchObject({ first: nothing, second: nothing });
    const lines = (log ?? "")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    const unmatched = { event: "after_tool_call", decision: "continue", agent: "claude" };
    const hooks = [{ name: "guard", outcome: "skipped", mismatch: { field: "tool_name", wanted: ["none"] } }];
    expect(lines).toMatchObject([
      { ...unmatched, hooks },
      { ...unmatched, hooks },
    ]);
  });

  test.each<[title: string, prepare: (place: Workspace) => Promise<unknown>, told: RegExp]>([
    [
      "a hook that does not say what it handles",
      (place) => place.hook("guard", silent, { says: "nonsense" }),
      /1 hook not understood/,
    ],
    [
      "a name in the settings that is nearly that of a hook",
      async (place) => {
        await place.hook("guard", silent);
        await settings({ overrides: { gaurd: { timeout: "5s" } } })(place);
      },
      /gaurd/,
    ],
    ["a required hook that is missing", settings({ overrides: { guard: { required: true } } }), /guard/],
  ])("%s: it is told all the same", async (_title, prepare, told) => {
    const { first, second } = await afterTool(prepare);
    expect(first.stdout + first.stderr).toMatch(told);
    expect(second.stdout + second.stderr).toMatch(/./);
  });
});
