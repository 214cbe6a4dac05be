import { describe, expect, test } from "vitest";
import { approvalStates } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { hasScript, hookctl, runOnTerminal } from "../support/on-terminal.ts";
import { shellQuote } from "../support/shell.ts";
import { edited, GUARD, reasonOf, setUp } from "./edit.ts";

describe.skipIf(!hasScript)("hookctl edit (needs script of util-linux)", () => {
  test("shows the difference, approves it and checks the hook in one step", async () => {
    await using place = await setUp();
    const { shown, code } = await edited(place, [GUARD("new")], ["y\n"]);
    expect(shown).toMatch(/- printf .*old.*\r?\n.*\+ printf .*new/);
    expect(shown).toMatch(/✔ Approved guard {3}before_tool_call\r?\n/);
    expect({ shown, code }).toMatchObject({ shown: expect.stringMatching(/\d+ passed/), code: 0 });
    expect(await reasonOf(place)).toBe("new");
  });

  test("opens the test cases of the hook with it", { tags: "slow" }, async () => {
    await using place = await setUp();
    await place.write("project/.kodelet/tests/mine.yaml", "hook: guard\ncases: [{name: old, expect: {reason: old}}]\n");
    const editor = await place.write(
      "change",
      `#!/bin/sh\necho "$#" > ${shellQuote(place.dir)}/n; sed -i s/old/new/g "$@"\n`,
      0o755,
    );
    const result = await runOnTerminal(place, `EDITOR=${shellQuote(editor)} ${hookctl} edit guard`, ["y\n"]);
    expect(result).toMatchObject({ shown: expect.stringMatching(/1 case/), code: 0 });
    expect(await place.read("n")).toBe("2\n");
    expect(await reasonOf(place)).toBe("new");
  });

  test("starts nothing of an edit without the yes, and says that it does not run", { tags: "slow" }, async () => {
    await using place = await setUp();
    const canary = `#!/bin/sh\ntouch ${shellQuote(place.dir)}/canary\n`;
    const { shown, code } = await edited(place, [canary], ["n\n"]);
    expect({ shown, code }).toMatchObject({ shown: expect.stringContaining("edited, but not approved"), code: 77 });
    expect(await place.read("canary")).toBeNull();
    expect(await approvalStates(place)).toEqual({ guard: "changed" });
  });
});

test("without a terminal edit says how to go on: a changed hook needs trust, before any test", async () => {
  await using place = await setUp();
  const result = await runInProcess(place, "edit guard", { env: { EDITOR: "true" } });
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("edit needs a terminal"), code: 64 });
  expect(result.stderr).toContain("hookctl trust NAME");
  await place.hook("guard", GUARD("new"), { scope: "project" });
  for (const call of ["try guard", "test guard"]) {
    const refused = await runInProcess(place, call);
    expect(refused).toMatchObject({ code: 77 });
    expect(refused.stdout + refused.stderr).toMatch(/: hookctl trust guard$/m);
    expect(refused.stdout + refused.stderr).not.toContain("trust --show");
  }
});

test("below an agent edit is refused", async () => {
  await using place = await setUp();
  const result = await runInProcess(place, "edit guard", { env: { CLAUDECODE: "1" } });
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("(TRUST_NEEDS_PERSON)"), code: 77 });
});
