import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hooksIn } from "../../packages/sdk/test/library/place.ts";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const FORCE = "git push --force origin main";
const STATE = "home/.local/state/hookctl";

const settle = (place: Workspace, more: object = {}) =>
  place.write("home/.kodelet/hooks.json", JSON.stringify({ settings: { record: "payloads" }, ...more }));

/** Two runs, with the guard `git` on: one that it blocks, one that it allows. */
async function recorded(): Promise<Workspace> {
  const place = await workspace();
  await settle(place, { guards: { git: true, secrets: true } });
  for (const command of [FORCE, "ls"])
    await runMain(place, ["run", "before_tool_call"], { stdin: toolCall(command, { conv_id: "s1" }) });
  return place;
}

const replay = (place: Workspace, ...args: readonly string[]) => runMain(place, ["replay", ...args]);
const json = async (place: Workspace, ...args: readonly string[]) => {
  const { stdout, stderr, code } = await replay(place, "--json", ...args);
  return { ...JSON.parse(stdout), stderr, code };
};

describe("replay", () => {
  test("finds no difference where nothing has changed", async () => {
    await using place = await recorded();
    expect(await json(place)).toMatchObject({ same: 2, differing: 0, runs: [], unjudged: [], code: 0, stderr: "" });
  });

  test("shows what today's guards decide otherwise, and exits with 1", async () => {
    await using place = await recorded();
    await settle(place, { guards: { secrets: true } });
    const result = await json(place);
    expect(result).toMatchObject({ same: 1, differing: 1, code: 1, stderr: "" });
    expect(result.runs).toMatchObject([
      {
        event: "before_tool_call",
        call: FORCE,
        before: { decision: "block", decided_by: "git" },
        after: { decision: "continue", decided_by: null, reason: null },
        differs: ["decision", "decided_by", "reason"],
        redacted: false,
      },
    ]);
    const text = await replay(place);
    expect(text).toMatchObject({ stderr: "", code: 1 });
    expect(text.stdout).toContain("2 recorded runs: 1 differs, 1 as before\n");
    expect(text.stdout).toContain("  decision: block → continue\n");
  });

  test("judges named runs, and those that a hook decided", async () => {
    await using place = await recorded();
    await settle(place, { guards: { secrets: true } });
    const { runs } = await json(place);
    expect(await json(place, runs[0].run_id)).toMatchObject({ same: 0, differing: 1, code: 1 });
    expect(await json(place, "--hook", "git")).toMatchObject({ same: 0, differing: 1, code: 1 });
    expect(await replay(place, "--hook", "nobody")).toMatchObject({ stdout: "", code: 64 });
    expect(await replay(place, "--until", "2020-01-01")).toMatchObject({ stdout: "", code: 64 });
    expect(await replay(place, "ZZZ")).toMatchObject({ stdout: "", code: 64 });
  });

  test("records nothing, and leaves sessions alone", async () => {
    await using place = await recorded();
    await settle(place, { guards: { secrets: true } });
    const read = async () => [await place.read(`${STATE}/audit.jsonl`), await place.read(`${STATE}/payloads.jsonl`)];
    const before = await read();
    await json(place);
    expect(await read()).toEqual(before);
  });

  test("a hook that may not be started did not judge, and its runs are no difference", async () => {
    await using place = await workspace();
    await settle(place);
    await place.hook("own", printResponse({ blocked: true, reason: "no" }));
    await runMain(place, ["run", "before_tool_call"], { stdin: toolCall("ls") });
    await place.write("home/.kodelet/hooks/own.disable", "");
    await settle(place, { overrides: { own: { enabled: false } } });
    const result = await json(place);
    expect(result).toMatchObject({ same: 0, differing: 0, code: 0, left_out: [{ name: "own" }] });
    expect(result.unjudged).toMatchObject([
      { why: expect.stringContaining("own decided it, but could not judge it again") },
    ]);
  });

  test("what a function of a program decided or changed is no difference, and counts once for each function", async () => {
    await using place = await workspace();
    await settle(place, { guards: { git: true } });
    await using hooks = hooksIn(place);
    hooks.register("before_tool_call", () => ({ blocked: true, reason: "offline" }), {
      ...{ name: "offline", match: { "tool_input.command": "curl*" } },
    });
    hooks.register("before_tool_call", () => ({ input: { command: "ls -a" } }), {
      ...{ name: "rewrite", match: { "tool_input.command": "dir" } },
    });
    for (const command of ["curl a", "curl b", "dir", "ls", FORCE])
      await hooks.run("before_tool_call", { tool_name: "bash", tool_input: { command } });
    const result = await json(place);
    expect(result).toMatchObject({ same: 2, differing: 0, code: 0, stderr: "" });
    expect(result.unjudged).toEqual([
      { why: "functions of the program that ran it took part: rewrite", count: 1, run_ids: [expect.any(String)] },
      {
        why: "functions of the program that ran it took part: offline",
        count: 2,
        run_ids: [expect.any(String), expect.any(String)],
      },
    ]);
    const { stdout } = await replay(place);
    expect(stdout).toContain("2 recorded runs: 0 differ, 2 as before\n");
    expect(stdout).toMatch(
      /▲ 2 runs could not be judged: functions of the program that ran it took part: offline \(\w{26}\)\n/,
    );
  });

  test("without a recorded payload says how to get one", async () => {
    await using place = await workspace();
    const result = await replay(place);
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("record: payloads"), code: 64 });
    expect(await place.read(join(STATE, "audit.jsonl"))).toBeNull();
  });
});
