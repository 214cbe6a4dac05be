import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectedOutput, type Row, runInProcess, runRow } from "../../../test/support/in-process.ts";
import { parseTestJson, type TestJson } from "../../../test/support/json-test-output.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";

const CONFIG = "home/.kodelet/hooks.json";
const declared = (...entries: readonly object[]): string => JSON.stringify({ hooks: { before_tool_call: entries } });

async function tested(place: Workspace, config: string, words = "test --json"): Promise<{ code: number } & TestJson> {
  await place.write(CONFIG, config);
  const result = await runInProcess(place, words);
  expect(result.stderr).toBe("");
  return { code: result.code, ...parseTestJson(result) };
}

describe("hooks that a settings file declares are tested too", () => {
  test("a command is asked with every payload, and not for its event", async () => {
    await using place = await workspace();
    const { code, hooks, skipped } = await tested(place, declared({ name: "guard", command: "cat >/dev/null" }));
    expect({ code, skipped }).toEqual({ code: 0, skipped: 0 });
    expect(hooks.map(({ name }) => name)).toEqual(["guard"]);
    const names = hooks.flatMap(({ checks }) => checks.map(({ name }) => name));
    expect(names).toEqual(expect.arrayContaining(["only its owner can change it", "survives a large payload"]));
    expect(names).not.toContain("declares its event");
  });

  test("what a command does wrong is a failed check", async () => {
    await using place = await workspace();
    const { code, hooks } = await tested(place, declared({ name: "guard", command: ["/bin/echo", "no JSON"] }));
    expect(code).toBe(1);
    const failed = hooks.flatMap(({ checks }) => checks.filter(({ passed }) => !passed).map(({ name }) => name));
    expect(failed).toEqual(["prints one JSON object or nothing"]);
  });

  test("a rule passes what can be asked of it", async () => {
    await using place = await workspace();
    const { code, hooks } = await tested(place, declared({ block: "not today" }), "test before_tool_call#1 --json");
    expect(code).toBe(0);
    expect(hooks[0]?.left_out.map(({ reason }) => reason)).toEqual([
      "a rule starts no process",
      "a rule starts no process",
    ]);
  });

  test("what runs for its effect alone is not started", async () => {
    await using place = await workspace();
    const entry = { name: "log", shell_exec: "echo ran > ran.log", sandbox: "off" };
    const { code, hooks } = await tested(place, declared(entry));
    expect(code).toBe(0);
    expect(hooks[0]?.left_out[0]?.reason).toBe("it runs only for its side effect, so there is nothing to check");
    await expect(readFile(join(place.home, ".kodelet", "ran.log"))).rejects.toThrow("ENOENT");
  });

  test("a case may be about one", async () => {
    await using place = await workspace();
    const cases = [
      { name: "blocks bash", event: "PreToolUse", payload: {}, expect: { decision: "block", reason: "not today" } },
      { name: "allows read", event: "PreToolUse", payload: { tool_name: "read" }, expect: { decision: "continue" } },
    ];
    await place.write("home/.kodelet/tests/rule.json", JSON.stringify({ hook: "rule", cases }));
    const rule = { name: "rule", block: "not today", match: { tool_name: "bash" } };
    const { code, passed } = await tested(place, declared(rule));
    expect({ code, passed }).toEqual({ code: 0, passed: 12 });
  });

  const refused: Row = {
    title: "one of a project that nobody approved is not started, and told",
    call: "test guard",
    files: { "project/.kodelet/hooks.json": declared({ name: "guard", command: "echo ran > ran.log" }) },
    code: 77,
    stdout: `Skipped
 • guard: guard is not approved, so it was not started
     Read it, then: hookctl trust guard
`,
    stderr: `✖ Nothing to test: 1 hook is not approved (guard). (NOTHING_TO_TEST)
  Read it, then: hookctl trust guard
`,
  };
  test("one of a project that nobody approved is not started, and told", async () => {
    expect(await runRow(refused)).toEqual(expectedOutput(refused));
  });
});
