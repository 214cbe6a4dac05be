import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../test/support/in-process.ts";
import { printResponse } from "../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";

const BLOCKS = `case "$(cat)" in *danger*) ${printResponse({ blocked: true, reason: "no" })} ;; esac`;
const REWRITES = `cat > /dev/null; ${printResponse({ input: { command: "ls" } })}`;
const ADDS = `case "$(cat)" in *danger*) ${printResponse({ blocked: true, reason: "no" })} ;; *) ${printResponse({ additional_context: "use pnpm" })} ;; esac`;
const danger = { tool_input: { command: "danger" } };

const block = { payload: danger, expect: { decision: "block" } };
const allow = { expect: { decision: "allow" } };
const change = { expect: { input: { command: "ls" } } };

const added = { expect: { context: ["use pnpm"] } };

const NEVER = "▲ no case makes it block";
const WITHOUT = "▲ its cases pass without it";

const rows: readonly (readonly [title: string, body: string, cases: readonly object[], note: string | null])[] = [
  ["a guard without a case", BLOCKS, [], NEVER],
  ["a guard with cases that allow", BLOCKS, [allow], NEVER],
  ["a guard with a case that blocks", BLOCKS, [allow, block], null],
  ["a hook that can block, with a case in which it adds context", ADDS, [added], null],
  ["a hook that never blocks, without a case", REWRITES, [], null],
  ["a hook with a case that it decides", REWRITES, [change, allow], null],
  ["a hook whose case passes without it", REWRITES, [allow], WITHOUT],
  ["a response in Python", 'cat > /dev/null; : \'{"blocked": True, "reason": reason}\'', [], NEVER],
  ["another agent's words", 'cat > /dev/null; : \'{"decision":"deny"}\'', [], NEVER],
  ["a hook that says that it does not block", `cat > /dev/null; ${printResponse({ blocked: false })}`, [], null],
];

describe("what the cases of a hook do not show is noted, and the hook passes all the same", () => {
  test.each(rows)("%s", async (_, body, cases, note) => {
    await using place = await workspace();
    await place.hook("guard", body);
    await writeCases(place, cases);
    const { stdout, code } = await runInProcess(place, "test guard");
    expect(stdout.match(/▲ .*/)?.[0] ?? null).toBe(note);
    expect(code).toBe(0);
  });

  test("a rule that blocks, declared in the settings", async () => {
    await using place = await workspace();
    const rule = { name: "rule", block: "no", match: { "tool_input.command": "danger" } };
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: [rule] } }));
    expect((await runInProcess(place, "test rule")).stdout).toContain(NEVER);
    await writeCases(place, [block], "rule");
    expect((await runInProcess(place, "test rule")).stdout).not.toContain("▲");
  });

  test("JSON has the notes by name", async () => {
    await using place = await workspace();
    await place.hook("guard", BLOCKS);
    const { stdout } = await runInProcess(place, "test guard --json");
    expect(JSON.parse(stdout).hooks).toMatchObject([{ name: "guard", passed: true, notes: ["never-blocks"] }]);
  });
});

async function writeCases(place: Workspace, cases: readonly object[], hook = "guard"): Promise<void> {
  if (cases.length === 0) return;
  const named = cases.map((one, index) => ({ name: `case ${index}`, event: "before_tool_call", ...one }));
  await place.write("home/.kodelet/tests/cases.json", JSON.stringify({ hook, cases: named }));
}
