import { describe, expect, test } from "vitest";
import { approvalStates, approveAll, runToolCall } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { hasScript } from "../support/on-terminal.ts";
import { shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";
import { edited, GUARD, reasonOf, setUp } from "./edit.ts";

const BROKEN = '#!/bin/sh\nif [ "$1" = hook ]; then echo before_tool_call; exit 0; fi\nexit 1\n';

describe.skipIf(!hasScript)("hookctl edit (needs script of util-linux)", () => {
  test("asks for no approval of the user's own hook, and checks it", async () => {
    await using place = await setUp("user");
    const { shown, code } = await edited(place, [GUARD("new")], []);
    expect({ shown, code }).toMatchObject({ shown: expect.stringMatching(/\d+ passed/), code: 0 });
    expect(shown).not.toContain("Approve it?");
    expect(await reasonOf(place)).toBe("new");
  });

  test.each(["project", "user"] as const)(
    "an edit that moves a hook of the %s to another event registers that one",
    async (scope) => {
      await using place = await setUp(scope);
      await runInProcess(place, "install claude");
      const moved = '#!/bin/sh\nif [ "$1" = hook ]; then echo agent_stop; exit 0; fi\n';
      const { shown } = await edited(place, [moved], scope === "project" ? ["y\n"] : []);
      expect(shown).toContain("Claude Code: .claude/settings.json now registers Stop too");
      expect(await place.read("project/.claude/settings.json")).toContain("--event Stop");
    },
  );

  test("a failed check may be edited again", async () => {
    await using place = await setUp();
    const { code } = await edited(place, [BROKEN, GUARD("new")], ["y\n", "e\n", "y\n"]);
    expect(code).toBe(0);
    expect(await reasonOf(place)).toBe("new");
  });

  test("an editor gets every key, and its question to the terminal is no answer to hookctl", async () => {
    await using place = await setUp();
    // Each `dd` starts after its key was typed: any other reader of the terminal would take the key.
    const reads = `stty -icanon -echo
printf '[]: '; k=$(dd bs=1 count=1 2>/dev/null)
printf '[]: '; echo "$k$(dd bs=1 count=1 2>/dev/null)" >> ${shellQuote(place.dir)}/keys
stty icanon echo\n`;
    const report = "\u001b[>0;276;0c";
    const keys = ["a", "b", `${report}y\n`, "e\n", "a", "b", "y\n"];
    const { shown, code } = await edited(place, [BROKEN, GUARD("new")], keys, "", reads);
    expect({ code, keys: await place.read("keys") }).toEqual({ code: 0, keys: "ab\nab\n" });
    expect(shown.split("Approve it? [y]es [n]o (not now) ")).toHaveLength(3);
  });

  test("a failed case is shown with the file that has it", async () => {
    await using place = await setUp();
    await place.write("project/.kodelet/tests/mine.yaml", "hook: guard\ncases: [{name: old, expect: {reason: old}}]\n");
    const { shown, code } = await edited(place, [GUARD("new")], ["y\n", "k\n"]);
    expect(code).toBe(1);
    expect(shown).toMatch(
      /Its cases are in \.kodelet\/tests\/mine\.yaml; edit opens them with it\.\s+It failed its checks\..*\[k\]eep \(it runs\) \[w\]ithdraw \(it does not run\): /,
    );
  });

  test("withdrawing the approval after a failed check leaves the earlier one: the guard is changed and blocks", async () => {
    await using place = await setUp();
    const { shown, code } = await edited(place, [BROKEN], ["y\n", "w\n"]);
    expect({ shown, code }).toMatchObject({
      shown: expect.stringContaining("Withdrew the approval of guard"),
      code: 1,
    });
    expect(await approvalStates(place)).toEqual({ guard: "changed" });
    expect(await runToolCall(place)).toMatchObject({ decision: "block", decided_by: "guard" });
  });

  test("keeping it leaves the approval", async () => {
    await using place = await setUp();
    expect(await edited(place, [BROKEN], ["y\n", "k\n"])).toMatchObject({ code: 1 });
    expect(await approvalStates(place)).toEqual({ guard: "approved" });
  });

  test("with --json stdout is the report of the last checks alone", async () => {
    await using place = await setUp();
    const { code } = await edited(place, [BROKEN, GUARD("new")], ["y\n", "e\n", "y\n"], "--json > out.json");
    expect(code).toBe(0);
    const report = JSON.parse((await place.read("project/out.json")) ?? "");
    expect(report).toMatchObject({ schema: "hookctl.test/1", hooks: [{ name: "guard", passed: true }], failed: 0 });
  });

  test("opens the settings file for a declared hook", async () => {
    await using place = await workspace();
    const settings = (inject: string) => JSON.stringify({ hooks: { before_tool_call: [{ name: "guard", inject }] } });
    await place.write("project/.kodelet/hooks.json", settings("old"));
    await approveAll(place);
    const { shown } = await edited(place, [settings("new")], ["y\n", "k\n"]);
    expect(shown).toMatch(/\+.*new/);
    expect(Object.values(await approvalStates(place))).not.toContain("changed");
  });
});
